package nn_test

import (
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
