package gradcheck

import (
	"fmt"
	"math"

	"cresset/tensor"
)

// CheckSecond compares second derivatives with central differences of gradients: those of Σ vᵢₖ·gᵢₖ, for fixed weights v, by the inputs
// and by w, where g are the gradients of Σ wⱼ·f(x)ⱼ by all inputs, made with CreateGraph. These must be those that are made without it.
// As in Check, nothing is left out in silence.
func CheckSecond(name string, f Func, x ...*tensor.Tensor) error {
	y := f(x)
	all := append(append([]*tensor.Tensor{}, x...), shaped(weights(y.NumEl()), y))
	got, want := tensor.Values[float64](gradientOf(f, true)(all)), tensor.Values[float64](gradientOf(f, false)(all))
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= tolerance*(1+math.Abs(w))) {
			return fmt.Errorf("%s: with CreateGraph element %d of all gradients is %v, without it %v", name, i, got[i], w)
		}
	}
	return Check(name, gradientOf(f, true), all...)
}

// gradientOf returns the gradients of f by its float inputs, in one row, as a function of these and of the gradient of the result,
// which is the last.
func gradientOf(f Func, create tensor.CreateGraph) Func {
	return func(x []*tensor.Tensor) *tensor.Tensor {
		last := len(x) - 1
		inputs := append([]*tensor.Tensor{}, x[:last]...)
		var leaves []*tensor.Tensor
		for i, t := range inputs {
			if t.DType().IsFloat() {
				if !t.RequiresGrad() {
					inputs[i] = t.Clone().SetRequiresGrad(true)
				}
				leaves = append(leaves, inputs[i])
			}
		}
		grads := tensor.Grad(f(inputs), leaves, tensor.Gradient(x[last]), create, tensor.AllowUnused(true))
		rows := make([]*tensor.Tensor, len(grads))
		for i, g := range grads {
			if g == nil {
				g = tensor.ZerosLike(leaves[i])
			}
			rows[i] = g.Reshape(-1)
		}
		return tensor.Cat(rows, 0).Add(x[last].Sum().MulScalar(0)) // which tracks gradients, also where none of the rows does
	}
}
