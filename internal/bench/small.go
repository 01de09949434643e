package bench

import (
	"cresset/device"
	"cresset/tensor"
)

// small are ops on four elements, where what surrounds the kernel is all there is.
func small() []Case {
	four := func(f func(x, y, leaf *tensor.Tensor)) func(dev device.Device) func() {
		return func(dev device.Device) func() {
			on := tensor.On(dev)
			x, y, leaf := on.Ones(4), on.Ones(4), on.Ones(4).SetRequiresGrad(true)
			return func() { f(x, y, leaf) }
		}
	}
	return []Case{
		{Name: "small/add", Make: four(func(x, y, _ *tensor.Tensor) { x.Add(y) })},
		{Name: "small/add_in_place", Make: four(func(x, y, _ *tensor.Tensor) { x.AddInPlace(y) })},
		{Name: "small/view", Make: four(func(x, _, _ *tensor.Tensor) { x.View(2, 2) })},
		{Name: "small/add_recorded", Make: four(func(x, _, leaf *tensor.Tensor) { x.Add(leaf) })},
		{Name: "small/mul_sum_backward", Make: four(func(x, _, leaf *tensor.Tensor) {
			x.Mul(leaf).Sum().Backward()
			leaf.ZeroGrad()
		})},
	}
}
