package tensor_test

import (
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend/cuda"
	"cresset/internal/driver"
	"cresset/internal/driver/sim"
	"cresset/internal/hardware"
	"cresset/internal/race"
	"cresset/tensor"
)

// countingLaunches makes the GPU a simulated one, and counts its launches. The race detector skips the test: what one goroutine launches, and
// computes on another card, is no different with it.
func countingLaunches(t *testing.T, card string) (launches *int) {
	t.Helper()
	if race.Enabled {
		t.Skip("a simulated GPU is slow under the race detector")
	}
	m, err := hardware.Preset(card, 1)
	if err != nil {
		t.Fatal(err)
	}
	d := sim.New(m, sim.Options{LookupEnv: func(string) (string, bool) { return "", false }})
	launches = new(int)
	launch := d.API.LaunchKernel
	d.API.LaunchKernel = func(ctx driver.Context, f driver.Function, grid, block driver.Dim, shared uint32, s driver.Stream, params []byte) driver.Result {
		*launches++
		return launch(ctx, f, grid, block, shared, s, params)
	}
	t.Cleanup(cuda.UseDriver(d.API))
	return launches
}

// TestFeedForwardTakesFewerLaunches counts those of layers and their gradients, computed at once and op by op.
func TestFeedForwardTakesFewerLaunches(t *testing.T) {
	launches := countingLaunches(t, "a100")
	counts := func(forward func(activation, []*tensor.Tensor) *tensor.Tensor, bias, gated bool) (there, back int) {
		in := feedForwardOperands(device.CUDA(0), dtype.Float32, bias, gated)
		dy := tensor.OnesLike(in[0])
		*launches = 0
		y := forward((*tensor.Tensor).SiLU, in)
		there = *launches
		y.Backward(tensor.Gradient(dy))
		return there, *launches - there
	}
	want := map[string][4]int{ // at once and op by op: forward, then backward
		"two layers":                {2, 7, 3, 7}, // the activation is made again
		"two layers and a residual": {2, 6, 4, 6},
		"gated":                     {3, 7, 5, 10},
		"gated and a residual":      {3, 8, 6, 11},
	}
	for _, c := range feedForwardCases {
		w, listed := want[c.name]
		if !listed {
			continue
		}
		there, back := counts(c.fused, c.bias, c.wide)
		thereOps, backOps := counts(c.both, c.bias, c.wide)
		if got := [4]int{there, back, thereOps, backOps}; got != w {
			t.Errorf("%s: %v launches, want %v", c.name, got, w)
		}
	}
}
