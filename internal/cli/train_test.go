package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cresset/checkpoint"
	"cresset/data"
	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/internal/race"
	"cresset/nn"
)

// run runs the command in this process and returns what it prints on stdout.
func run(t *testing.T, ctx context.Context, want int, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if got := Run(ctx, args, &stdout, &stderr); got != want {
		t.Fatalf("cresset %s: exit code %d, want %d\n%s", strings.Join(args, " "), got, want, &stderr)
	}
	return stdout.String()
}

// trained runs cresset train --json.
func trained(t *testing.T, args ...string) (r pictureResult) {
	t.Helper()
	out := run(t, t.Context(), exitOK, append([]string{"train", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	return r
}

// TestDefaultRunLearns wants what cresset train promises without flags.
func TestDefaultRunLearns(t *testing.T) {
	skipLong(t)
	r := trained(t)
	if *r.TestAccuracy < 0.95 {
		t.Errorf("accuracy %v, want 0.95 or more", *r.TestAccuracy)
	}
	if r.Epochs != 3 || len(r.Accuracies) != 3 || r.Train != 8000 || r.Test != 2000 {
		t.Errorf("got %d epochs (%v) of %d samples, judged on %d", r.Epochs, r.Accuracies, r.Train, r.Test)
	}
}

// TestDefaultRunIsCheap counts the multiply-adds of the default run: a training step has one forward pass and a backward
// pass of at most twice that, a judgement one forward pass.
func TestDefaultRunIsCheap(t *testing.T) {
	const train, test, epochs = 8000, 2000, 3
	net, err := form{model: "mlp", height: data.GlyphSize, width: data.GlyphSize, classes: 10}.build(device.CPU)
	if err != nil {
		t.Fatal(err)
	}
	macs := 0
	for _, m := range net.(*nn.Sequential).Modules {
		switch m := m.(type) {
		case *nn.Linear:
			macs += m.Weight.NumEl()
		case *nn.Flatten, *nn.ReLU:
		default:
			t.Fatalf("what does a %T cost?", m)
		}
	}
	if total := epochs * (3*train + test) * macs; total > 10e9 {
		t.Errorf("the default run takes %.1f GMAC, want at most 10", float64(total)/1e9)
	}
}

// skipLong leaves out a training on thousands of digits; the short ones take the same path.
func skipLong(t *testing.T) {
	t.Helper()
	if testing.Short() || race.Enabled {
		t.Skip("a long training: not with -short or -race")
	}
}

func TestTrainOnMNIST(t *testing.T) {
	skipLong(t)
	root := os.Getenv("CRESSET_DATA")
	if root == "" {
		t.Skip("CRESSET_DATA names no directory of data sets")
	}
	r := trained(t, "--data", filepath.Join(root, "mnist"), "--epochs", "3")
	if *r.TestAccuracy < 0.93 {
		t.Errorf("accuracy %v after 3 epochs of MNIST, want 0.93 or more", *r.TestAccuracy)
	}
}

func TestEqualSeedsGiveEqualRuns(t *testing.T) {
	devicetest.JudgesValues(t)
	args := []string{"--samples", "256", "--epochs", "2", "--seed", "7"}
	a, b := trained(t, args...), trained(t, args...)
	if *a.TrainLoss != *b.TrainLoss || !slices.Equal(a.Accuracies, b.Accuracies) {
		t.Errorf("seed 7 gives a loss of %v, then of %v", *a.TrainLoss, *b.TrainLoss)
	}
	if c := trained(t, append(args, "--seed=8")...); *c.TrainLoss == *a.TrainLoss {
		t.Errorf("seeds 7 and 8 both give a loss of %v", *a.TrainLoss)
	}
}

// TestInterruptedBeforeTheFirstBatch wants a summary of nothing.
func TestInterruptedBeforeTheFirstBatch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var r pictureResult
	if err := json.Unmarshal([]byte(run(t, ctx, exitInterrupted, "train", "--json", "--samples", "64")), &r); err != nil {
		t.Fatal(err)
	}
	if !r.Interrupted || r.Epochs != 0 || r.TrainLoss != nil || r.TestAccuracy != nil || r.WorstClass != nil {
		t.Errorf("got %+v", r)
	}
	out := run(t, ctx, exitInterrupted, "train", "--samples", "64")
	if !strings.Contains(out, "interrupted  after 0 finished epochs, 0 batches\n") || strings.Contains(out, "accuracy") {
		t.Errorf("got %s", out)
	}
}

func TestImagesTooSmallForTheCNN(t *testing.T) {
	_, err := form{model: "cnn", height: 3, width: 28, classes: 10}.build(device.CPU)
	var stderr bytes.Buffer
	const want = "cresset: the cnn needs images of at least 4x4, not 3x28\nhint: --model mlp takes images of any size\n"
	if code := report(&stderr, err); code != exitFailed || stderr.String() != want {
		t.Errorf("exit code %d, %s", code, &stderr)
	}
}

// broken is a pipe that nobody reads.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestOutputThatCannotBeWritten(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}, {"train", "--help"}, {"version"}, {"version", "--json"}, {"devices"}, {"devices", "--json"},
		{"train", "--samples", "64"}, {"train", "--samples", "64", "--json"}} {
		var stderr bytes.Buffer
		if code := Run(t.Context(), args, broken{}, &stderr); code != exitFailed || !strings.HasSuffix(stderr.String(), "cresset: broken pipe\n") {
			t.Errorf("%v: exit code %d, %s", args, code, &stderr)
		}
	}
	// Progress is not what was asked for.
	if code := Run(t.Context(), []string{"train", "--samples", "64", "--json"}, new(bytes.Buffer), broken{}); code != exitOK {
		t.Errorf("exit code %d where stderr is closed", code)
	}
}

