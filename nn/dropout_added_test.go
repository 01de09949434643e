package nn_test

import (
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/tensor"
)

// TestDropoutAddedToIsTheSum compares a linear layer, dropout and a residual with the ops one by one: plain, under Autocast and compiled, each with its gradients.
func TestDropoutAddedToIsTheSum(t *testing.T) {
	devicetest.Use(t, "1")
	for _, dev := range []device.Device{device.CPU, device.CUDA(0)} {
		tensor.ManualSeed(3)
		l, d := nn.NewLinear(12, 20, nn.On(dev)), nn.NewDropout(0.4)
		x, residual := tensor.On(dev).Randn(6, 12), tensor.On(dev).Randn(6, 20)
		byOps := func(in ...*tensor.Tensor) []*tensor.Tensor {
			return []*tensor.Tensor{in[1].Add(d.Forward(l.Forward(in[0])))}
		}
		atOnce := func(in ...*tensor.Tensor) []*tensor.Tensor {
			return []*tensor.Tensor{d.AddedTo(in[1], l.Forward(in[0]))}
		}
		for _, amp := range []bool{false, true} {
			run := func(f func(in ...*tensor.Tensor) []*tensor.Tensor) (all []*tensor.Tensor) {
				s := tensor.NewScope(tensor.Autocast(dtype.BFloat16, tensor.Enabled(amp)))
				t.Cleanup(s.Close)
				tensor.ManualSeed(8)
				a, b := x.Detach().SetRequiresGrad(true), residual.Detach().SetRequiresGrad(true)
				l.Weight.ZeroGrad()
				l.Bias.ZeroGrad()
				y := f(s.Enter(a), s.Enter(b))[0]
				y.Square().Sum().Backward()
				for _, g := range []*tensor.Tensor{y.Detach(), a.Grad(), b.Grad(), l.Weight.Grad(), l.Bias.Grad()} {
					all = append(all, g.CPU())
				}
				return all
			}
			want := run(byOps)
			compiled := tensor.Compile(atOnce)
			run(compiled) // records
			for name, got := range map[string][]*tensor.Tensor{"op by op": run(atOnce), "compiled": run(compiled)} {
				for i := range want {
					if got[i].DType() != want[i].DType() || !got[i].Equal(want[i]) {
						t.Errorf("%s, autocast %v, %s: result %d is %v, want %v", dev, amp, name, i, got[i], want[i])
					}
				}
			}
		}
	}
}

// TestDropoutAddedToWithoutDropping adds all of x in evaluation, and with a probability of 0.
func TestDropoutAddedToWithoutDropping(t *testing.T) {
	x, residual := tensor.Of([]float32{1, 2}), tensor.Of([]float32{10, 20})
	d := nn.NewDropout(0.5)
	nn.Eval(d)
	for _, d := range []*nn.Dropout{d, nn.NewDropout(0)} {
		if y := d.AddedTo(residual, x); !y.Equal(tensor.Of([]float32{11, 22})) {
			t.Errorf("%v: got %v", d, y)
		}
	}
}
