package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// Scatter returns x with the elements of src where index, int64 or int32, names places along one axis: out[i, index[i, j]] = src[i, j]
// for axis 1 of a matrix. src is a tensor of x's dtype, no smaller than the index, or a number. Where places repeat, the last stays.
func (x *Tensor) Scatter(axis int, index *Tensor, src any) *Tensor {
	s := x.scattering("scatter", axis, index, src)
	out := x.empty(op.Scatter, x.dtype, x.layout.Shape(), index, s.given).copyFrom(x)
	out.scatterBy(op.Scatter, s.axis, s.index, s.src)
	if s.given == nil {
		record(out, op.ScatterValue, scatterGrad, s.axis, x).save(s.index)
	} else {
		record(out, op.Scatter, scatterGrad, s.axis, x, s.given).save(s.index)
	}
	return out
}

func scatterGrad(b *backprop, dy *Tensor) {
	axis, index := b.params().(int), b.saved(0)
	b.giveNeeded(0, func() *Tensor { return dy.Scatter(axis, index, 0) })
	if len(b.current.edges) > 1 {
		b.giveNeeded(1, func() *Tensor { return dy.Gather(axis, index).paddedTo(b.input(1)) })
	}
}

// ScatterInPlace puts the elements of src, a tensor or a number, to the places of x that Scatter says.
func (x *Tensor) ScatterInPlace(axis int, index *Tensor, src any) *Tensor {
	s := x.scattering("scatter_", axis, index, src)
	x.mutable(op.Scatter, s.given)
	if tracked(x, s.given) {
		return x.become(op.Scatter, x.Scatter(axis, index, src))
	}
	x.scatterBy(op.Scatter, s.axis, s.index.unshared(x), s.src.unshared(x))
	x.storage.version++
	return x
}

// tracked reports whether gradients are recorded of a tensor. Those that are nil count as numbers.
func tracked(ts ...*Tensor) bool {
	for _, t := range ts {
		if t != nil && t.node != nil {
			return true
		}
	}
	return false
}

// A scattering is the operands of a scatter, as its kernels take them: with at least one axis, and src of the index's shape.
type scattering struct {
	axis       int
	index, src *Tensor
	given      *Tensor // src as the caller gave it; nil for a number
}

// scattering checks the operands of a scatter whose source is a tensor or a number.
func (x *Tensor) scattering(name string, axis int, index *Tensor, src any) scattering {
	s := scattering{axis: x.axis(name, axis)}
	v := operandOf(name, src)
	s.given = v.t
	if v.t == nil {
		fits(name, v.s, x.dtype)
		v.t = x.empty(op.Fill, x.dtype, Shape{}).fill(v.s)
		if index != nil {
			v.t = v.t.alias(v.t.layout.Expand(nil, index.layout.Shape()))
		}
	}
	x.checkScatter(name, s.axis, index, v.t)
	s.index = index.Detach().cast(dtype.Int64).atLeast1()
	s.src = v.t.Detach().atLeast1().first(s.index.layout.Shape())
	return s
}

// first returns the first elements of x along each axis.
func (x *Tensor) first(extents Shape) *Tensor {
	for i, n := range extents {
		if n != x.layout.Shape()[i] {
			x = x.Narrow(i, 0, n)
		}
	}
	return x
}

// scatterBy joins src to x itself, where index names places along one axis, by the kernel of an op.
func (x *Tensor) scatterBy(o op.Op, axis int, index, src *Tensor) {
	launch(o, x.dtype, op.Axis{Axis: axis}, []*Tensor{x.atLeast1()}, []*Tensor{index, src})
}

// paddedTo returns zeros of a shape whose first elements along each axis are those of x.
func (x *Tensor) paddedTo(shape Shape) *Tensor {
	if len(shape) == 0 || shape.Equal(x.layout.Shape()) {
		return x.Reshape(shape...)
	}
	part := layout.Contiguous(shape)
	for axis, n := range x.layout.Shape() {
		part = part.Narrow(nil, axis, 0, n, 1)
	}
	return x.placed(shape, part)
}

func (x *Tensor) checkScatter(name string, axis int, index, src *Tensor) {
	x.sameIndexDevice(name, "wrapper_CUDA_"+name, "index", index)
	x.sameIndexDevice(name, "wrapper_CUDA_"+name, "src", src)
	if index.dtype != dtype.Int64 && index.dtype != dtype.Int32 && index.layout.Size() > 0 {
		fail(name, ErrDType, "scatter(): Expected dtype int32/int64 for index", x, index, src)
	}
	if x.dtype != src.dtype {
		fail(name, ErrDType, "scatter(): Expected self.dtype to be equal to src.dtype", x, index, src)
	}
	to, at, from := x.atLeast1().layout.Shape(), index.atLeast1().layout.Shape(), src.atLeast1().layout.Shape()
	if len(at) != len(to) {
		fail(name, ErrShape, "Index tensor must have the same number of dimensions as self tensor", x, index, src)
	}
	if len(at) != len(from) {
		fail(name, ErrShape, "Index tensor must have the same number of dimensions as src tensor", x, index, src)
	}
	for i, n := range at {
		if (i != axis && n > to[i]) || n > from[i] {
			fail(name, ErrShape, fmt.Sprintf("Expected index %s to be no larger than self %s apart from dimension %d and to be no larger size than src %s",
				index.layout.Shape().List(), x.layout.Shape().List(), axis, src.layout.Shape().List()), x, index, src)
		}
	}
}
