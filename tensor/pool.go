package tensor

import (
	"cresset/dtype"
	"cresset/internal/op"
)

// MaxPool1D returns the largest element of each window over the last axis of x [N, C, L] or [C, L]. Padding never wins, NaN always
// does. It takes Stride, Padding, Dilation and CeilMode.
func (x *Tensor) MaxPool1D(kernel int, opts ...MaxPool2DOption) *Tensor {
	w := readWindow("max_pool1d", 1, kernel, opts)
	x.checkMaxPool1D(&w)
	refuseIntegers("max_pool1d", "max_pool1d_impl", x)
	return x.Unsqueeze(-2).maxPool(w).SqueezeAxis(-2)
}

// MaxPool1DWithIndices returns the result of MaxPool1D and where each largest element lies in its line.
func (x *Tensor) MaxPool1DWithIndices(kernel int, opts ...MaxPool2DOption) (values, indices *Tensor) {
	w := readWindow("max_pool1d", 1, kernel, opts)
	x.checkMaxPool1D(&w)
	values, indices = x.Unsqueeze(-2).maxPoolIndexed(w)
	return values.SqueezeAxis(-2), indices.SqueezeAxis(-2)
}

// MaxPool2D returns the largest element of each window over the last two axes of x [N, C, H, W] or [C, H, W]. Padding never
// wins, NaN always does. It takes KernelSize, KernelWidth, Stride, Padding, Dilation and CeilMode.
func (x *Tensor) MaxPool2D(kernel int, opts ...MaxPool2DOption) *Tensor {
	return x.maxPool(readWindow("max_pool2d", 2, kernel, opts))
}

// MaxPool2DWithIndices returns the result of MaxPool2D and where each largest element lies in its plane, as row·W + column.
func (x *Tensor) MaxPool2DWithIndices(kernel int, opts ...MaxPool2DOption) (values, indices *Tensor) {
	return x.maxPoolIndexed(readWindow("max_pool2d", 2, kernel, opts))
}

// MaxPool3D is MaxPool2D over three axes, of x [N, C, D, H, W] or [C, D, H, W].
func (x *Tensor) MaxPool3D(kernel int, opts ...MaxPool2DOption) *Tensor {
	return x.maxPool(readWindow("max_pool3d", 3, kernel, opts))
}

// MaxPool3DWithIndices returns the result of MaxPool3D and where each largest element lies in its volume, as
// (plane·H + row)·W + column.
func (x *Tensor) MaxPool3DWithIndices(kernel int, opts ...MaxPool2DOption) (values, indices *Tensor) {
	return x.maxPoolIndexed(readWindow("max_pool3d", 3, kernel, opts))
}

func (x *Tensor) maxPool(w window) *Tensor {
	if x.node != nil || w.axes == 3 { // its gradient needs the indices
		values, _ := x.maxPoolIndexed(w)
		return values
	}
	return x.pooled(op.MaxPool2D, w.plane(), x.pooledShape(op.MaxPool2D, &w))
}

func (x *Tensor) maxPoolIndexed(w window) (values, indices *Tensor) {
	if a := autocastOf(x, nil); a != nil && w.axes == 3 {
		x = a.one("max_pool3d", x)
	}
	shape := x.pooledShape(op.MaxPool2D, &w)
	if w.axes == 3 {
		return x.largestOfVolumes(op.MaxPool2D, &w, shape)
	}
	return x.largest(op.MaxPool2D, w.plane(), shape)
}

// largest pools the last two axes of x.
func (x *Tensor) largest(o op.Op, p op.Window, shape Shape) (values, indices *Tensor) {
	values = x.empty(o, x.dtype, shape)
	indices = x.empty(o, dtype.Int64, shape)
	launch(o, x.dtype, p, []*Tensor{values, indices}, []*Tensor{x})
	record(values, o, kernelGrad, p, x).save(indices)
	return values, indices
}

// largestOfVolumes pools planes first and then the depth: the first of equal elements stays the first.
func (x *Tensor) largestOfVolumes(o op.Op, w *window, shape Shape) (values, indices *Tensor) {
	from, rank := x.layout.Shape(), len(shape)
	planes := append(append(Shape{}, shape[:rank-3]...), from[rank-3], shape[rank-2], shape[rank-1])
	pixels := shape[rank-2] * shape[rank-1]
	flat := append(append(Shape{}, shape[:rank-3]...), shape[rank-3], pixels)
	values, at := x.largest(o, w.plane(), planes)
	values, deep := values.Flatten(-2, -1).largest(o, w.line(), flat)
	plane := deep.FloorDivideScalar(max(pixels, 1))
	inPlane := at.Flatten(-3, -1).Gather(-1, deep.Flatten(-2, -1)).Reshape(flat...)
	indices = plane.MulScalar(from[rank-2] * from[rank-1]).Add(inPlane)
	return values.Unflatten(-1, shape[rank-2:]...), indices.Reshape(shape...)
}

// AvgPool1D returns the mean of each window over the last axis of x [N, C, L] or [C, L]. It takes Stride, Padding, CeilMode,
// CountIncludePad and DivisorOverride.
func (x *Tensor) AvgPool1D(kernel int, opts ...AvgPool2DOption) *Tensor {
	w := readWindow("avg_pool1d", 1, kernel, opts)
	x.checkLine("avg_pool1d")
	return x.Unsqueeze(-2).avgPool(w).SqueezeAxis(-2)
}

