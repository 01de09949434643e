package tensor

import (
	"cresset/dtype"
	"cresset/internal/op"
)

// Any reports, as a tensor without axes, whether an element is not zero. The result is bool, or uint8 for a uint8 tensor.
func (x *Tensor) Any() *Tensor { return x.truth(op.AnyTrue, nil, Shape{}) }

// All reports, as a tensor without axes, whether no element is zero. The result is bool, or uint8 for a uint8 tensor.
func (x *Tensor) All() *Tensor { return x.truth(op.AllTrue, nil, Shape{}) }

// AnyAxis reports along an axis whether an element is not zero; the axis disappears unless KeepDim is given.
func (x *Tensor) AnyAxis(axis int, keep ...KeepDim) *Tensor {
	p := x.reducedAxis("any", axis, kept(keep))
	return x.truth(op.AnyTrue, p, reducedShape(x.layout.Shape(), p))
}

// AllAxis reports along an axis whether no element is zero; the axis disappears unless KeepDim is given.
func (x *Tensor) AllAxis(axis int, keep ...KeepDim) *Tensor {
	p := x.reducedAxis("all", axis, kept(keep))
	return x.truth(op.AllTrue, p, reducedShape(x.layout.Shape(), p))
}

func (x *Tensor) truth(o op.Op, params any, shape Shape) *Tensor {
	out := x.reduceTo(o, dtype.Bool, params, shape)
	if x.dtype == dtype.Uint8 {
		return out.cast(dtype.Uint8)
	}
	return out
}

// CountNonZero returns how many elements are not zero, an int64 tensor without axes.
func (x *Tensor) CountNonZero() *Tensor { return x.CountNonZeroAxes() }

// CountNonZeroAxes returns how many elements over axes, all where none is named, are not zero; the axes disappear.
func (x *Tensor) CountNonZeroAxes(axes ...int) *Tensor {
	p := x.reduced("count_nonzero", axes, false)
	return x.reduceTo(op.CountNonZero, dtype.Int64, p, reducedShape(x.layout.Shape(), p))
}
