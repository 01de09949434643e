package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/op"
)

// ArgMax returns the index of the largest element in row-major order, the first where several are equal; NaN is larger
// than any number. It panics for an empty tensor.
func (x *Tensor) ArgMax() *Tensor { return x.argExtreme(op.ArgMax) }

// ArgMaxAxis returns the index of the largest element along an axis, which disappears, or stays with extent 1 where keep
// is true.
func (x *Tensor) ArgMaxAxis(axis int, keep bool) *Tensor {
	return x.argExtremeAxis(op.ArgMax, axis, keep)
}

func (x *Tensor) argExtreme(o op.Op) *Tensor {
	if x.NumEl() == 0 {
		fail(o.String(), ErrIndex, o.String()+"(): Expected reduction dim to be specified for input.numel() == 0.", x)
	}
	x.refuseBool(o, o.String()+"_cpu")
	out := x.empty(o, dtype.Int64, Shape{})
	launch(o, x.dtype, op.Axis{Axis: -1}, []*Tensor{out}, []*Tensor{x})
	return out
}

func (x *Tensor) argExtremeAxis(o op.Op, axis int, keep bool) *Tensor {
	p := x.reducedAxis(o.String(), axis, keep)
	x.checkExtents(o, p)
	x.refuseBool(o, o.String()+"_cpu")
	out := x.empty(o, dtype.Int64, reducedShape(x.layout.Shape, p))
	launch(o, x.dtype, op.Axis{Axis: x.axis(o.String(), axis), Keep: keep}, []*Tensor{out}, []*Tensor{x})
	return out
}

// checkExtents panics where an axis that is reduced has no elements, of which none can be the largest.
func (x *Tensor) checkExtents(o op.Op, p op.Reduce) {
	for i, d := range x.layout.Shape {
		if d == 0 && p.Axes&(1<<i) != 0 {
			fail(o.String(), ErrIndex, fmt.Sprintf("%s(): Expected reduction dim %d to have non-zero size.", o, i), x)
		}
	}
}
