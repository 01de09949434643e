package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// report is what a run found, as report.json holds it.
type report struct {
	Kit     kit      `json:"kit"`
	Date    string   `json:"date"` // UTC
	Devices string   `json:"devices"`
	Facts   []fact   `json:"facts"`
	Proofs  []fact   `json:"self_tests,omitempty"`
	Timings []timing `json:"timings"`
	Results []result `json:"results"`
}

// fact is what a command says of the machine.
type fact struct {
	Command string `json:"command"`
	Output  string `json:"output"`
	Problem string `json:"problem,omitempty"`
}

// timing is what cresset bench --json says of a device.
type timing struct {
	Device  string `json:"device"`
	Problem string `json:"problem,omitempty"`
	Bench   struct {
		GPU     string   `json:"gpu"`
		Level   string   `json:"level"`
		Cores   int      `json:"cores"`
		Limits  []limits `json:"limits"`
		Figures []figure `json:"figures"`
	} `json:"bench"`
}

type limits struct {
	FMA    float64 `json:"fma_gflops"`
	Levels []struct {
		Name string  `json:"level"`
		Rate float64 `json:"gb_s"`
	} `json:"bandwidth"`
	Copy float64 `json:"copy_gb_s"` // measured, within the GPU; 0 where none was
}

type figure struct {
	Case    string  `json:"case"`
	Median  float64 `json:"ns"`
	Min     float64 `json:"min_ns"`
	Max     float64 `json:"max_ns"`
	Rate    float64 `json:"rate,omitempty"`
	Unit    string  `json:"unit,omitempty"`
	Problem string  `json:"problem,omitempty"`

	OfClocks float64 `json:"of_clocks,omitempty"`
	OfCopy   float64 `json:"of_copy,omitempty"` // of a copy within the GPU in the same run; 0 where bytes are not the limit
}

// result is how the tests of a package went.
type result struct {
	Package    string    `json:"package"`
	Seconds    float64   `json:"seconds"`
	Passed     int       `json:"passed"` // tests and subtests
	Failed     []failure `json:"failed,omitempty"`
	Skipped    []failure `json:"skipped,omitempty"`
	Unfinished []string  `json:"unfinished,omitempty"` // were running when the process ended
	Problem    string    `json:"problem,omitempty"`    // how the process ended, where not well
	Tail       string    `json:"tail,omitempty"`       // the last lines of a process that died
	Log        string    `json:"log,omitempty"`        // the file with all of its output
}

// failure is a test and the last lines that it printed.
type failure struct {
	Test   string `json:"test"`
	Output string `json:"output,omitempty"`
}

const tailLines = 30

// read takes the results out of what a test binary prints with -test.v.
func (p *result) read(log string) {
	var running []string
	output := map[string][]string{}
	current := ""
	var tail []string
	for line := range strings.Lines(log) {
		line = strings.TrimRight(line, "\n")
		if what, rest, ok := strings.Cut(line, "=== "); ok && what == "" {
			verb, test, _ := strings.Cut(rest, " ")
			current = strings.TrimSpace(test)
			if verb == "RUN" {
				running = append(running, current)
			}
			continue
		}
		_, verdict, _ := strings.Cut(line, "--- ")
		verb, test, _ := strings.Cut(verdict, ": ")
		test, _, _ = strings.Cut(test, " (")
		i := slices.Index(running, test)
		if i < 0 { // not a verdict, or one that a test shows of another process
			output[current] = last(append(output[current], line))
			tail = last(append(tail, line))
			continue
		}
		running = slices.Delete(running, i, i+1)
		f := failure{test, strings.Join(output[test], "\n")}
		delete(output, test)
		switch verb {
		case "PASS":
			p.Passed++
		case "FAIL":
			p.Failed = append(p.Failed, f)
		case "SKIP":
			p.Skipped = append(p.Skipped, f)
		}
	}
	p.Unfinished = running
	if p.Problem != "" && (len(p.Failed) == 0 || len(running) > 0) {
		p.Tail = strings.Join(tail, "\n")
	}
}

func last(lines []string) []string { return lines[max(0, len(lines)-tailLines):] }

