package bench

import (
	"iter"
	"strconv"

	"cresset/device"
	"cresset/optim"
	"cresset/tensor"
)

// updates are steps of optimizers alone, of 100 parameters of a million elements. Bytes are those of parameters, gradients and what is kept of them.
func updates() []Case {
	const count, n = 100, 1_000_000
	step := func(name string, bytes float64, optimizer func(iter.Seq2[string, *tensor.Tensor]) optim.Optimizer) Case {
		return Case{Name: name + "_step/100x1e6", Work: bytes * count * n, Unit: "B", Make: func(dev device.Device) func() {
			on := tensor.On(dev)
			parameters := make([]*tensor.Tensor, count)
			for i := range parameters {
				parameters[i] = on.Rand(n).SetRequiresGrad(true)
				parameters[i].SetGrad(on.Rand(n))
			}
			return optimizer(func(yield func(string, *tensor.Tensor) bool) {
				for i, p := range parameters {
					if !yield(strconv.Itoa(i), p) {
						return
					}
				}
			}).Step
		}}
	}
	return []Case{step("sgd", 3*4, sgd), step("adam", 7*4, adam)}
}
