package cli

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cresset/data"
	"cresset/internal/devicetest"
	"cresset/text/tokenizer"
)

// read runs cresset train --model gpt --json with a small model.
func read(t *testing.T, args ...string) (r textResult) {
	t.Helper()
	small := []string{"train", "--model", "gpt", "--json", "--layers", "2", "--heads", "2", "--width", "16", "--context", "8"}
	out := run(t, t.Context(), exitOK, append(small, args...)...)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	return r
}

// TestResumedReadingsAreEqual goes on from every snapshot of a run that draws random numbers in its layers, and wants the same losses and the same text.
func TestResumedReadingsAreEqual(t *testing.T) {
	devicetest.JudgesValues(t)
	args := []string{"--batch", "2", "--accumulate", "2", "--dropout", "0.1", "--gradient-checkpointing", "--steps", "5", "--judge-every", "2"}
	want := read(t, args...)
	whole := t.TempDir()
	if r := read(t, append(args, "--save", whole, "--every", "1", "--keep", "100")...); *r.TrainLoss != *want.TrainLoss {
		t.Errorf("a run that is saved has a loss of %v, want %v", *r.TrainLoss, *want.TrainLoss)
	}
	files, err := filepath.Glob(filepath.Join(whole, "*.pt"))
	if err != nil || len(files) != 1+5+3 {
		t.Fatalf("%d snapshots, %v", len(files), err)
	}
	for _, file := range files {
		dir := t.TempDir()
		content, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(file)), content, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		r := read(t, append(args, "--save", dir, "--resume")...)
		if *r.TrainLoss != *want.TrainLoss || *r.TestLoss != *want.TestLoss || r.Sample != want.Sample {
			t.Errorf("resumed from %s: losses of %v and %v and the text %q, want %v, %v and %q", filepath.Base(file), *r.TrainLoss, *r.TestLoss, r.Sample,
				*want.TrainLoss, *want.TestLoss, want.Sample)
		}
	}
}

// TestResumedReadingsTakeMoreSteps goes on for longer than was planned, where how often the model is judged was not told.
func TestResumedReadingsTakeMoreSteps(t *testing.T) {
	args := []string{"train", "--model", "gpt", "--layers", "1", "--heads", "2", "--width", "16", "--context", "8", "--batch", "2", "--save", t.TempDir()}
	run(t, t.Context(), exitOK, append(args, "--steps", "5")...)
	var stdout, stderr bytes.Buffer
	code := Run(t.Context(), append(args, "--steps", "15", "--resume"), &stdout, &stderr)
	told := stdout.String() + stderr.String()
	if code != exitOK || strings.Count(told, "test loss") != 10 || strings.Contains(told, "NaN") {
		t.Errorf("exit code %d, and ten judgements are expected in\n%s", code, told)
	}
}

// TestWhatSavesMemoryChangesNoNumber wants equal losses where layers are computed again for their gradients, and near ones where a batch is cut.
func TestWhatSavesMemoryChangesNoNumber(t *testing.T) {
	devicetest.JudgesValues(t)
	args := []string{"--batch", "4", "--steps", "4", "--judge-every", "4"}
	want := read(t, args...)
	if r := read(t, append(args, "--gradient-checkpointing")...); *r.TestLoss != *want.TestLoss {
		t.Errorf("a loss of %v with checkpoints, %v without", *r.TestLoss, *want.TestLoss)
	}
	if r := read(t, append(args, "--batch", "2", "--accumulate", "2")...); math.Abs(*r.TestLoss-*want.TestLoss) > 1e-4 {
		t.Errorf("a loss of %v from batches in two parts, %v from whole ones", *r.TestLoss, *want.TestLoss)
	}
}

// TestReadingLearns trains on a text in which each character follows from the one before.
func TestReadingLearns(t *testing.T) {
	devicetest.JudgesValues(t)
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("abcdefg\n", 50)), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"chars", "bpe"} {
		args := []string{"--text", text, "--steps", "100", "--lr", "0.01", "--tokenizer", kind}
		if kind == "bpe" {
			args = append(args, "--vocab", "258")
		}
		r := read(t, args...)
		if *r.TestLoss > 0.1 || !strings.HasPrefix(r.Sample, "abcdefg\nabcdefg\nabc") {
			t.Errorf("%s: a loss of %v, and it writes %q", kind, *r.TestLoss, r.Sample)
		}
	}
}

// TestDefaultReadingIsCheap counts the operations of cresset train --model gpt without flags, which have to take about a minute on two cores, and trains
// for a few of its steps.
func TestDefaultReadingIsCheap(t *testing.T) {
	skipLong(t)
	var r textResult
	out := run(t, t.Context(), exitOK, "train", "--model", "gpt", "--json", "--steps", "30", "--judge-every", "30")
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if *r.TestLoss > 3.3 || r.Tokenizer != "chars" || r.Vocabulary != 62 || len(r.Sample) < 300 {
		t.Errorf("after 30 steps a loss of %v, %d %s, %q", *r.TestLoss, r.Vocabulary, r.Tokenizer, r.Sample)
	}
	perToken := r.GFLOPS * 1e9 / r.Rate
	if all := perToken * usualSteps * float64(r.Batch*r.Context); all > 6.5e12 {
		t.Errorf("the default run takes %.2g operations, want at most 6.5e12", all)
	}
}

// TestPiecesOfATextHaveItsTokens compares the tokens of a long text that is read in pieces with those of all of it.
func TestPiecesOfATextHaveItsTokens(t *testing.T) {
	plays := data.Plays()
	words, err := tokenizer.Train(plays[:50000], 400)
	if err != nil {
		t.Fatal(err)
	}
	text := plays[:200000] + strings.Repeat("\n \n", 40000) + "one long line " + strings.Repeat("x", 70000)
	got, err := encode(words, text)
	if err != nil {
		t.Fatal(err)
	}
	want, err := words.Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(ints(got), want.IDs) {
		t.Errorf("%d tokens in pieces, %d in one", len(got), len(want.IDs))
	}
}
