package optim_test

import (
	"maps"
	"slices"
	"testing"

	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// TestAveragedModel follows a weight that is 1, 2 and 4, and a buffer that is as large.
func TestAveragedModel(t *testing.T) {
	for name, c := range map[string]struct {
		opts           []optim.AveragedModelOption
		weight, buffer float64
	}{
		"mean":    {nil, 7.0 / 3, 4},
		"moving":  {[]optim.AveragedModelOption{optim.EMADecay(0.75)}, (1*0.75+2*0.25)*0.75 + 4*0.25, 4},
		"buffers": {[]optim.AveragedModelOption{optim.EMADecay(0.5), optim.UseBuffers(true)}, 2.75, 2.75},
	} {
		net := nn.NewBatchNorm1D(2)
		average := optim.NewAveragedModel(net, c.opts...)
		for _, v := range []float64{1, 2, 4} {
			net.Weight.Detach().FillInPlace(v)
			net.RunningMean.FillInPlace(v)
			net.NumBatchesTracked.FillInPlace(v)
			average.UpdateParameters(net)
		}
		if got := average.Module.Weight.Detach().Min().Float64(); !near(got, c.weight) {
			t.Errorf("%s: the weight is %v, want %v", name, got, c.weight)
		}
		if got := average.Module.RunningMean.Max().Float64(); !near(got, c.buffer) {
			t.Errorf("%s: the buffer is %v, want %v", name, got, c.buffer)
		}
		if got := average.Module.NumBatchesTracked.Float64(); got != 4 {
			t.Errorf("%s: the count is %v, want 4", name, got)
		}
		want := []string{"module.bias", "module.num_batches_tracked", "module.running_mean", "module.running_var", "module.weight", "n_averaged"}
		if got := slices.Sorted(maps.Keys(nn.State(average))); !slices.Equal(got, want) {
			t.Errorf("%s: the state has %v, want %v", name, got, want)
		}

		other := optim.NewAveragedModel(nn.NewBatchNorm1D(2), c.opts...)
		if err := nn.LoadState(other, nn.State(average)); err != nil {
			t.Fatal(err)
		}
		average.UpdateParameters(net)
		other.UpdateParameters(net)
		if !other.Module.Weight.Equal(average.Module.Weight) {
			t.Errorf("%s: goes on with %v, want %v", name, other.Module.Weight, average.Module.Weight)
		}
	}
	want := "Invalid decay value 1.5 provided. Please provide a value in [0,1] range."
	if err := tensor.Try(func() { optim.NewAveragedModel(nn.NewLinear(1, 1), optim.EMADecay(1.5)) }); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func near(a, b float64) bool { return a-b < 1e-6 && b-a < 1e-6 }
