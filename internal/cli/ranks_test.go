//go:build linux

package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"cresset/internal/mpi/mpitest"
	"cresset/internal/race"
	"cresset/tensor"
)

// A fault is what goes wrong with a rank of the program faulty, which is cresset otherwise: "1 40 kill" kills rank 1 in the first start of its job when it has
// asked so often whether it is to stop, which it does once a step. "random 500 kill" kills some rank in each start, after up to so many steps; which, and when, follows from the number of
// the start.
const faultVariable = "CRESSET_TEST_FAULT"

// faulty is the command with a fault.
func faulty() {
	var rank, start string
	var asked int
	var what string
	ctx, cancel := context.WithCancelCause(context.Background())
	if _, err := fmt.Sscan(os.Getenv(faultVariable), &rank, &asked, &what); err == nil {
		start = cmp.Or(os.Getenv("TORCHELASTIC_RESTART_COUNT"), "0")
		if rank == "random" {
			rank, asked, start = randomFault(start, asked)
		}
		if rank == rankHere() && start == "0" {
			ctx = &countdown{ctx, asked, map[string]func(){
				"kill": func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) },
				"hang": func() { select {} },
				"stop": func() { cancel(signalled{syscall.SIGINT}) },
				"cut":  func() { _ = exec.Command("sh", "-c", os.Getenv(cutVariable)).Run() },
				"disk": func() { _ = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100, Max: 100}) },
			}[what]}
		}
	}
	os.Exit(Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// randomFault returns of which two ranks one fails in a start, and after how many steps.
func randomFault(start string, most int) (rank string, asked int, now string) {
	n, _ := strconv.ParseUint(start, 10, 64)
	r := rand.New(rand.NewPCG(17, n))
	return strconv.Itoa(r.IntN(2)), 1 + r.IntN(most), "0"
}

// rankHere is what the launcher has told this process.
func rankHere() string {
	return cmp.Or(os.Getenv("RANK"), os.Getenv("OMPI_COMM_WORLD_RANK"), os.Getenv("PMI_RANK"))
}

// cutVariable has the command that breaks the network, for a shell.
const cutVariable = "CRESSET_TEST_CUT"

// launched runs a command as ranks, and returns what they printed and the exit code.
func launched(t *testing.T, fault string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "cresset", append([]string{"launch"}, args...)...)
	c.Env = append(os.Environ(), faultVariable+"="+fault)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	_ = c.Run() // the code tells
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

// TestRanksTrainAsOne wants of ranks the model that one process trains, with parts of batches that are not equal, and empty.
func TestRanksTrainAsOne(t *testing.T) {
	train := []string{"train", "--json", "--epochs", "2", "--samples", "81", "--batch", "20", "--clip", "1", "--accumulate", "2"}
	var alone pictureResult
	text, err := exec.Command("cresset", train...).Output()
	if err != nil || json.Unmarshal(text, &alone) != nil {
		t.Fatalf("%v: %s", err, text)
	}
	check := func(launcher, stdout, stderr string, code int) {
		t.Helper()
		var got pictureResult
		if err := json.Unmarshal([]byte(strings.TrimPrefix(stdout, "[0] ")), &got); err != nil || code != 0 {
			t.Fatalf("%s: exit %d, %v: %s%s", launcher, code, err, stdout, stderr)
		}
		if strings.Contains(stdout+stderr, "[1]") || math.Abs(*got.TrainLoss-*alone.TrainLoss) > 2e-6 || !slices.Equal(got.Accuracies, alone.Accuracies) {
			t.Errorf("%s: %s%s, want the figures of %s", launcher, stdout, stderr, text)
		}
	}
	for _, n := range []string{"1", "2", "3"} {
		stdout, stderr, code := launched(t, "", append([]string{"-n", n, "cresset"}, append(train, "--distributed")...)...)
		check(n+" ranks", stdout, stderr, code)
	}
	cresset, err := exec.LookPath("cresset")
	if err != nil {
		t.Fatal(err)
	}
	for _, launcher := range []string{"mpirun.openmpi", "mpirun.mpich"} {
		t.Run(launcher, func(t *testing.T) {
			c := exec.CommandContext(t.Context(), launcher, append([]string{"-np", "2", cresset}, append(train, "--distributed")...)...)
			if c.Err != nil {
				t.Skip(c.Err)
			}
			c.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1", "OMPI_MCA_mpi_yield_when_idle=1")
			var stdout, stderr bytes.Buffer
			c.Stdout, c.Stderr = &stdout, &stderr
			_ = c.Run() // the code tells
			check(launcher, stdout.String(), stderr.String(), c.ProcessState.ExitCode())
		})
	}
}

// newest returns the losses and the parameters of the newest snapshot.
func newest(t *testing.T, dir string) (losses []float64, model map[string]any) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "snapshot-*.pt"))
	if err != nil || len(all) == 0 {
		t.Fatalf("%v: no snapshot in %s", err, dir)
	}
	d, err := readSnapshot(slices.Max(all))
	if err != nil {
		t.Fatal(err)
	}
	losses, model = d.Floats("losses"), d.Dict("model").Entries()
	if d.Err() != nil {
		t.Fatal(d.Err())
	}
	return losses, model
}

