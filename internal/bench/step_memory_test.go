package bench

import (
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/models/gpt2"
	"cresset/nn"
	"cresset/nn/plan"
	"cresset/optim"
	"cresset/tensor"
)

// TestStepsTakeLittleMemory holds the peaks of training steps against those of PyTorch 2.15 by its own MemTracker (scripts/torch_memory.py), in float32 and by autocast.
func TestStepsTakeLittleMemory(t *testing.T) {
	characters := func(layers, heads, width, block int) gpt2.Config {
		return gpt2.Config{Vocabulary: 65, Positions: block, Width: width, Layers: layers, Heads: heads, Activation: "gelu"}
	}
	for _, c := range []struct {
		name  string
		sizes gpt2.Config
		batch int
		bf16  bool
		torch float64 // MiB
		most  float64 // of that
	}{
		{"train/gpt_4x128", characters(4, 4, 128, 64), 12, false, 35.53, 0.93},
		{"train/gpt_4x128_bf16", characters(4, 4, 128, 64), 12, true, 25.79, 0.94},
		{"train/gpt_6x384", characters(6, 6, 384, 256), 4, false, 277.36, 0.92},
		{"train/gpt_6x384_bf16", characters(6, 6, 384, 256), 4, true, 231, 0.97},
		{"train/gpt2_small", gpt2Small, 4, false, 6110.97, 0.79},
		{"train/gpt2_small_bf16", gpt2Small, 4, true, 5333, 0.88},
	} {
		ids := tensor.On(device.Meta).As(dtype.Int64)
		net := gpt(c.sizes, nn.On(device.Meta))
		e, err := plan.Step(net, optim.NewAdamW(nn.Parameters(net)), []*tensor.Tensor{ids.Empty(c.batch, c.sizes.Positions), ids.Empty(c.batch * c.sizes.Positions)},
			func(net *gpt2.Model, batch []*tensor.Tensor) *tensor.Tensor {
				s := tensor.NewScope(tensor.Autocast(dtype.BFloat16, tensor.Enabled(c.bf16)))
				return tensor.CrossEntropy(net.Forward(s.Enter(batch[0])).Flatten(0, 1), batch[1])
			}, tensor.ReleaseSaved(true))
		if err != nil {
			t.Fatal(err)
		}
		if share := float64(e.Peak) / (1 << 20) / c.torch; share > c.most {
			t.Errorf("%s takes %.3f of PyTorch's memory, %.2f MiB, want %v at most", c.name, share, share*c.torch, c.most)
		} else {
			t.Logf("%s: %.3f of PyTorch's %.1f MiB", c.name, share, c.torch)
		}
	}
}
