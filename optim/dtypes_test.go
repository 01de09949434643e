package optim_test

import (
	"iter"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/optim"
	"cresset/tensor"
)

// algorithms are all but Muon, which is for matrices, and LBFGS. The learning rate is one that bfloat16 can tell from none.
var algorithms = map[string]func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer{
	"SGD": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
		return optim.NewSGD(ps, optim.Momentum(0.9))
	},
	"Adam": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
		return optim.NewAdam(ps, optim.AMSGrad(true), optim.LR(0.1))
	},
	"AdamW":  func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer { return optim.NewAdamW(ps, optim.LR(0.1)) },
	"Adamax": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer { return optim.NewAdamax(ps) },
	"NAdam":  func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer { return optim.NewNAdam(ps) },
	"RAdam":  func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer { return optim.NewRAdam(ps) },
	"RMSprop": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
		return optim.NewRMSprop(ps, optim.Centered(true))
	},
	"Adagrad":   func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer { return optim.NewAdagrad(ps) },
	"Adadelta":  func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer { return optim.NewAdadelta(ps) },
	"Rprop":     func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer { return optim.NewRprop(ps) },
	"ASGD":      func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer { return optim.NewASGD(ps) },
	"Adafactor": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer { return optim.NewAdafactor(ps) },
}

// TestShapesAndDTypes: every algorithm steps parameters of any shape and dtype, keeps their dtypes in its state, and goes downhill.
func TestShapesAndDTypes(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for name, make := range algorithms {
			for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16, dtype.Float16} {
				place := tensor.On(dev).As(dt)
				var ps []*tensor.Tensor
				for _, shape := range [][]int{{}, {3}, {2, 3}, {2, 0}, {2, 1, 3}} {
					ps = append(ps, tensor.Parameter(place.Ones(shape...)))
				}
				o := make(params(ps...))
				for range 3 {
					o.ZeroGrad()
					sum := place.Zeros()
					for _, p := range ps {
						sum = sum.Add(p.Mul(p).Sum())
					}
					sum.Backward()
					o.Step()
				}
				for i, p := range ps {
					if p.NumEl() > 0 && !(p.Detach().Max().Float64() < 1) {
						t.Errorf("%s, %s: parameter %d is %v", name, dt, i, p)
					}
				}
				for n, kept := range o.(stateful).StateDict()["state"].(map[int]map[string]any) {
					for what, x := range kept {
						if x := x.(*tensor.Tensor); x.Dim() > 0 && x.DType() != dt {
							t.Errorf("%s: %s of parameter %d is of %s, want %s", name, what, n, x.DType(), dt)
						}
					}
				}
			}
		}
	})
}
