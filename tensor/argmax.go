package tensor

import (
	"cresset/dtype"
	"cresset/internal/op"
)

// ArgMax returns the index of the largest element in row-major order, the first where several are equal; NaN is larger
// than any number. It panics for an empty tensor.
func (x *Tensor) ArgMax() *Tensor { return x.position(op.ArgMax) }

// ArgMin returns the index of the smallest element in row-major order, the first where several are equal; NaN is smaller
// than any number. It panics for an empty tensor.
func (x *Tensor) ArgMin() *Tensor { return x.position(op.ArgMin) }

// ArgMaxAxis returns the index of the largest element along an axis, which disappears unless KeepDim is given.
func (x *Tensor) ArgMaxAxis(axis int, keep ...KeepDim) *Tensor {
	return x.positionAxis(op.ArgMax, axis, kept(keep))
}

// ArgMinAxis returns the index of the smallest element along an axis, which disappears unless KeepDim is given.
func (x *Tensor) ArgMinAxis(axis int, keep ...KeepDim) *Tensor {
	return x.positionAxis(op.ArgMin, axis, kept(keep))
}

func (x *Tensor) position(o op.Op) *Tensor {
	if x.NumEl() == 0 {
		fail(o.String(), ErrIndex, o.String()+"(): Expected reduction dim to be specified for input.numel() == 0.", x)
	}
	return x.positions(o, op.Axis{Axis: -1}, Shape{})
}

func (x *Tensor) positionAxis(o op.Op, axis int, keep bool) *Tensor {
	p := x.reducedAxis(o.String(), axis, keep)
	x.checkExtents(o.String(), p)
	return x.positions(o, op.Axis{Axis: x.axis(o.String(), axis), Keep: keep}, reducedShape(x.layout.Shape(), p))
}

func (x *Tensor) positions(o op.Op, p op.Axis, shape Shape) *Tensor {
	if x.dtype == dtype.Bool {
		fail(o.String(), ErrKernel, o.String()+"(): does not support bool input", x)
	}
	return x.reduceTo(o, dtype.Int64, p, shape)
}
