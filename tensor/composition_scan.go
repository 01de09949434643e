package tensor

import (
	"slices"

	"cresset/internal/op"
)

// The gradients of scans as recorded ops.

// throughCumProd returns the gradient for x, whose running products y have the gradient dy. Without zeros a product that lacks an
// element is the product over the element; else lines are multiplied once for each of their elements, with a one in its place.
func (dy *Tensor) throughCumProd(x, y, zero *Tensor, p op.Axis) *Tensor {
	if zero.Any().Item() != true {
		return dy.Mul(y).sumBehind(p).Div(x)
	}
	n := x.layout.Shape()[p.Axis]
	wide := append(slices.Clone(x.layout.Shape()), n)
	element, place := x.countingAlong(p.Axis, n, len(wide)), x.countingAlong(len(wide)-1, n, len(wide))
	lacking := x.Unsqueeze(-1).Expand(wide...).MaskedFill(element.Eq(place), 1).CumProd(p.Axis)
	terms := dy.Unsqueeze(-1).Mul(lacking).MaskedFill(element.Lt(place), 0)
	return terms.SumAxes([]int{p.Axis}).MoveAxis([]int{-1}, []int{p.Axis})
}

// throughLogCumSumExp is that of the logarithms y of running sums of eˣ: Σ dy[k]·e^(x[i]-y[k]) over k ≥ i. Exponents are taken from
// the largest of each line, which needs no gradient: it cancels out.
func (dy *Tensor) throughLogCumSumExp(x, y *Tensor, p op.Axis) *Tensor {
	if x.NumEl() == 0 {
		return dy
	}
	most := y.Detach().AMax([]int{p.Axis}, KeepDim(true))
	return x.Sub(most).Exp().Mul(dy.Mul(most.Sub(y).Exp()).sumBehind(p))
}

// countingAlong returns 0, 1, … n-1 along one of rank axes; the others have extent 1.
func (x *Tensor) countingAlong(axis, n, rank int) *Tensor {
	sizes := slices.Repeat([]int{1}, rank)
	sizes[axis] = n
	return x.counting(0, 1, n).View(sizes...)
}
