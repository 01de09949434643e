package tensor

import (
	"fmt"

	"cresset/internal/op"
)

// Conv1D returns the cross-correlation of x [N, C, L] or [C, L] with weight [K, C/Groups, S], plus bias [K] unless that is
// nil. The result has (L + 2·Padding - Dilation·(S-1) - 1)/Stride + 1 positions. It takes Stride, Padding, Dilation and Groups.
func (x *Tensor) Conv1D(weight, bias *Tensor, opts ...ConvOption) *Tensor {
	return x.conv(1, weight, bias, line(readWindow(1, opts)), op.Invalid)
}

// Conv2D returns the cross-correlation of x [N, C, H, W] or [C, H, W] with weight [K, C/Groups, R, S], plus bias [K] unless
// that is nil. The result has (H + 2·Padding - Dilation·(R-1) - 1)/Stride + 1 rows, and columns likewise. It takes Stride,
// Padding, Dilation and Groups.
func (x *Tensor) Conv2D(weight, bias *Tensor, opts ...ConvOption) *Tensor {
	return x.conv2D(weight, bias, readWindow(1, opts))
}

func (x *Tensor) conv2D(weight, bias *Tensor, w op.Window) *Tensor {
	return x.conv(2, weight, bias, w, op.Invalid)
}

// conv2DReLU returns the ReLU of Conv2D, without keeping what lies between.
func (x *Tensor) conv2DReLU(weight, bias *Tensor, w op.Window) *Tensor {
	return x.conv(2, weight, bias, w, op.ReLU).rectified()
}

// conv is a convolution over the last axes of x, one or two; of one, the first element of p's pairs is idle. No record is
// made of what follows it.
func (x *Tensor) conv(axes int, weight, bias *Tensor, p op.Window, then op.Op) *Tensor {
	x.checkConvTypes(weight, bias)
	switch x.layout.Rank() {
	case axes + 1:
		return x.Unsqueeze(0).conv(axes, weight, bias, p, then).SqueezeAxis(0)
	case axes + 2:
	default:
		fail("convolution", ErrShape, fmt.Sprintf("Expected %dD (unbatched) or %dD (batched) input to conv%dd, but got input of size: %s",
			axes+1, axes+2, axes, x.layout.Shape().List()), x, weight, bias)
	}
	x.checkConv(axes, weight, bias, p)
	out := x.empty(op.Conv, x.dtype, x.convShape(axes, weight, p), weight, bias)
	launchThen(then, op.Conv, x.dtype, p, []*Tensor{out.planes()}, []*Tensor{x.planes(), weight.planes(), bias})
	record(out, op.Conv, convGrad, p, x, weight, bias).save(x, weight)
	return out
}

func convGrad(b *backprop, dy *Tensor) {
	p, x, weight := b.params().(op.Window), b.saved(0), b.saved(1)
	if b.needs(0) {
		dx := dy.empty(op.ConvGradInput, dy.dtype, x.layout.Shape(), weight)
		launch(op.ConvGradInput, dy.dtype, p, []*Tensor{dx.planes()}, []*Tensor{dy.planes(), weight.planes()})
		b.give(0, dx)
	}
	if b.needs(1) {
		dw := dy.empty(op.ConvGradWeight, dy.dtype, weight.layout.Shape(), x)
		launch(op.ConvGradWeight, dy.dtype, p, []*Tensor{dw.planes()}, []*Tensor{dy.planes(), x.planes()})
		b.give(1, dw)
	}
	b.giveNeeded(2, func() *Tensor { return dy.SumAxes([]int{0, 2, 3}[:dy.layout.Rank()-1]) })
}

// planes gives operands of a convolution over one axis a height of one, for the kernels.
func (x *Tensor) planes() *Tensor {
	if x.layout.Rank() == 4 {
		return x
	}
	return x.alias(x.layout.Unsqueeze(nil, 2))
}

// convShape returns the shape of the result and panics where the weight is larger than what it slides over.
func (x *Tensor) convShape(axes int, weight *Tensor, p op.Window) Shape {
	shape := []int{x.layout.Shape()[0], weight.layout.Shape()[0]}
	var padded, kernel []int
	fits := true
	for i := 2 - axes; i < 2; i++ {
		at := i + axes
		padded = append(padded, x.layout.Shape()[at]+2*p.Padding[i])
		kernel = append(kernel, p.Dilation[i]*(weight.layout.Shape()[at]-1)+1)
		last := len(padded) - 1
		fits = fits && padded[last] >= kernel[last]
		shape = append(shape, (padded[last]-kernel[last])/p.Stride[i]+1)
	}
	if !fits {
		fail("convolution", ErrShape, fmt.Sprintf("Calculated padded input size per channel: (%s). Kernel size: (%s). Kernel size can't be greater than actual input size",
			by(padded), by(kernel)), x, weight)
	}
	return checkSizes("convolution", shape)
}
