package tensor

import (
	"cresset/dtype"
	"cresset/internal/op"
)

// MaxPool2D returns the largest element of each window over the last two axes of x [N, C, H, W] or [C, H, W]. Padding never
// wins, NaN always does. It takes KernelWidth, Stride, Padding and Dilation.
func (x *Tensor) MaxPool2D(kernel int, opts ...MaxPool2DOption) *Tensor {
	return x.maxPool2D(readWindow(kernel, opts))
}

func (x *Tensor) maxPool2D(w op.Window) *Tensor {
	if x.node != nil { // its gradient needs the indices
		values, _ := x.maxPool2DIndexed(w)
		return values
	}
	return x.pooled(op.MaxPool2D, w, x.pooledShape(op.MaxPool2D, w))
}

// MaxPool2DWithIndices returns the result of MaxPool2D and where each largest element lies in its plane, as row·W + column.
func (x *Tensor) MaxPool2DWithIndices(kernel int, opts ...MaxPool2DOption) (values, indices *Tensor) {
	return x.maxPool2DIndexed(readWindow(kernel, opts))
}

func (x *Tensor) maxPool2DIndexed(w op.Window) (values, indices *Tensor) {
	shape := x.pooledShape(op.MaxPool2D, w)
	values = x.empty(op.MaxPool2D, x.dtype, shape)
	indices = x.empty(op.MaxPool2D, dtype.Int64, shape)
	launch(op.MaxPool2D, x.dtype, w, []*Tensor{values, indices}, []*Tensor{x})
	record(values, op.MaxPool2D, kernelGrad, w, x).save(indices)
	return values, indices
}

// AvgPool2D returns the mean of each window over the last two axes of x [N, C, H, W] or [C, H, W]. It takes KernelWidth,
// Stride, Padding and CountIncludePad.
func (x *Tensor) AvgPool2D(kernel int, opts ...AvgPool2DOption) *Tensor {
	return x.avgPool2D(readWindow(kernel, opts))
}

func (x *Tensor) avgPool2D(w op.Window) *Tensor {
	return x.pooled(op.AvgPool2D, w, x.pooledShape(op.AvgPool2D, w))
}

// AdaptiveAvgPool2D returns the means of h × w windows that cover the last two axes of x [N, C, H, W] or [C, H, W] evenly.
func (x *Tensor) AdaptiveAvgPool2D(h, w int) *Tensor {
	shape := x.adaptiveShape(h, w)
	if h == 1 && w == 1 {
		return x.MeanAxes([]int{-1, -2}, KeepDim(true))
	}
	return x.pooled(op.AdaptiveAvgPool2D, op.Window{}, shape)
}

func (x *Tensor) pooled(o op.Op, p op.Window, shape Shape) *Tensor {
	out := x.empty(o, x.dtype, shape)
	launch(o, x.dtype, p, []*Tensor{out}, []*Tensor{x})
	record(out, o, kernelGrad, p, x)
	return out
}
