package serving_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/internal/race"
	"cresset/models"
	"cresset/text/serving"
)

// TestFixedStepsWriteAsSteps wants of engines whose steps are compiled, replayed, or both, the tokens that each request gets alone, while requests join and leave.
func TestFixedStepsWriteAsSteps(t *testing.T) {
	if race.Enabled {
		t.Skip("a simulated GPU is slow under the race detector")
	}
	gpus := devicetest.Use(t, "h100:1")
	onGPU, onCPU := decoders(t, device.CUDA(0))["gemma2"], decoders(t, device.CPU)["gemma2"] // of layers with and without a window
	for _, c := range []struct {
		name           string
		model          models.Decoder
		compile, graph bool
		requests       int
	}{
		{"compiled, on the CPU", onCPU, true, false, 8},
		{"as graphs", onGPU, false, true, 3},
		{"compiled, as graphs", onGPU, true, true, 3},
	} {
		e := start(t, c.model, serving.Options{CacheTokens: 96, StepTokens: 20, Compile: c.compile, Graph: c.graph})
		before, got := gpus.Calls("cuGraphLaunch"), make([][]int, c.requests)
		var clients sync.WaitGroup
		for i := range got {
			clients.Go(func() {
				var err error
				if got[i], err = written(t.Context(), e, request(i)); err != nil {
					t.Errorf("%s, request %d: %v", c.name, i, err)
				}
			})
		}
		clients.Wait()
		if replays := gpus.Calls("cuGraphLaunch") - before; (replays > 0) != c.graph {
			t.Errorf("%s: %d replays", c.name, replays)
		}
		for i := range got {
			if want := alone(t, c.model, request(i)); !slices.Equal(got[i], want) {
				t.Errorf("%s: request %d goes on with %v, with %v alone", c.name, i, got[i], want)
			}
		}
	}
	if _, err := serving.New(decoders(t, device.CPU)["gpt2"], serving.Options{Graph: true}); err == nil || !strings.Contains(err.Error(), "a graph is work of a GPU, and the model is on cpu") {
		t.Errorf("graphs on the CPU: %v", err)
	}
}
