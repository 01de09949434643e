package cli

import (
	"bytes"
	"strings"
	"testing"

	"cresset/internal/devicetest"
	"cresset/internal/race"
)

// TestTrainingAsGraphs wants of replays the losses of eager steps: with dropout, clipped gradients, batches in parts and mixed precision, and of pictures whose last batch is smaller.
func TestTrainingAsGraphs(t *testing.T) {
	if race.Enabled {
		t.Skip("a simulated GPU is slow under the race detector")
	}
	gpus := devicetest.Use(t, "h100:1")
	args := []string{"--device", "cuda:0", "--batch", "2", "--steps", "3", "--judge-every", "3", "--dropout", "0.1", "--accumulate", "2", "--amp", "f16"}
	want, before := read(t, args...), gpus.Calls("cuGraphLaunch")
	got := read(t, append(args, "--graph")...)
	if *got.TrainLoss != *want.TrainLoss || *got.TestLoss != *want.TestLoss || got.Sample != want.Sample {
		t.Errorf("text: losses of %v and %v, want %v and %v", *got.TrainLoss, *got.TestLoss, *want.TrainLoss, *want.TestLoss)
	}
	if n := gpus.Calls("cuGraphLaunch") - before; n != 2 {
		t.Errorf("%d steps of 3 were graphs, want all but the first", n)
	}
	pictures := func(more ...string) (loss, accuracy float64) {
		r := trained(t, append([]string{"--device", "cuda:0", "--samples", "10", "--batch", "4", "--amp", "bf16", "--epochs", "1"}, more...)...)
		return *r.TrainLoss, *r.TestAccuracy
	}
	loss, accuracy := pictures()
	before = gpus.Calls("cuGraphInstantiateWithFlags")
	if l, a := pictures("--graph"); l != loss || a != accuracy {
		t.Errorf("pictures: a loss of %v and an accuracy of %v, want %v and %v", l, a, loss, accuracy)
	}
	if n := gpus.Calls("cuGraphInstantiateWithFlags") - before; n != 2 {
		t.Errorf("%d graphs for batches of 4 and of 2", n)
	}
}

// TestTrainingRefusesGraphs says in a sentence what has no graphs.
func TestTrainingRefusesGraphs(t *testing.T) {
	for text, args := range map[string][]string{
		"--graph is for a GPU, not for --device cpu": {"--graph"},
		"ranks meet on the host within a step":       {"--graph", "--device", "cuda:0", "--distributed"},
		"so that --graph has nothing to replay":      {"--graph", "--plan"},
	} {
		var stdout, stderr bytes.Buffer
		if code := Run(t.Context(), append([]string{"train"}, args...), &stdout, &stderr); code != exitUsage || !strings.Contains(stderr.String(), text) {
			t.Errorf("%v: exit code %d, %q does not say %q", args, code, &stderr, text)
		}
	}
}
