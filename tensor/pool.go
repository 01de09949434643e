package tensor

import (
	"cresset/dtype"
	"cresset/internal/op"
)

// PoolOptions describes the windows of MaxPool2D and AvgPool2D, of height and width. A Stride of zero is Kernel's, a
// Dilation of zero is 1.
type PoolOptions struct {
	Kernel, Stride, Padding, Dilation [2]int // Dilation belongs to MaxPool2D alone
	ExcludePadding                    bool   // AvgPool2D: padding does not count as zeros in the mean
}

func (o PoolOptions) window() op.Window {
	if o.Stride == [2]int{} {
		o.Stride = o.Kernel
	}
	return op.Window{Kernel: o.Kernel, Stride: o.Stride, Padding: o.Padding, Dilation: orOnes(o.Dilation), CountPadding: !o.ExcludePadding}
}

// MaxPool2D returns the largest element of each window over the last two axes of x [N, C, H, W] or [C, H, W]. Padding never
// wins, NaN always does.
func (x *Tensor) MaxPool2D(o PoolOptions) *Tensor {
	if x.node != nil { // its gradient needs the indices
		values, _ := x.MaxPool2DWithIndices(o)
		return values
	}
	p := o.window()
	return x.pooled(op.MaxPool2D, maxPool2DGrad, p, x.pooledShape(op.MaxPool2D, p))
}

// MaxPool2DWithIndices returns the result of MaxPool2D and where each largest element lies in its plane, as row·W + column.
func (x *Tensor) MaxPool2DWithIndices(o PoolOptions) (values, indices *Tensor) {
	p := o.window()
	shape := x.pooledShape(op.MaxPool2D, p)
	values = x.empty(op.MaxPool2D, x.dtype, shape)
	indices = x.empty(op.MaxPool2D, dtype.Int64, shape)
	launch(op.MaxPool2D, x.dtype, p, []*Tensor{values, indices}, []*Tensor{x})
	record(values, op.MaxPool2D, maxPool2DGrad, p, x).save(indices)
	return values, indices
}

func maxPool2DGrad(b *backprop, dy *Tensor) { b.unpool(op.MaxPool2DGrad, dy, b.saved(0)) }

// AvgPool2D returns the mean of each window over the last two axes of x [N, C, H, W] or [C, H, W].
func (x *Tensor) AvgPool2D(o PoolOptions) *Tensor {
	p := o.window()
	if p.Dilation != [2]int{1, 1} {
		fail("avg_pool2d", ErrValue, "avg_pool2d() got an unexpected keyword argument 'dilation'", x)
	}
	return x.pooled(op.AvgPool2D, avgPool2DGrad, p, x.pooledShape(op.AvgPool2D, p))
}

func avgPool2DGrad(b *backprop, dy *Tensor) { b.unpool(op.AvgPool2DGrad, dy) }

// AdaptiveAvgPool2D returns the means of h × w windows that cover the last two axes of x [N, C, H, W] or [C, H, W] evenly.
func (x *Tensor) AdaptiveAvgPool2D(h, w int) *Tensor {
	shape := x.adaptiveShape(h, w)
	if h == 1 && w == 1 {
		return x.MeanAxes([]int{-1, -2}, KeepDim(true))
	}
	return x.pooled(op.AdaptiveAvgPool2D, adaptiveAvgPool2DGrad, op.Window{}, shape)
}

func adaptiveAvgPool2DGrad(b *backprop, dy *Tensor) { b.unpool(op.AdaptiveAvgPool2DGrad, dy) }

func (x *Tensor) pooled(o op.Op, back gradient, p op.Window, shape Shape) *Tensor {
	out := x.empty(o, x.dtype, shape)
	launch(o, x.dtype, p, []*Tensor{out}, []*Tensor{x})
	record(out, o, back, p, x)
	return out
}

// unpool gives input 0 what the kernel of a pool's gradient makes of dy and saved values.
func (b *backprop) unpool(o op.Op, dy *Tensor, saved ...*Tensor) {
	dx := dy.empty(o, dy.dtype, b.input(0))
	launch(o, dy.dtype, b.params(), []*Tensor{dx}, append([]*Tensor{dy}, saved...))
	b.give(0, dx)
}
