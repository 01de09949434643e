package selftest

import (
	"fmt"
	"math"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// droppings has checks of attention with dropout, of heads of two widths: the wider ones have no kernel that the TMA feeds.
func droppings() []Check {
	var checks []Check
	for _, width := range []int{64, 256} {
		dtypes := floats
		if width == 256 {
			dtypes = floats[2:]
		}
		for _, dt := range dtypes {
			checks = append(checks, Check{"random numbers", sized("attention with dropout, of", width), dt, func(dev device.Device) error { return dropping(dev, dt, width) }})
		}
	}
	return checks
}

// dropping compares result and gradients with what follows from the weights that are left. Those a product with the identity tells, of the same seed.
func dropping(dev device.Device, dt dtype.DType, width int) error {
	const keep, keys = 0.75, 32
	attend := func(q, k, v *tensor.Tensor) *tensor.Tensor {
		return tensor.ScaledDotProductAttention(q, k, v, tensor.DropoutP(1-keep), tensor.NewGeneratorOn(dev, 5))
	}
	leaf := func(seed int64, rows int) *tensor.Tensor { return normal(dt, seed, 1, 1, rows, width) }
	on := []*tensor.Tensor{leaf(1, 33).To(dev), leaf(2, keys).To(dev), leaf(3, keys).To(dev)}
	left := attend(on[0], on[1], tensor.On(dev).As(dt).Eye(keys).View(1, 1, keys, keys)).CPU().NeScalar(0).Double()
	if share := left.Mean().Float64(); math.Abs(share-keep) > 0.07 {
		return fmt.Errorf("dropout leaves a share of %v, want %v", share, keep)
	}
	host := make([]*tensor.Tensor, len(on))
	for i, x := range on {
		host[i] = x.CPU().Double().SetRequiresGrad(true)
		x.SetRequiresGrad(true)
	}
	got := attend(on[0], on[1], on[2])
	weights := host[0].MatMul(host[1].Transpose(2, 3)).DivScalar(math.Sqrt(float64(width))).Softmax(-1).Mul(left.DivScalar(keep))
	want := weights.MatMul(host[2])
	roundings := 128.0
	if dt.Size() == 2 {
		roundings = mostInHalves
	}
	if err := compare(got.Detach(), want.Detach().To(dt), roundings); err != nil {
		return err
	}
	dy := leaf(4, 33)
	grads := tensor.Grad(got, on, tensor.Gradient(dy.To(dev)))
	for i, g := range tensor.Grad(want, host, tensor.Gradient(dy.Double())) {
		if err := compare(grads[i], g.To(dt), 4*roundings); err != nil {
			return fmt.Errorf("gradient of operand %d: %w", i, err)
		}
	}
	return nil
}
