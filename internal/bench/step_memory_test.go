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

// TestStepsTakeLittleMemory holds the peaks of training steps against those of PyTorch 2.15 by its own MemTracker (scripts/torch_memory.py).
func TestStepsTakeLittleMemory(t *testing.T) {
	for _, c := range []struct {
		name  string
		sizes gpt2.Config
		batch int
		torch float64 // MiB
		most  float64 // of that
	}{
		{"train/gpt_4x128", gpt2.Config{Vocabulary: 65, Positions: 64, Width: 128, Layers: 4, Heads: 4, Activation: "gelu"}, 12, 35.53, 1.1},
		{"train/gpt_6x384", gpt2.Config{Vocabulary: 65, Positions: 256, Width: 384, Layers: 6, Heads: 6, Activation: "gelu"}, 4, 277.36, 1.1},
		{"train/gpt2_small", gpt2.Config{Vocabulary: 50257, Positions: 1024, Width: 768, Layers: 12, Heads: 12}, 4, 6110.97, 0.92},
	} {
		ids := tensor.On(device.Meta).As(dtype.Int64)
		net := gpt(c.sizes, nn.On(device.Meta))
		e, err := plan.Step(net, optim.NewAdamW(nn.Parameters(net)), []*tensor.Tensor{ids.Empty(c.batch, c.sizes.Positions), ids.Empty(c.batch * c.sizes.Positions)},
			func(net *gpt2.Model, batch []*tensor.Tensor) *tensor.Tensor {
				return tensor.CrossEntropy(net.Forward(batch[0]).Flatten(0, 1), batch[1])
			}, tensor.ReleaseSaved(true))
		if err != nil {
			t.Fatal(err)
		}
		if share := float64(e.Peak) / (1 << 20) / c.torch; share > c.most {
			t.Errorf("%s takes %.2f of PyTorch's memory, %.2f MiB, want %v at most", c.name, share, share*c.torch, c.most)
		} else {
			t.Logf("%s: %.2f of PyTorch's %.1f MiB", c.name, share, c.torch)
		}
	}
}
