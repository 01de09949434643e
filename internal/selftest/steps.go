package selftest

import (
	"fmt"
	"iter"

	"cresset/device"
	"cresset/dtype"
	"cresset/optim"
	"cresset/tensor"
)

// optimizers are those that have kernels, in each of their forms.
var optimizers = []struct {
	name string
	make func(ps iter.Seq2[string, *tensor.Tensor]) *optim.Algorithm
}{
	{"SGD", func(ps iter.Seq2[string, *tensor.Tensor]) *optim.Algorithm {
		return optim.NewSGD(ps, optim.LR(0.1), optim.Momentum(0.9), optim.Nesterov(true), optim.WeightDecay(0.01))
	}},
	{"Adam", func(ps iter.Seq2[string, *tensor.Tensor]) *optim.Algorithm { return optim.NewAdam(ps) }},
	{"Adam with AMSGrad", func(ps iter.Seq2[string, *tensor.Tensor]) *optim.Algorithm {
		return optim.NewAdam(ps, optim.AMSGrad(true))
	}},
	{"AdamW", func(ps iter.Seq2[string, *tensor.Tensor]) *optim.Algorithm { return optim.NewAdamW(ps) }},
	{"Adamax", func(ps iter.Seq2[string, *tensor.Tensor]) *optim.Algorithm { return optim.NewAdamax(ps) }},
	{"NAdam", func(ps iter.Seq2[string, *tensor.Tensor]) *optim.Algorithm { return optim.NewNAdam(ps) }},
	{"RAdam", func(ps iter.Seq2[string, *tensor.Tensor]) *optim.Algorithm { return optim.NewRAdam(ps) }},
	{"RMSprop", func(ps iter.Seq2[string, *tensor.Tensor]) *optim.Algorithm { return optim.NewRMSprop(ps) }},
	{"RMSprop with momentum", func(ps iter.Seq2[string, *tensor.Tensor]) *optim.Algorithm {
		return optim.NewRMSprop(ps, optim.Momentum(0.5))
	}},
	{"RMSprop, centered", func(ps iter.Seq2[string, *tensor.Tensor]) *optim.Algorithm {
		return optim.NewRMSprop(ps, optim.Centered(true))
	}},
	{"RMSprop, centered, with momentum", func(ps iter.Seq2[string, *tensor.Tensor]) *optim.Algorithm {
		return optim.NewRMSprop(ps, optim.Centered(true), optim.Momentum(0.5))
	}},
	{"Adagrad", func(ps iter.Seq2[string, *tensor.Tensor]) *optim.Algorithm { return optim.NewAdagrad(ps) }},
	{"Adadelta", func(ps iter.Seq2[string, *tensor.Tensor]) *optim.Algorithm { return optim.NewAdadelta(ps) }},
	{"Rprop", func(ps iter.Seq2[string, *tensor.Tensor]) *optim.Algorithm { return optim.NewRprop(ps) }},
	{"ASGD", func(ps iter.Seq2[string, *tensor.Tensor]) *optim.Algorithm { return optim.NewASGD(ps) }},
}

// steps has a check for each optimizer and each dtype of floats.
func steps() []Check {
	var checks []Check
	for _, o := range optimizers {
		for _, dt := range floats {
			checks = append(checks, Check{"optimizers", o.name, dt, func(dev device.Device) error {
				for _, make := range []func(dtype.DType) []*tensor.Tensor{ofSizes, transposed} {
					want, got := stepped(o.make, device.CPU, make(dt)), stepped(o.make, dev, make(dt))
					for i := range want {
						if err := compare(got[i], want[i], 4); err != nil {
							return fmt.Errorf("parameter %d: %w", i, err)
						}
					}
				}
				return nil
			}})
		}
	}
	return checks
}

// ofSizes returns parameters that are updated together.
func ofSizes(dt dtype.DType) (params []*tensor.Tensor) {
	for i, n := range []int{1, 33, 1030} {
		params = append(params, normal(dt, int64(i), n))
	}
	return params
}

// transposed returns a parameter that is not contiguous, which is updated by itself.
func transposed(dt dtype.DType) []*tensor.Tensor {
	return []*tensor.Tensor{normal(dt, 9, 33, 5).Transpose(0, 1)}
}

// stepped returns the parameters after three steps on a device.
func stepped(optimizer func(ps iter.Seq2[string, *tensor.Tensor]) *optim.Algorithm, dev device.Device, params []*tensor.Tensor) []*tensor.Tensor {
	for i, p := range params {
		params[i] = tensor.Parameter(p.To(dev))
	}
	o := optimizer(func(yield func(string, *tensor.Tensor) bool) {
		for i, p := range params {
			if !yield(fmt.Sprint(i), p) {
				return
			}
		}
	})
	for step := range 3 {
		for i, p := range params {
			p.SetGrad(normal(p.DType(), int64(10*step+i+50), p.Shape()...).To(dev))
		}
		o.Step()
	}
	var results []*tensor.Tensor
	for _, p := range params {
		results = append(results, p.Detach())
	}
	return results
}
