package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// runner runs a kit and keeps the report on the disk up to date, so that a machine that goes away leaves what it did.
type runner struct {
	root  string    // of the kit
	out   string    // folder of the results
	until time.Time // when to stop; zero for never
	tests time.Duration
	report
}

func runCommand(root string, k kit, args []string) error {
	flags := flag.NewFlagSet("hardware", flag.ContinueOnError)
	out := flags.String("o", "cresset-results", "write report.txt, report.json and logs to this `folder`")
	devices := flags.String("devices", "cpu,cuda:0", "test on these")
	only := flags.String("run", "", "test packages that match this `regexp` only; ^$ tests none")
	limit := flags.Duration("limit", 10*time.Minute, "for the tests of a package")
	total := flags.Duration("for", 0, "stop after so long, as 9m30s; 0 runs to the end")
	workloads := flags.String("bench", ".", "time the workloads of cresset bench that match this `regexp`; none if empty")
	benchLimit := flags.Duration("bench-limit", 2*time.Minute, "for the timings of a device")
	selfTest := flags.Bool("selftest", true, "run cresset doctor --selftest")
	if err := flags.Parse(args); err != nil {
		return err
	}
	match, err := regexp.Compile(*only)
	switch {
	case err != nil:
		return err
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %s: -run chooses packages", flags.Arg(0))
	case *only != "^$" && !slices.ContainsFunc(k.Packages, match.MatchString):
		return fmt.Errorf("-run %s matches none of %s", *only, strings.Join(k.Packages, ", "))
	case *limit <= 0 || *benchLimit <= 0 || *total < 0:
		return errors.New("-limit, -bench-limit and -for are times such as 9m30s")
	}
	r := &runner{root: root, tests: *limit, report: report{Kit: k, Date: time.Now().UTC().Format(time.DateTime), Devices: *devices}}
	if r.out, err = filepath.Abs(*out); err != nil {
		return err
	}
	if *total > 0 {
		r.until = time.Now().Add(*total)
	}
	if err := unpackBinaries(root, k.Programs); err != nil {
		return err
	}
	if err := r.prepare(); err != nil {
		return err
	}
	if err := r.describe(); err != nil {
		return err
	}
	if *selfTest {
		if err := r.selfTest(); err != nil {
			return err
		}
	}
	if *workloads != "" {
		if err := r.time(*workloads, *benchLimit); err != nil {
			return err
		}
	}
	for _, p := range k.Packages {
		if match.MatchString(p) {
			if err := r.test(p); err != nil {
				return err
			}
		}
	}
	fmt.Printf("the report is in %s\n", filepath.Join(r.out, "report.txt"))
	if !r.passed() {
		return errors.New("not everything passed")
	}
	return nil
}

