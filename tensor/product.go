package tensor

import (
	"fmt"

	"cresset/internal/op"
)

// MM returns the matrix product of x [m, k] and y [k, n].
func (x *Tensor) MM(y *Tensor) *Tensor {
	if a := autocastOf(x, y); a != nil {
		x, y = a.two("mm", x, y)
	}
	checkArguments(op.MM, argument{"self", x}, argument{"mat2", y})
	switch {
	case x.layout.Rank() != 2:
		fail("mm", ErrShape, "self must be a matrix", x, y)
	case y.layout.Rank() != 2:
		fail("mm", ErrShape, "mat2 must be a matrix", x, y)
	}
	checkInner("mm", x, y)
	if x.dtype != y.dtype {
		fail("mm", ErrDType, fmt.Sprintf("expected m1 and m2 to have the same dtype, but got: %s != %s", x.dtype.CppName(), y.dtype.CppName()), x, y)
	}
	x.refuseBool(op.MM, "addmm_impl_cpu_")
	return x.product(op.MM, y, Shape{x.layout.Shape()[0], y.layout.Shape()[1]}, mmGrad)
}

func mmGrad(b *backprop, dy *Tensor) {
	b.giveNeeded(0, func() *Tensor { return b.productFor(0, dy, b.saved(1).T()) })
	b.giveNeeded(1, func() *Tensor { return b.productFor(1, b.saved(0).T(), dy) })
}

// productFor returns x·y, the gradient of input i, in that input's order of axes: a weight that went transposed into the
// product gets a gradient that lies as the weight does.
func (b *backprop) productFor(i int, x, y *Tensor) *Tensor {
	if l := b.current.edges[i].layout; l.Strides()[0] == 1 && l.Strides()[1] > 1 {
		return y.T().MM(x.T()).T()
	}
	return x.MM(y)
}

// MV returns the product of the matrix x [m, k] and the vector y [k].
func (x *Tensor) MV(y *Tensor) *Tensor {
	if a := autocastOf(x, y); a != nil {
		x, y = a.two("mv", x, y)
	}
	refuseNil("mv", "input", 1, x)
	refuseNil("mv", "vec", 2, y)
	if from, to := y.storage.device, x.storage.device; from != to { // PyTorch adds to a result that it makes beside the vector
		failArgument("mv", "wrapper_CUDA_addmv_", "mat", from, to, argument{"self", x}, argument{"vec", y})
	}
	if x.layout.Rank() != 2 || y.layout.Rank() != 1 {
		fail("mv", ErrShape, fmt.Sprintf("vector + matrix @ vector expected, got 1, %d, %d", x.layout.Rank(), y.layout.Rank()), x, y)
	}
	m, k := x.layout.Shape()[0], x.layout.Shape()[1]
	if n := y.layout.Shape()[0]; n != k {
		fail("mv", ErrShape, fmt.Sprintf("size mismatch, got input (%d), mat (%dx%d), vec (%d)", m, m, k, n), x, y)
	}
	checkScalarType("mv", x, y)
	x.refuseBool(op.MV, "addmv_impl_cpu")
	return x.product(op.MV, y, Shape{m}, mvGrad)
}

func mvGrad(b *backprop, dy *Tensor) {
	b.giveNeeded(0, func() *Tensor { return dy.Outer(b.saved(1)) })
	b.giveNeeded(1, func() *Tensor { return b.saved(0).T().MV(dy) })
}

