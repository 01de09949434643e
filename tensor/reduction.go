package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// Sum returns the sum of all elements, a tensor without axes. Sums of integers and bools are int64.
func (x *Tensor) Sum() *Tensor {
	x = x.autocast(op.Sum)
	out := x.total(op.Sum)
	record(out, op.Sum, sumGrad, nil, x)
	return out
}

func sumGrad(b *backprop, dy *Tensor) { b.give(0, dy.Expand(b.input(0)...)) }

// SumAxes returns the sum over axes, which disappear unless KeepDim is given.
func (x *Tensor) SumAxes(axes []int, keep ...KeepDim) *Tensor {
	x = x.autocast(op.Sum)
	p := x.reduced("sum", axes, kept(keep))
	params := any(p) // allocated once, for the op and for its gradient
	out := x.reduce(op.SumAxes, p, params)
	record(out, op.SumAxes, sumAxesGrad, params, x)
	return out
}

func sumAxesGrad(b *backprop, dy *Tensor) {
	b.give(0, dy.restore(b.params().(op.Reduce), b.input(0)))
}

// total reduces all elements with the kernel of x's dtype.
func (x *Tensor) total(o op.Op) *Tensor {
	if x == nil {
		refuseNil(o.String(), "input", 1, x)
	}
	return x.reduceTo(o, sumType(x.dtype), nil, nil)
}

// reduce reduces the axes of p with the kernel of x's dtype.
func (x *Tensor) reduce(o op.Op, p op.Reduce, params any) *Tensor {
	var extents [layout.MaxRank]int
	return x.reduceTo(o, sumType(x.dtype), params, reduceExtents(extents[:0], x.layout.Shape(), p))
}

// reduceTo computes a reduction whose result has a given dtype and shape.
func (x *Tensor) reduceTo(o op.Op, dt dtype.DType, params any, shape Shape) *Tensor {
	y := x.summable()
	out := y.empty(o, dt, shape)
	launch(o, y.dtype, params, []*Tensor{out}, []*Tensor{y})
	return out
}

// summable returns x, or a view of it as bytes, which are 0 and 1, where it is bool.
func (x *Tensor) summable() *Tensor {
	if x.dtype == dtype.Bool {
		y := x.alias(*x.layout)
		y.dtype = dtype.Uint8
		return y
	}
	return x
}

// sumType is the dtype of a sum or product.
func sumType(dt dtype.DType) dtype.DType {
	if dt.IsFloat() {
		return dt
	}
	return dtype.Int64
}

// reduced reads the axes of a reduction; none means all.
func (x *Tensor) reduced(name string, axes []int, keep bool) op.Reduce {
	p := op.Reduce{Keep: keep}
	for _, a := range axes {
		bit := uint32(1) << x.axis(name, a)
		if p.Axes&bit != 0 {
			fail(name, ErrValue, fmt.Sprintf("dim %d appears multiple times in the list of dims", x.axis(name, a)), x)
		}
		p.Axes |= bit
	}
	if len(axes) == 0 {
		p.Axes = 1<<x.layout.Rank() - 1
	}
	return p
}

// reducedAxis is reduced for ops that take exactly one axis.
func (x *Tensor) reducedAxis(name string, axis int, keep bool) op.Reduce {
	return op.Reduce{Axes: 1 << x.axis(name, axis), Keep: keep}
}

func reducedShape(shape Shape, p op.Reduce) Shape {
	return reduceExtents(make(Shape, 0, len(shape)), shape, p)
}

// reduceExtents appends what a reduction leaves of the shape.
func reduceExtents(out []int, shape Shape, p op.Reduce) []int {
	for i, n := range shape {
		switch {
		case p.Axes&(1<<i) == 0:
			out = append(out, n)
		case p.Keep:
			out = append(out, 1)
		}
	}
	return out
}

// restore expands the result of a reduction, or its gradient, to the shape that was reduced.
func (x *Tensor) restore(p op.Reduce, shape Shape) *Tensor {
	return x.keepAxes(p, shape).Expand(shape...)
}

// keepAxes gives a reduction's result its reduced axes back, with extent 1.
func (x *Tensor) keepAxes(p op.Reduce, shape Shape) *Tensor {
	if p.Keep || x.layout.Rank() == len(shape) {
		return x
	}
	l := *x.layout
	for i := range shape {
		if p.Axes&(1<<i) != 0 {
			l = l.Unsqueeze(nil, i)
		}
	}
	return x.viewAs(op.View, viewGrad, nil, l)
}

// sumTo sums x over the axes along which an operand of the given shape was broadcast.
func (x *Tensor) sumTo(shape Shape) *Tensor {
	if x.layout.Shape().Equal(shape) {
		return x
	}
	axes := layout.ReducedAxes(shape, x.layout.Shape())
	y := x.SumAxes(axes)
	if y.layout.Shape().Equal(shape) {
		return y
	}
	return y.viewAs(op.View, viewGrad, nil, layout.Contiguous(shape)) // the summed axes of extent 1 come back
}