// AvgPool2D returns the mean of each window over the last two axes of x [N, C, H, W] or [C, H, W]. It takes KernelSize,
// KernelWidth, Stride, Padding, CeilMode, CountIncludePad and DivisorOverride.
func (x *Tensor) AvgPool2D(kernel int, opts ...AvgPool2DOption) *Tensor {
	return x.avgPool(readWindow("avg_pool2d", 2, kernel, opts))
}

// AvgPool3D is AvgPool2D over three axes, of x [N, C, D, H, W] or [C, D, H, W].
func (x *Tensor) AvgPool3D(kernel int, opts ...AvgPool2DOption) *Tensor {
	if a := autocastOf(x, nil); a != nil {
		x = a.one("avg_pool3d", x)
	}
	return x.avgPool(readWindow("avg_pool3d", 3, kernel, opts))
}

func (x *Tensor) avgPool(w window) *Tensor {
	shape := x.pooledShape(op.AvgPool2D, &w)
	if w.divided && w.divisor == 0 {
		fail("avg_pool", ErrValue, "divisor must be not zero", x)
	}
	if w.axes == 3 {
		return x.meanOfVolumes(op.AvgPool2D, &w, shape)
	}
	return x.pooled(op.AvgPool2D, w.plane(), shape)
}

// meanOfVolumes pools planes first and then the depth: what a window counts is a product of its extents.
func (x *Tensor) meanOfVolumes(o op.Op, w *window, shape Shape) *Tensor {
	rank := len(shape)
	if x.dtype.IsInteger() {
		return x.meanOfIntegers(w, shape)
	}
	planes := append(append(Shape{}, shape[:rank-3]...), x.layout.Shape()[rank-3], shape[rank-2], shape[rank-1])
	flat := append(append(Shape{}, shape[:rank-3]...), shape[rank-3], shape[rank-2]*shape[rank-1])
	return x.pooled(o, w.plane(), planes).Flatten(-2, -1).pooled(o, w.line(), flat).Unflatten(-1, shape[rank-2:]...)
}

// meanOfIntegers sums the depth first, and divides by what a window counts of it last: a quotient that is cut off twice is that of
// the product.
func (x *Tensor) meanOfIntegers(w *window, shape Shape) *Tensor {
	rank, from := len(shape), x.layout.Shape()
	sums := w.line()
	sums.Divisor = 1
	flat := append(append(Shape{}, shape[:rank-3]...), shape[rank-3], from[rank-2]*from[rank-1])
	y := x.Flatten(-2, -1).pooled(op.AvgPool2D, sums, flat).Unflatten(-1, from[rank-2:]...).pooled(op.AvgPool2D, w.plane(), shape)
	if w.divided {
		return y
	}
	counts := make([]int64, shape[rank-3])
	for i := range counts {
		lo := i*w.stride[0] - w.padding[0]
		hi := min(lo+w.kernel[0], from[rank-3]+w.padding[0])
		if !w.countPadding {
			lo, hi = max(lo, 0), min(hi, from[rank-3])
		}
		counts[i] = int64(hi - lo)
	}
	return y.DivTrunc(FromSlice(counts, len(counts), 1, 1))
}

func (x *Tensor) pooled(o op.Op, p op.Window, shape Shape) *Tensor {
	out := x.empty(o, x.dtype, shape)
	launch(o, x.dtype, p, []*Tensor{out}, []*Tensor{x})
	record(out, o, kernelGrad, p, x)
	return out
}

// line returns the part of a window over volumes that slides along the depth, over planes of it and all pixels.
func (w *window) line() op.Window {
	p := op.Window{Kernel: [2]int{w.kernel[0], 1}, Stride: [2]int{w.stride[0], 1}, Padding: [2]int{w.padding[0], 0},
		Dilation: [2]int{w.dilation[0], 1}, CountPadding: w.countPadding}
	if w.divided {
		p.Divisor = 1
	}
	return p
}

// LPPool1D returns (Σ xᵖ)^(1/p) of each window over the last axis of x [N, C, L] or [C, L]. It takes Stride and CeilMode.
func (x *Tensor) LPPool1D(p float64, kernel int, opts ...Pool2DOption) *Tensor {
	w := readWindow("lp_pool1d", 1, kernel, opts)
	return x.Unsqueeze(-2).lpPool(p, w).SqueezeAxis(-2)
}

// LPPool2D is LPPool1D over the last two axes of x [N, C, H, W] or [C, H, W]. It takes KernelSize, KernelWidth, Stride and
// CeilMode.
func (x *Tensor) LPPool2D(p float64, kernel int, opts ...Pool2DOption) *Tensor {
	return x.lpPool(p, readWindow("lp_pool2d", 2, kernel, opts))
}

// LPPool3D is LPPool1D over the last three axes of x [N, C, D, H, W] or [C, D, H, W]. It takes KernelSize, KernelWidth, Stride and
// CeilMode.
func (x *Tensor) LPPool3D(p float64, kernel int, opts ...Pool2DOption) *Tensor {
	return x.lpPool(p, readWindow("lp_pool3d", 3, kernel, opts))
}

// lpPool takes a root of what is positive alone, as PyTorch does.
func (x *Tensor) lpPool(p float64, w window) *Tensor {
	mean := x.Pow(p).avgPool(w)
	size := w.kernel[0] * w.kernel[1] * w.kernel[2]
	return mean.Sign().Mul(mean.Abs().ReLU()).MulScalar(size).Pow(1 / p)
}
