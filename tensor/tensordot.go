package tensor

import (
	"fmt"
	"slices"
)

// TensorDot returns the sum of products over the last n axes of x and the first n of y: for n = 0 all products, for n = 1 of
// matrices their product.
func (x *Tensor) TensorDot(y *Tensor, n int) *Tensor {
	refuseNil("tensordot", "b", 2, y)
	switch {
	case n < 0:
		fail("tensordot", ErrValue, fmt.Sprintf("tensordot expects dims >= 0, but got dims=%d", n), x, y)
	case n > min(x.layout.Rank(), y.layout.Rank()):
		fail("tensordot", ErrShape, fmt.Sprintf("tensordot expects dims < ndim_a or ndim_b, but got dims=%d", n), x, y)
	}
	xAxes, yAxes := make([]int, n), make([]int, n)
	for i := range n {
		xAxes[i], yAxes[i] = i-n, i
	}
	return x.TensorDotAxes(y, xAxes, yAxes)
}

// TensorDotAxes returns the sum of products over pairs of axes: xAxes[i] of x with yAxes[i] of y. The other axes of x come first
// in the result, then those of y.
func (x *Tensor) TensorDotAxes(y *Tensor, xAxes, yAxes []int) *Tensor {
	refuseNil("tensordot", "b", 2, y)
	if a := autocastOf(x, y); a != nil && sideOf(x.storage.device.Type()) == onGPU { // the CPU casts for the product
		return a.run("tensordot", func(t []*Tensor) *Tensor { return t[0].TensorDotAxes(t[1], xAxes, yAxes) }, x, y)
	}
	switch {
	case len(xAxes) != len(yAxes):
		fail("tensordot", ErrShape, "both dimension lists should have same length", x, y)
	case x.dtype != y.dtype:
		fail("tensordot", ErrDType, "both inputs should have same dtype", x, y)
	}
	a, b := x, y
	for i, k := range xAxes {
		n, m := x.Size(k), y.Size(yAxes[i])
		switch {
		case n == 1 && m > 1:
			b = b.SumAxes([]int{yAxes[i]}, true)
		case m == 1 && n > 1:
			a = a.SumAxes([]int{k}, true)
		case n != m:
			fail("tensordot", ErrShape, fmt.Sprintf("contracted dimensions need to match, but first has size %d in dim %d and second has size %d in dim %d",
				n, k, m, yAxes[i]), x, y)
		}
	}
	xRest, xOrder := a.apartFrom(xAxes)
	yRest, yOrder := b.apartFrom(yAxes)
	rows, _ := xRest.NumEl()
	cols, _ := yRest.NumEl()
	inner := 1
	for _, k := range xAxes {
		inner *= a.Size(k)
	}
	left := a.Permute(append(xOrder, xAxes...)...).Reshape(rows, inner)
	right := b.Permute(append(slices.Clone(yAxes), yOrder...)...).Reshape(inner, cols)
	return left.MM(right).Reshape(append(xRest, yRest...)...)
}

// apartFrom returns the axes that are not among those given, and their extents.
func (x *Tensor) apartFrom(axes []int) (rest Shape, order []int) {
	taken := x.reduced("tensordot", axes, false).Axes
	for i, n := range x.layout.Shape() {
		if len(axes) == 0 || taken&(1<<i) == 0 {
			rest, order = append(rest, n), append(order, i)
		}
	}
	return rest, order
}

// Kron returns the Kronecker product: each element of x times all of y, as blocks of one tensor.
func (x *Tensor) Kron(y *Tensor) *Tensor {
	refuseNil("kron", "other", 2, y)
	rank := max(x.layout.Rank(), y.layout.Rank())
	a, b, shape := make([]int, 2*rank), make([]int, 2*rank), make([]int, rank)
	for i := range rank {
		n, m := extentFromEnd(x, rank-i), extentFromEnd(y, rank-i)
		a[2*i], a[2*i+1] = n, 1
		b[2*i], b[2*i+1] = 1, m
		shape[i] = n * m
	}
	return x.Reshape(a...).Mul(y.Reshape(b...)).Reshape(shape...)
}

// extentFromEnd returns the extent of an axis that is counted from 1 for the last; axes that x lacks have 1.
func extentFromEnd(x *Tensor, k int) int {
	if rank := x.layout.Rank(); k <= rank {
		return x.layout.Shape()[rank-k]
	}
	return 1
}
