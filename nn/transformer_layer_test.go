package nn_test

import (
	"math"
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/tensor"
)

// TestTransformerLayersAddAsTheOpsDo compares layers with the ops that they stand for, and gradients, bit by bit: with dropouts that do nothing GPUs add
// what attention has made to what follows it as the product stores that.
func TestTransformerLayersAddAsTheOpsDo(t *testing.T) {
	devicetest.RunValues(t, func(t *testing.T, dev device.Device) {
		for _, first := range []bool{false, true} {
			for _, training := range []bool{false, true} {
				tensor.ManualSeed(4)
				l := nn.NewTransformerEncoderLayer(6, 2, nn.FeedForward(10), nn.NormFirst(first), nn.DropoutP(0), nn.On(dev))
				if !training {
					nn.Eval(l)
				}
				byOps := func(x *tensor.Tensor) *tensor.Tensor {
					f := func(x *tensor.Tensor) *tensor.Tensor {
						return x.Linear(l.Linear1.Weight, l.Linear1.Bias).ReLU().Linear(l.Linear2.Weight, l.Linear2.Bias)
					}
					if first {
						y := l.Norm1.Forward(x)
						x = x.Add(l.SelfAttention.Forward(y, y, y))
						return x.Add(f(l.Norm2.Forward(x)))
					}
					x = l.Norm1.Forward(x.Add(l.SelfAttention.Forward(x, x, x)))
					return l.Norm2.Forward(x.Add(f(x)))
				}
				input := tensor.Randn(5, 3, 6).To(dev)
				var want []*tensor.Tensor
				for i, forward := range []func(x *tensor.Tensor) *tensor.Tensor{byOps, func(x *tensor.Tensor) *tensor.Tensor { return l.Forward(x) }} {
					nn.ZeroGrad(l)
					x := tensor.Parameter(input)
					y := forward(x)
					y.Square().Sum().Backward()
					got := []*tensor.Tensor{y.Detach(), x.Grad()}
					for _, p := range nn.Parameters(l) {
						got = append(got, p.Grad())
					}
					if i == 0 {
						want = got
						continue
					}
					for k := range want {
						if !got[k].Equal(want[k]) {
							t.Errorf("norms first: %v, training: %v: number %d is %v, want %v", first, training, k, got[k], want[k])
						}
					}
				}
			}
		}
	})
}

// TestTransformersTrainAsPyTorchsDo compares trainings with dropout with the losses of PyTorch 2.15 for the same seed: weights, the masks of attention and of the dropouts
// behind it, which draw in the order of memory, and gradients are its own.
func TestTransformersTrainAsPyTorchsDo(t *testing.T) {
	for _, c := range []struct {
		batchFirst, normFirst bool
		losses                []float64
	}{
		{false, false, []float64{0.704887, 0.646062, 0.604327, 0.546814, 0.536773}},
		{false, true, []float64{0.693495, 0.642296, 0.604507, 0.546021, 0.545863}},
		{true, false, []float64{0.701219, 0.644589, 0.580844, 0.541126, 0.537306}},
		{true, true, []float64{0.693779, 0.651422, 0.586937, 0.540132, 0.535183}},
	} {
		tensor.ManualSeed(0)
		m := nn.NewTransformer(8, 2, 2, 1, nn.FeedForward(12), nn.DropoutP(0.2), nn.BatchFirst(c.batchFirst), nn.NormFirst(c.normFirst))
		source, target := tensor.Randn(7, 5, 8), tensor.Randn(6, 5, 8)
		if c.batchFirst {
			source, target = source.Transpose(0, 1).Contiguous(), target.Transpose(0, 1).Contiguous()
		}
		mask := nn.SquareSubsequentMask(6, tensor.Like(target))
		for step, want := range c.losses {
			nn.ZeroGrad(m)
			loss := tensor.MSELoss(m.Forward(source, target, nn.AttentionMask(mask)), target.MulScalar(0.3))
			if got := loss.Float64(); math.Abs(got-want) > 1e-5 {
				t.Errorf("batch first: %v, norms first: %v: loss %d is %v, want %v", c.batchFirst, c.normFirst, step, got, want)
			}
			loss.Backward()
			for _, p := range nn.Parameters(m) {
				p.Detach().AddScaledInPlace(p.Grad(), -0.1)
			}
		}
	}
}