// Dot returns the inner product of two vectors of equal length, a tensor without axes.
func (x *Tensor) Dot(y *Tensor) *Tensor {
	if a := autocastOf(x, y); a != nil {
		x, y = a.two("dot", x, y)
	}
	checkArguments(op.Dot, argument{"self", x}, argument{"tensor", y})
	if x.layout.Rank() != 1 || y.layout.Rank() != 1 {
		fail("dot", ErrShape, fmt.Sprintf("1D tensors expected, but got %dD and %dD tensors", x.layout.Rank(), y.layout.Rank()), x, y)
	}
	if x.dtype != y.dtype {
		fail("dot", ErrDType, fmt.Sprintf("dot : expected both vectors to have same dtype, but found %s and %s", x.dtype.ScalarName(), y.dtype.ScalarName()), x, y)
	}
	if n, m := x.NumEl(), y.NumEl(); n != m {
		fail("dot", ErrShape, fmt.Sprintf("inconsistent tensor size, expected tensor [%d] and src [%d] to have the same number of elements, but got %d and %d elements respectively",
			n, m, n, m), x, y)
	}
	x.refuseBool(op.Dot, "dot")
	return x.product(op.Dot, y, Shape{}, mulGrad)
}

// Outer returns x [m] times y [n] as a matrix: element (i, j) is x[i]·y[j].
func (x *Tensor) Outer(y *Tensor) *Tensor {
	refuseNil("outer", "input", 1, x)
	refuseNil("outer", "vec2", 2, y)
	switch {
	case x.layout.Rank() != 1:
		fail("outer", ErrShape, fmt.Sprintf("outer: Expected 1-D argument self, but got %d-D", x.layout.Rank()), x, y)
	case y.layout.Rank() != 1:
		fail("outer", ErrShape, fmt.Sprintf("outer: Expected 1-D argument vec2, but got %d-D", y.layout.Rank()), x, y)
	}
	return x.Reshape(x.NumEl(), 1).Mul(y)
}

// BMM returns the products of x [b, m, k] and y [b, k, n], one for each index of the first axis.
func (x *Tensor) BMM(y *Tensor) *Tensor {
	if a := autocastOf(x, y); a != nil {
		x, y = a.two("bmm", x, y)
	}
	checkArguments(op.BMM, argument{"self", x}, argument{"mat2", y})
	switch {
	case x.layout.Rank() != 3:
		fail("bmm", ErrShape, "batch1 must be a 3D tensor", x, y)
	case y.layout.Rank() != 3:
		fail("bmm", ErrShape, "batch2 must be a 3D tensor", x, y)
	}
	a, b := x.layout.Shape(), y.layout.Shape()
	if a[0] != b[0] || a[2] != b[1] {
		fail("bmm", ErrShape, fmt.Sprintf("Expected size for first two dimensions of batch2 tensor to be: [%d, %d] but got: [%d, %d].", a[0], a[2], b[0], b[1]), x, y)
	}
	checkScalarType("bmm", x, y)
	x.refuseBool(op.BMM, "bmm")
	return x.product(op.BMM, y, Shape{a[0], a[1], b[2]}, bmmGrad)
}

func bmmGrad(b *backprop, dy *Tensor) {
	b.giveNeeded(0, func() *Tensor { return dy.BMM(b.saved(1).Transpose(1, 2)) })
	b.giveNeeded(1, func() *Tensor { return b.saved(0).Transpose(1, 2).BMM(dy) })
}

// product computes a product of a given shape and records it.
func (x *Tensor) product(o op.Op, y *Tensor, shape Shape, back gradient) *Tensor {
	out := x.empty(o, x.dtype, shape, y)
	launch(o, x.dtype, nil, []*Tensor{out}, []*Tensor{x, y})
	record(out, o, back, nil, x, y).save(x, y)
	return out
}

func checkInner(name string, a, b *Tensor) {
	if a.layout.Shape()[1] != b.layout.Shape()[0] {
		fail(name, ErrShape, fmt.Sprintf("mat1 and mat2 shapes cannot be multiplied (%dx%d and %dx%d)",
			a.layout.Shape()[0], a.layout.Shape()[1], b.layout.Shape()[0], b.layout.Shape()[1]), a, b)
	}
}

func checkScalarType(name string, x, y *Tensor) {
	if x.dtype != y.dtype {
		fail(name, ErrDType, fmt.Sprintf("expected scalar type %s but found %s", x.dtype.ScalarName(), y.dtype.ScalarName()), x, y)
	}
}