func (p *result) line() string {
	verdict := "ok"
	if p.Problem != "" {
		verdict = "FAILED: " + p.Problem
	}
	return fmt.Sprintf("%6d passed %4d failed %4d skipped %4d unfinished %7.1f s  %s", p.Passed, len(p.Failed), len(p.Skipped), len(p.Unfinished), p.Seconds, verdict)
}

func (r *report) passed() bool {
	return !slices.ContainsFunc(r.Proofs, func(f fact) bool { return f.Problem != "" }) &&
		!slices.ContainsFunc(r.Results, func(p result) bool { return p.Problem != "" }) &&
		!slices.ContainsFunc(r.Timings, func(t timing) bool { return t.Problem != "" })
}

// write writes both forms of the report anew.
func (r *runner) write() error {
	raw, err := json.MarshalIndent(r.report, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.out, "report.json"), raw, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, "report.txt"), r.text(), 0o644)
}

// text writes the report for people.
func (r *report) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "cresset %s, %s, %s, DEVICES=%s, %s UTC\n", r.Kit.Commit, r.Kit.Go, r.Kit.Platform, r.Devices, r.Date)
	for _, f := range slices.Concat(r.Facts, r.Proofs) {
		fmt.Fprintf(&b, "\n$ %s\n%s\n", f.Command, f.Output)
		if f.Problem != "" {
			fmt.Fprintln(&b, f.Problem)
		}
	}
	for _, t := range r.Timings {
		t.print(&b)
	}
	fmt.Fprintln(&b, "\nTests")
	for _, p := range r.Results {
		fmt.Fprintf(&b, "%-32s%s\n", p.Package, p.line())
	}
	for _, a := range r.Kit.LeftOut {
		fmt.Fprintf(&b, "%-32sleft out: %s\n", a.Package, a.Reason)
	}
	for _, p := range r.Results {
		p.print(&b)
	}
	return b.Bytes()
}

func (t *timing) print(b *bytes.Buffer) {
	fmt.Fprintf(b, "\nTimings of %s: %s, %s, %d multiprocessors %s\n", t.Device, t.Bench.GPU, t.Bench.Level, t.Bench.Cores, t.Problem)
	for _, l := range t.Bench.Limits {
		fmt.Fprintf(b, "its clocks allow %.0f GFLOP/s", l.FMA)
		for _, v := range l.Levels {
			fmt.Fprintf(b, ", %s %.0f GB/s", v.Name, v.Rate)
		}
		if l.Copy > 0 {
			fmt.Fprintf(b, "; a copy within it, measured: %.0f GB/s", l.Copy)
		}
		fmt.Fprintln(b)
	}
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "WORKLOAD\tµs\tRATE\tOF CLOCKS\tOF COPY\tSPREAD")
	for _, f := range t.Bench.Figures {
		if f.Problem != "" {
			fmt.Fprintf(w, "%s\t%s\n", f.Case, f.Problem)
			continue
		}
		fmt.Fprintf(w, "%s\t%.2f\t%.4g %s\t%.1f %%\t%.1f %%\t%.0f %%\n", f.Case, f.Median/1e3, f.Rate, f.Unit, 100*f.OfClocks, 100*f.OfCopy, 100*(f.Max-f.Min)/f.Median)
	}
	w.Flush()
}

func (p *result) print(b *bytes.Buffer) {
	for _, test := range p.Unfinished {
		fmt.Fprintf(b, "\nUNFINISHED %s %s\n", p.Package, test)
	}
	if p.Tail != "" {
		fmt.Fprintf(b, "\nThe last lines of %s\n%s\n", p.Package, p.Tail)
	}
	for _, f := range p.Failed {
		fmt.Fprintf(b, "\nFAILED %s %s\n%s", p.Package, f.Test, f.Output)
	}
	fmt.Fprintln(b)
	for _, f := range p.Skipped {
		_, reason, _ := strings.Cut(strings.TrimSpace(f.Output), ": ")
		fmt.Fprintf(b, "skipped %s %s: %s\n", p.Package, f.Test, reason)
	}
}
