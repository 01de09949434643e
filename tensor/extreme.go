package tensor

import (
	"fmt"
	"slices"

	"cresset/dtype"
	"cresset/internal/op"
)

// Max returns the largest element, a tensor without axes; NaN is larger than any number. Its gradient is divided evenly
// among elements that are equally large. It panics for an empty tensor.
func (x *Tensor) Max() *Tensor { return x.extreme(op.Max) }

// Min returns the smallest element, a tensor without axes; NaN is smaller than any number. Its gradient is divided evenly
// among elements that are equally small. It panics for an empty tensor.
func (x *Tensor) Min() *Tensor { return x.extreme(op.Min) }

// MaxAxis returns the largest elements along an axis and their indices, the first where several are equal. The axis
// disappears unless KeepDim is given. Gradients flow to the elements that the indices name.
func (x *Tensor) MaxAxis(axis int, keep ...KeepDim) (values, indices *Tensor) {
	return x.extremeAxis(op.MaxAxis, axis, kept(keep))
}

// MinAxis returns the smallest elements along an axis and their indices, the first where several are equal. The axis
// disappears unless KeepDim is given. Gradients flow to the elements that the indices name.
func (x *Tensor) MinAxis(axis int, keep ...KeepDim) (values, indices *Tensor) {
	return x.extremeAxis(op.MinAxis, axis, kept(keep))
}

// AMax returns the largest element over axes, all where none is named; the axes disappear unless KeepDim is given. Its
// gradient is divided evenly among elements that are equally large.
func (x *Tensor) AMax(axes []int, keep ...KeepDim) *Tensor {
	return x.extremeAxes(op.AMax, axes, kept(keep))
}

// AMin returns the smallest element over axes, all where none is named; the axes disappear unless KeepDim is given. Its
// gradient is divided evenly among elements that are equally small.
func (x *Tensor) AMin(axes []int, keep ...KeepDim) *Tensor {
	return x.extremeAxes(op.AMin, axes, kept(keep))
}

// AMinMax returns AMin and AMax over the same axes.
func (x *Tensor) AMinMax(axes []int, keep ...KeepDim) (least, most *Tensor) {
	if x.NumEl() == 0 && len(axes) == 0 {
		fail("aminmax", ErrShape, "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.", x)
	}
	x.reduced("aminmax", axes, false) // checks the axes
	if empty, ok := x.emptyAxis(axes); ok {
		fail("aminmax", ErrIndex, fmt.Sprintf("aminmax: Expected reduction dim %d to have non-zero size.", x.axis("aminmax", empty)), x)
	}
	return x.AMin(axes, keep...), x.AMax(axes, keep...)
}

func (x *Tensor) extreme(o op.Op) *Tensor {
	x.checkExtreme(o)
	out := x.chosen(o, nil, Shape{})
	record(out, o, kernelGrad, nil, x).save(out, x)
	return out
}

func (x *Tensor) extremeAxes(o op.Op, axes []int, keep bool) *Tensor {
	if len(axes) == 0 {
		x.checkExtreme(o)
	}
	p := x.reduced(o.String(), axes, keep)
	if empty, ok := x.emptyAxis(axes); ok {
		fail(o.String(), ErrIndex, fmt.Sprintf("%s(): Expected reduction dim %d to have non-zero size.", o, empty), x)
	}
	out := x.chosen(o, p, reducedShape(x.layout.Shape(), p))
	record(out, o, kernelGrad, p, x).save(out, x)
	return out
}

// chosen reduces to elements of x; those of a bool tensor are bools.
func (x *Tensor) chosen(o op.Op, params any, shape Shape) *Tensor {
	return x.reduceTo(o, x.summable().dtype, params, shape).cast(x.dtype)
}

func (x *Tensor) extremeAxis(o op.Op, axis int, keep bool) (values, indices *Tensor) {
	p := x.reducedAxis(o.String(), axis, keep)
	x.checkExtents(o.String(), p)
	y, shape := x.summable(), reducedShape(x.layout.Shape(), p)
	values, indices = y.empty(o, y.dtype, shape), y.empty(o, dtype.Int64, shape)
	launch(o, y.dtype, p, []*Tensor{values, indices}, []*Tensor{y})
	values = values.cast(x.dtype)
	record(values, o, kernelGrad, p, x).save(indices)
	return values, indices
}

// checkExtreme panics for an empty tensor, which has no largest element.
func (x *Tensor) checkExtreme(o op.Op) {
	if x.NumEl() == 0 {
		fail(o.String(), ErrShape, o.String()+"(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.", x)
	}
}

// emptyAxis returns the first of the axes that has no elements, as the caller named it.
func (x *Tensor) emptyAxis(axes []int) (axis int, found bool) {
	shape := x.layout.Shape()
	i := slices.IndexFunc(axes, func(a int) bool { return len(shape) > 0 && shape[(a+len(shape))%len(shape)] == 0 })
	if i < 0 {
		return 0, false
	}
	return axes[i], true
}

// checkExtents panics where an axis that is reduced has no elements, of which none can be the largest.
func (x *Tensor) checkExtents(name string, p op.Reduce) {
	for i, d := range x.layout.Shape() {
		if d == 0 && p.Axes&(1<<i) != 0 {
			fail(name, ErrIndex, fmt.Sprintf("%s(): Expected reduction dim %d to have non-zero size.", name, i), x)
		}
	}
}
