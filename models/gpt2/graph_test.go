package gpt2_test

import (
	"slices"
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/race"
	"cresset/models/gpt2"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// TestTrainsAsAGraph: after a step that runs eagerly, five that a graph replays have the bits of eager ones: dropout before, in and behind attention
// draws on, and AdamW counts.
func TestTrainsAsAGraph(t *testing.T) {
	if race.Enabled {
		t.Skip("it looks at values, and the interpreter is slow under the race detector")
	}
	t.Run("float32", func(t *testing.T) { trainsAsAGraph(t, "a100") })
	t.Run("bfloat16", func(t *testing.T) { trainsAsAGraph(t, "h100:1", tensor.Autocast(dtype.BFloat16)) })
}

func trainsAsAGraph(t *testing.T, gpu string, scope ...tensor.ScopeOption) {
	devicetest.Use(t, gpu)
	dev := device.CUDA(0)
	const steps, batch, tokens = 6, 2, 6
	run := func(graphed bool) (losses []float64, weights []float32) {
		tensor.ManualSeed(3)
		m, err := gpt2.New(gpt2.Config{
			Vocabulary: 11, Width: 8, Layers: 1, Heads: 2, Positions: tokens, EmbedDropout: 0.1, AttentionDropout: 0.2, ResidualDropout: 0.1,
		}, nn.On(dev))
		if err != nil {
			t.Fatal(err)
		}
		opt := optim.NewAdamW(nn.Parameters(m), optim.LR(0.01), optim.For(isMatrix, optim.WeightDecay(0.1)))
		schedule := optim.NewExponentialLR(opt, 0.8)
		x, y := tensor.On(dev).As(dtype.Int64).Zeros(batch, tokens), tensor.On(dev).As(dtype.Int64).Zeros(batch, tokens)
		var loss *tensor.Tensor
		step := func() error {
			s := tensor.NewScope(scope...)
			defer s.Close()
			opt.ZeroGrad()
			loss = s.Keep(tensor.CrossEntropy(m.Forward(s.Enter(x)).Flatten(0, 1), y.Flatten(0, 1)))
			loss.Backward()
			nn.ClipGradNormOnDevice(nn.Parameters(m), 0.5)
			opt.Step()
			return nil
		}
		next := step
		for n := range steps {
			if graphed && n == 1 {
				g, err := cuda.Capture(step)
				if err != nil {
					t.Fatal(err)
				}
				defer g.Close()
				next = g.Replay
			}
			ids := tensor.Arange(n, n+batch*tokens, 1).RemainderScalar(11).View(batch, tokens)
			x.CopyInPlace(ids)
			y.CopyInPlace(ids.AddScalar(1).RemainderScalar(11))
			if err := next(); err != nil {
				t.Fatal(err)
			}
			losses = append(losses, loss.Float64())
			schedule.Step()
		}
		for _, p := range nn.Parameters(m) {
			weights = append(weights, tensor.Values[float32](p.Detach())...)
		}
		return losses, weights
	}
	losses, weights := run(false)
	graphed, own := run(true)
	if !slices.Equal(graphed, losses) {
		t.Errorf("losses are %v, want %v", graphed, losses)
	}
	if !slices.Equal(own, weights) {
		t.Error("weights are other than those of eager steps")
	}
}