// TestResumedRunsAreEqual goes on from every snapshot of a run, within an epoch too, and wants the losses and the accuracies of one
// that was not interrupted.
func TestResumedRunsAreEqual(t *testing.T) {
	args := []string{"--samples", "200", "--epochs", "2", "--seed", "7"}
	want := trained(t, args...)
	whole := t.TempDir()
	if r := trained(t, append(args, "--save", whole, "--every", "1", "--keep", "100")...); *r.TrainLoss != *want.TrainLoss {
		t.Errorf("a run that is saved has a loss of %v, want %v", *r.TrainLoss, *want.TrainLoss)
	}
	files, err := filepath.Glob(filepath.Join(whole, "*.pt"))
	if err != nil || len(files) != 1+2*(4+1) {
		t.Fatalf("%d snapshots, %v", len(files), err)
	}
	if race.Enabled {
		files = files[:1] // the goroutines are the same
	}
	for _, file := range files {
		dir := t.TempDir()
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(file)), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		if r := trained(t, append(args, "--save", dir, "--resume")...); *r.TrainLoss != *want.TrainLoss || !slices.Equal(r.Accuracies, want.Accuracies) {
			t.Errorf("resumed from %s: a loss of %v and accuracies of %v, want %v and %v", filepath.Base(file), *r.TrainLoss, r.Accuracies,
				*want.TrainLoss, want.Accuracies)
		}
	}
}

// TestFolderOfAnotherTraining wants a training refused before its first batch, and the other's files left alone.
func TestFolderOfAnotherTraining(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	other, value := checkpoint.NewSnapshots(dir), 1
	defer other.Close()
	if err := other.Save(checkpoint.Snapshot{"value": &value}); err != nil {
		t.Fatal(err)
	}
	draft := filepath.Join(dir, ".snapshot-000002.pt.1-00.tmp")
	if err := os.WriteFile(draft, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, resume := range []string{"--resume=true", "--resume=false"} {
		var stderr bytes.Buffer
		code := Run(t.Context(), []string{"train", "--samples", "64", "--save", dir, resume}, new(bytes.Buffer), &stderr)
		if want := "cresset: " + dir + ": another process writes snapshots there\n"; code != exitFailed || stderr.String() != want {
			t.Errorf("%s: exit code %d, %s, want %s", resume, code, &stderr, want)
		}
	}
	if files, err := os.ReadDir(dir); len(files) != 3 || err != nil { // with the lock
		t.Errorf("the folder holds %v, %v", files, err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	code := Run(t.Context(), []string{"train", "--samples", "64", "--save", dir, "--resume"}, new(bytes.Buffer), &stderr)
	want := "snapshot-000001.pt: Error(s) in loading state_dict for Snapshot: Missing key(s) in state_dict: \"config\", "
	if code != exitFailed || !strings.Contains(stderr.String(), want) || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("a snapshot of another program: exit code %d, %s, want %s", code, &stderr, want)
	}
}
