package models_test

import (
	"fmt"
	"testing"

	"cresset/device"
	"cresset/dist"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/models"
	"cresset/models/gpt2"
	"cresset/models/llama"
	"cresset/nn"
	"cresset/nn/fsdp"
	"cresset/optim"
	"cresset/tensor"
)

// TestFullyShardedModels trains models of which two ranks keep parts, with tables that are used first and last, layers that are computed anew for gradients, and kernels that compute
// several ops, and wants the losses and norms of the whole model.
func TestFullyShardedModels(t *testing.T) {
	gpt, err := gpt2.New(gpt2.Config{Vocabulary: 13, Positions: 8, Width: 16, Layers: 3, Heads: 4, Hidden: 24})
	if err != nil {
		t.Fatal(err)
	}
	gpt.Body.GradientCheckpointing = true
	tied, err := llama.New(llama.Config{Vocabulary: 13, Width: 16, Hidden: 24, Layers: 3, Heads: 4, KeyValueHeads: 2, Positions: 8, Tied: true})
	if err != nil {
		t.Fatal(err)
	}
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for name, m := range map[string]models.Decoder{"gpt2": gpt, "llama": tied} {
			for _, low := range map[string][]bool{"gpt2": {false, true}, "llama": {false}}[name] {
				copied := func() models.Decoder {
					return nn.To(nn.Copy(m, func(x *tensor.Tensor) *tensor.Tensor { return tensor.Parameter(x.Detach().Clone()) }), dev)
				}
				alone, ranks := copied(), []models.Decoder{copied(), copied()}
				want := learnOn(dev, low, nn.ParameterList(alone), alone.Forward, func() float64 { return nn.ClipGradNorm(nn.Parameters(alone), 0.5) })
				err := dist.Spawn(2, func(g *dist.Group) error {
					model, err := fsdp.NewFullyShardedDataParallel(ranks[g.Rank()], g)
					if err != nil {
						return err
					}
					got := learnOn(dev, low, nn.ParameterList(model), model.Forward, func() float64 { return model.ClipGradNorm(0.5) })
					if !got.AllClose(want, 1e-4, 1e-4) {
						return fmt.Errorf("losses and norms\n%v, of the whole model\n%v", got, want)
					}
					return nil
				})
				if err != nil {
					t.Errorf("%s, autocast %t: %v", name, low, err)
				}
			}
		}
	})
}

// learnOn trains, and returns losses and norms of gradients.
func learnOn(dev device.Device, low bool, ps []*tensor.Tensor, forward func(ids *tensor.Tensor) *tensor.Tensor, clip func() float64) *tensor.Tensor {
	ids := tensor.Of([][]int{{0, 3, 9, 12, 1}, {10, 9, 5, 5, 2}}).To(dev)
	opt := optim.NewAdamW(func(yield func(string, *tensor.Tensor) bool) {
		for _, p := range ps {
			if !yield("", p) {
				return
			}
		}
	}, optim.LR(0.01))
	var seen []float64
	for range 2 {
		s := tensor.NewScope(tensor.Autocast(dtype.BFloat16, tensor.Enabled(low)))
		opt.ZeroGrad()
		loss := tensor.CrossEntropy(forward(s.Enter(ids)).Flatten(0, 1).Float(), ids.Flatten(0, 1))
		loss.Backward()
		seen = append(seen, loss.Float64(), clip())
		opt.Step()
		s.Close()
	}
	return tensor.FromSlice(seen)
}
