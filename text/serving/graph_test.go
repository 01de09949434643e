package serving_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/text/serving"
)

// TestGraphsWriteAsSteps wants of an engine that replays its steps the tokens that each request gets alone, while requests join and leave, and few graphs for them.
func TestGraphsWriteAsSteps(t *testing.T) {
	if raceEnabled {
		t.Skip("a simulated GPU is slow under the race detector")
	}
	gpus := devicetest.Use(t, "h100:1")
	m := decoders(t, device.CUDA(0))["gemma2"] // of layers with and without a window
	e := start(t, m, serving.Options{CacheTokens: 96, StepTokens: 20, Graph: true})
	const count = 3
	got := make([][]int, count)
	var clients sync.WaitGroup
	for i := range count {
		clients.Go(func() {
			var err error
			if got[i], err = written(t.Context(), e, request(i)); err != nil {
				t.Errorf("request %d: %v", i, err)
			}
		})
	}
	clients.Wait()
	if gpus.Calls("cuGraphLaunch") == 0 {
		t.Error("nothing was replayed")
	}
	for i := range count {
		if want := alone(t, m, request(i)); !slices.Equal(got[i], want) {
			t.Errorf("request %d goes on with %v by graphs, with %v alone", i, got[i], want)
		}
	}
	if _, err := serving.New(decoders(t, device.CPU)["gpt2"], serving.Options{Graph: true}); err == nil || !strings.Contains(err.Error(), "a graph is work of a GPU, and the model is on cpu") {
		t.Errorf("graphs on the CPU: %v", err)
	}
}