// prepare makes the folders, one for temporary files among them: an empty system has none.
func (r *runner) prepare() error {
	temporary := filepath.Join(r.out, "tmp")
	for _, dir := range []string{temporary, filepath.Join(r.out, "logs")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	for name, value := range map[string]string{"DEVICES": r.Devices, "TMPDIR": temporary} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	if os.Getenv("HOME") == "" {
		return os.Setenv("HOME", temporary)
	}
	return nil
}

// describe notes what cresset says of the machine.
func (r *runner) describe() error {
	for _, args := range []string{"version", "doctor", "devices", "smi", "smi --query-gpu=name,driver_version,compute_cap,memory.total,clocks.max.sm,clocks.max.memory,pcie.link.gen.max,pcie.link.width.max,power.limit --format=csv"} {
		r.note(time.Minute, args)
	}
	return r.write()
}

// selfTest keeps what each device but the CPU computes and how fast, in its own words.
func (r *runner) selfTest() error {
	for dev := range strings.SplitSeq(r.Devices, ",") {
		if dev == "cpu" {
			continue
		}
		fmt.Printf("%-32s", "self-test of "+dev)
		start := time.Now()
		f := r.ask(5*time.Minute, "doctor --selftest --device "+dev)
		verdict := "ok"
		if f.Problem != "" {
			verdict = "FAILED: " + f.Problem
		}
		fmt.Printf("%6.1f s  %s\n", time.Since(start).Seconds(), verdict)
		r.Proofs = append(r.Proofs, f)
	}
	return r.write()
}

// note keeps what the command says.
func (r *runner) note(limit time.Duration, args string) {
	r.Facts = append(r.Facts, r.ask(limit, args))
}

// ask returns what the command says.
func (r *runner) ask(limit time.Duration, args string) fact {
	f := fact{Command: "cresset " + args}
	var err error
	if f.Output, err = r.cresset(limit, strings.Fields(args)...); err != nil {
		f.Problem = err.Error()
	}
	return f
}

// cresset returns what the command prints. At the limit it is interrupted, which cresset bench answers with what it has.
func (r *runner) cresset(limit time.Duration, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), r.remaining(limit))
	defer cancel()
	c := exec.CommandContext(ctx, filepath.Join(r.root, "cresset"), args...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 20 * time.Second
	var stdout, stderr strings.Builder
	c.Stdin = strings.NewReader("") // without it exec opens /dev/null, which an empty system lacks
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	if err != nil && stderr.Len() > 0 {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSpace(stdout.String()), err
}

// remaining returns how long something may take that has a limit of its own.
func (r *runner) remaining(limit time.Duration) time.Duration {
	if r.until.IsZero() {
		return limit
	}
	return min(limit, max(time.Until(r.until), time.Second))
}

// time runs the workloads on each device but the CPU; the CPU's are more than a first look needs.
func (r *runner) time(workloads string, limit time.Duration) error {
	for dev := range strings.SplitSeq(r.Devices, ",") {
		if dev == "cpu" {
			continue
		}
		fmt.Printf("%-32s", "timing "+dev)
		start := time.Now()
		t := timing{Device: dev}
		text, err := r.cresset(limit, "bench", "--device", dev, "--rounds", "3", "--json", workloads)
		if err != nil {
			t.Problem = err.Error()
		}
		if err := json.Unmarshal([]byte(text), &t.Bench); err != nil && t.Problem == "" {
			t.Problem = err.Error()
		}
		fmt.Printf("%3d workloads %6.1f s %s\n", len(t.Bench.Figures), time.Since(start).Seconds(), t.Problem)
		r.Timings = append(r.Timings, t)
	}
	return r.write()
}

// test runs the tests of a package as go test would, in its folder.
func (r *runner) test(pkg string) error {
	fmt.Printf("%-32s", pkg)
	p := result{Package: pkg}
	if !r.until.IsZero() && time.Now().After(r.until) {
		p.Problem = "not run: the time was over"
	} else if err := r.execute(&p); err != nil {
		return err
	}
	fmt.Println(p.line())
	r.Results = append(r.Results, p)
	return r.write()
}

func (r *runner) execute(p *result) error {
	p.Log = filepath.Join("logs", strings.ReplaceAll(p.Package, "/", "_")+".txt")
	log, err := os.Create(filepath.Join(r.out, p.Log))
	if err != nil {
		return err
	}
	defer log.Close()
	limit := r.remaining(r.tests)
	ctx, cancel := context.WithTimeout(context.Background(), limit+15*time.Second)
	defer cancel()
	binary := filepath.Join(r.root, testBinary(p.Package))
	c := exec.CommandContext(ctx, binary, "-test.v", "-test.timeout="+limit.String())
	c.Dir, c.Stdin, c.Stdout, c.Stderr = filepath.Dir(binary), strings.NewReader(""), log, log
	c.WaitDelay = 10 * time.Second
	start := time.Now()
	if err := c.Run(); err != nil {
		p.Problem = err.Error()
	}
	p.Seconds = time.Since(start).Seconds()
	text, err := os.ReadFile(log.Name())
	if err != nil {
		return err
	}
	p.read(string(text))
	return nil
}