// TestRanksGoOn has a rank fail in the midst of a training: one line names it, and all go on from the newest snapshot to the bits of a training that nothing has
// disturbed, also as another number of ranks to its figures.
func TestRanksGoOn(t *testing.T) {
	dir := t.TempDir()
	args := func(n, program, save string, more ...string) []string {
		return append([]string{"-n", n, "--restarts", "1", "--grace", "1s", program, "train", "--distributed", "--model", "vit", "--width", "8", "--heads", "2", "--layers", "1", "--dropout", "0.1",
			"--samples", "96", "--batch", "8", "--every", "3", "--timeout", "2m", "--save", filepath.Join(dir, save)}, more...)
	}
	if stdout, stderr, code := launched(t, "", args("2", "cresset", "whole", "--epochs", "2")...); code != 0 {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	losses, model := newest(t, filepath.Join(dir, "whole"))
	for _, c := range []struct{ name, fault, want string }{
		{"killed", "1 15 kill", "cresset: rank 1 has failed: signal: killed; all ranks start again, 1 of 1 times"},
		{"first killed", "0 15 kill", "cresset: rank 0 has failed: signal: killed; all ranks start again, 1 of 1 times"},
		{"hangs", "1 15 hang", "has not ended: context deadline exceeded; rank 1 has not called it"},
		{"told to stop", "1 15 stop", "; all ranks start again, 1 of 1 times"},
		{"disk", "0 15 disk", "[0] cresset: rank 0: write "},
	} {
		if race.Enabled && !strings.HasPrefix(c.fault, "1 15 kill") {
			continue // those that are left do the same at once
		}
		more := []string{"--epochs", "2"}
		if c.name == "hangs" {
			more = append(more, "--timeout", "6s") // of the training that goes on as well
		}
		stdout, stderr, code := launched(t, c.fault, args("2", "faulty", c.name, more...)...)
		if code != 0 || !strings.Contains(stderr, c.want) || !strings.Contains(stderr, "resumed from ") {
			t.Errorf("%s: exit %d: %s%s", c.name, code, stdout, stderr)
			continue
		}
		gotLosses, gotModel := newest(t, filepath.Join(dir, c.name))
		if !slices.Equal(gotLosses, losses) {
			t.Errorf("%s: got losses %v, want %v", c.name, gotLosses, losses)
		}
		for name, want := range model {
			if got := gotModel[name].(*tensor.Tensor); !got.Equal(want.(*tensor.Tensor)) {
				t.Errorf("%s: %s is another", c.name, name)
			}
		}
	}
}

// TestRanksCutOff breaks the network between two hosts in the midst of a training: rank 0 names the rank that it misses, and the training goes on from its snapshot to the bits of an undisturbed one.
func TestRanksCutOff(t *testing.T) {
	if race.Enabled {
		t.Skip("what ranks do at once is the same on one host")
	}
	mpitest.Apart(t, func(t *testing.T, l mpitest.Launcher, h *mpitest.Hosts) {
		dir := t.TempDir()
		args := func(save string, more ...string) []string {
			return append([]string{"train", "--distributed", "--model", "vit", "--width", "8", "--heads", "2", "--layers", "1", "--dropout", "0.1", "--samples", "96", "--epochs", "2", "--batch", "8", "--every", "3",
				"--save", filepath.Join(dir, save)}, more...)
		}
		faulty, err := exec.LookPath("faulty")
		if err != nil {
			t.Fatal(err)
		}
		const want = "; rank 1 has not called it, or cannot be reached"
		saved := "ls " + filepath.Join(dir, "cut", "snapshot-*.pt") // waits ask too, so that how often says little
		env := append(h.OneCable(), faultVariable+"=0 1 cut", cutVariable+"="+saved+" && "+strings.Join(h.Cut(), " "))
		if r := l.RunUntil(t, want, 2, env, faulty, args("cut", "--timeout", "8s")...); r.Code == 0 || !strings.Contains(r.Stderr, "cresset: rank 0: ") || !strings.Contains(r.Stderr, want) {
			t.Fatalf("exit %d: %s%s", r.Code, r.Stdout, r.Stderr)
		}
		for _, save := range []string{"cut", "whole"} {
			if stdout, stderr, code := launched(t, "", append([]string{"-n", "2", "cresset"}, append(args(save), "--resume")...)...); code != 0 || save == "cut" && !strings.Contains(stdout+stderr, "resumed from ") {
				t.Fatalf("exit %d: %s%s", code, stdout, stderr)
			}
		}
		losses, model := newest(t, filepath.Join(dir, "whole"))
		gotLosses, got := newest(t, filepath.Join(dir, "cut"))
		if !slices.Equal(gotLosses, losses) {
			t.Errorf("got losses %v, want %v", gotLosses, losses)
		}
		for name, x := range model {
			if !got[name].(*tensor.Tensor).Equal(x.(*tensor.Tensor)) {
				t.Errorf("%s is another", name)
			}
		}
	})
}

var killedSteps = flag.Int("killed-steps", 96, "how many steps TestRanksKilledAtRandom trains, of 12 at least")

// TestRanksKilledAtRandom kills one of two ranks again and again, and wants the losses and the weights of a training that nothing has disturbed, to the bit. CI's is short; by hand:
//
//	go test ./internal/cli -run RanksKilledAtRandom -killed-steps 10000 -timeout 1h -v
func TestRanksKilledAtRandom(t *testing.T) {
	if race.Enabled {
		t.Skip("TestRanksGoOn has ranks do the same at once")
	}
	steps, dir := *killedSteps, t.TempDir()
	often := max(steps/20, 12) // steps between two kills, of which a start makes half at an average
	args := func(program, save string, more ...string) []string {
		return append([]string{"-n", "2", "--restarts", "1000", "--grace", "1s", program, "train", "--distributed", "--model", "vit", "--width", "8", "--heads", "2", "--layers", "1", "--dropout", "0.1",
			"--samples", strconv.Itoa(8 * min(steps/2, 500)), "--epochs", strconv.Itoa(steps / min(steps/2, 500)), "--batch", "8", "--every", strconv.Itoa(often / 4), "--save", filepath.Join(dir, save)}, more...)
	}
	if stdout, stderr, code := launched(t, "", args("cresset", "whole")...); code != 0 {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	stdout, stderr, code := launched(t, fmt.Sprintf("random %d kill", often), args("faulty", "killed")...)
	kills := strings.Count(stderr, "all ranks start again")
	if code != 0 || kills < 5 {
		t.Fatalf("%d kills, exit %d: %s%s", kills, code, stdout, stderr)
	}
	wantLosses, want := newest(t, filepath.Join(dir, "whole"))
	gotLosses, got := newest(t, filepath.Join(dir, "killed"))
	if !slices.Equal(gotLosses, wantLosses) {
		t.Errorf("got losses %v, want %v", gotLosses, wantLosses)
	}
	for name, x := range want {
		if !got[name].(*tensor.Tensor).Equal(x.(*tensor.Tensor)) {
			t.Errorf("%s is another", name)
		}
	}
	t.Logf("%d steps, %d kills", steps, kills)
}

// TestRanksRefuse: what a tired person types.
func TestRanksRefuse(t *testing.T) {
	if race.Enabled {
		t.Skip("what is refused does nothing at once")
	}
	for want, c := range map[string]struct {
		code int
		args []string
	}{
		"a launcher has started this process as one of 2 ranks (WORLD_SIZE), and each would train a model of its own": {1, []string{"cresset", "train"}},
		"[0] cresset: rank 1: was started with seed 1, rank 0 with 0: all ranks need the same":                        {1, []string{"sh", "-c", "exec cresset train --distributed --samples 32 --seed $RANK"}},
		"[0] cresset: rank 1: was started with --save true, rank 0 with false":                                        {1, []string{"sh", "-c", "exec cresset train --distributed --samples 32 $([ $RANK = 0 ] || echo --save /nowhere)"}},
		"--batch 1 has less than a sample for each of 2 ranks":                                                        {1, []string{"cresset", "train", "--distributed", "--samples", "32", "--batch", "1"}},
		"has 1 GPUs for them": {1, []string{"env", "CRESSET_SIM=gtx1070:1", "cresset", "train", "--distributed", "--device", "cuda"}},
	} {
		if stdout, stderr, code := launched(t, "", append([]string{"-n", "2"}, c.args...)...); code != c.code || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit %d: %s%s, want %s", c.args, code, stdout, stderr, want)
		}
	}
	var stdout, stderr bytes.Buffer
	t.Setenv("RANK", "")
	if code := Run(t.Context(), []string{"train", "--distributed"}, &stdout, &stderr); code != exitFailed || !strings.Contains(stderr.String(), "nothing has started this process as one\nhint: put a launcher before it") {
		t.Errorf("exit %d: %s", code, &stderr)
	}
}
