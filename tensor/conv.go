package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// Conv1D returns the cross-correlation of x [N, C, L] or [C, L] with weight [K, C/Groups, S], plus bias [K] unless that is
// nil. The result has (L + 2·Padding - Dilation·(S-1) - 1)/Stride + 1 positions. It takes Stride, Padding, SamePadding, Dilation
// and Groups.
func (x *Tensor) Conv1D(weight, bias *Tensor, opts ...ConvOption) *Tensor {
	return x.conv(weight, bias, readWindow("convolution", 1, 1, opts), op.Invalid)
}

// Conv2D returns the cross-correlation of x [N, C, H, W] or [C, H, W] with weight [K, C/Groups, R, S], plus bias [K] unless
// that is nil. The result has (H + 2·Padding - Dilation·(R-1) - 1)/Stride + 1 rows, and columns likewise. It takes Stride,
// Padding, SamePadding, Dilation, Groups and FastConv.
func (x *Tensor) Conv2D(weight, bias *Tensor, opts ...ConvOption) *Tensor {
	return x.conv(weight, bias, readWindow("convolution", 2, 1, opts), op.Invalid)
}

// Conv3D returns the cross-correlation of x [N, C, D, H, W] or [C, D, H, W] with weight [K, C/Groups, Q, R, S], plus bias [K]
// unless that is nil, with extents as of Conv2D. It takes Stride, Padding, SamePadding, Dilation and Groups.
func (x *Tensor) Conv3D(weight, bias *Tensor, opts ...ConvOption) *Tensor {
	return x.conv(weight, bias, readWindow("convolution", 3, 1, opts), op.Invalid)
}

// conv2DReLU returns the ReLU of Conv2D by a window that a layer keeps, without keeping what lies between.
func (x *Tensor) conv2DReLU(weight, bias *Tensor, p op.Window) *Tensor {
	return x.conv(weight, bias, windowOf(p), op.ReLU).rectified()
}

// conv is a convolution over the last axes of x. No record is made of what follows it.
func (x *Tensor) conv(weight, bias *Tensor, w window, then op.Op) *Tensor {
	if a := autocastOf(x, weight); a != nil {
		x, weight, bias = a.three("convolution", x, weight, bias)
	}
	x.checkConvTypes(w.axes, weight, bias)
	x.refuseConv(&w, weight)
	if x.unbatched("conv", w.axes, weight, bias) {
		return x.Unsqueeze(0).conv(weight, bias, w, then).SqueezeAxis(0)
	}
	x.checkConv(weight, bias, &w)
	if w.same {
		return x.padSame(weight, &w).conv(weight, bias, w, then)
	}
	w.fast = w.fast && w.axes == 2 && x.dtype == dtype.Float32
	out := x.empty(op.Conv, x.dtype, x.convShape(weight, &w), weight, bias)
	w.convolve(then, out, x, weight, bias)
	record(out, op.Conv, convGrad, w, x, weight, bias).save(x, weight)
	return out
}

func convGrad(b *backprop, dy *Tensor) {
	w, x, weight := b.params().(window), b.saved(0), b.saved(1)
	if b.needs(0) && b.needs(1) {
		dy = w.packed(dy, x, weight)
	}
	b.giveNeeded(0, func() *Tensor { return w.gradInput(dy, weight, x.layout.Shape()) })
	b.giveNeeded(1, func() *Tensor { return w.gradWeight(dy, x, weight.layout.Shape()) })
	b.giveNeeded(2, func() *Tensor { return dy.SumAxes([]int{0, 2, 3, 4}[:dy.layout.Rank()-1]) })
}

// packed returns dy with its channels last where both gradients would copy it to that, as the sum over pixels would too, for conv3x3_bf16_grad.
func (w *window) packed(dy, x, weight *Tensor) *Tensor {
	p, packs := dy.storage.backend.(backend.Packer)
	if !packs || w.axes != 2 || !p.PacksGradients(dy.dtype, w.plane(), x.layout.Shape(), weight.layout.Shape(), dy.layout.Shape()) {
		return dy
	}
	return dy.Permute(0, 2, 3, 1).Contiguous().Permute(0, 3, 1, 2)
}

// ConvTranspose1D returns the transposed convolution of x [N, C, L] or [C, L] with weight [C, K/Groups, S], plus bias [K] unless
// that is nil: the gradient that Conv1D with this weight hands to its input. The result has
// (L-1)·Stride - 2·Padding + Dilation·(S-1) + OutputPadding + 1 positions. It takes Stride, Padding, OutputPadding, Dilation and
// Groups.
func (x *Tensor) ConvTranspose1D(weight, bias *Tensor, opts ...ConvTransposeOption) *Tensor {
	return x.convTranspose(weight, bias, readWindow("conv_transpose1d", 1, 1, opts))
}

// ConvTranspose2D is ConvTranspose1D over two axes: of x [N, C, H, W] or [C, H, W] with weight [C, K/Groups, R, S].
func (x *Tensor) ConvTranspose2D(weight, bias *Tensor, opts ...ConvTransposeOption) *Tensor {
	return x.convTranspose(weight, bias, readWindow("conv_transpose2d", 2, 1, opts))
}

// ConvTranspose3D is ConvTranspose1D over three axes: of x [N, C, D, H, W] or [C, D, H, W] with weight [C, K/Groups, Q, R, S].
func (x *Tensor) ConvTranspose3D(weight, bias *Tensor, opts ...ConvTransposeOption) *Tensor {
	return x.convTranspose(weight, bias, readWindow("conv_transpose3d", 3, 1, opts))
}

func (x *Tensor) convTranspose(weight, bias *Tensor, w window) *Tensor {
	if a := autocastOf(x, weight); a != nil {
		x, weight, bias = a.three("conv_transpose", x, weight, bias)
	}
	x.checkConvTypes(w.axes, weight, bias)
	if x.dtype != dtype.Int64 || x.IsCUDA() {
		x.refuseWindows(fmt.Sprintf("slow_conv_transpose%dd_out_cpu", max(w.axes, 2)), false, weight)
	}
	if x.unbatched("conv_transpose", w.axes, weight, bias) {
		return x.Unsqueeze(0).convTranspose(weight, bias, w).SqueezeAxis(0)
	}
	x.checkConvTranspose(weight, bias, &w)
	out := w.transposed(x, weight, bias, x.convTransposeShape(weight, &w))
	record(out, op.Conv, convTransposeGrad, w, x, weight, bias).save(x, weight)
	return out
}

func convTransposeGrad(b *backprop, dy *Tensor) {
	w, x, weight := b.params().(window), b.saved(0), b.saved(1)
	b.giveNeeded(0, func() *Tensor { return w.convolved(dy, weight, x.layout.Shape()) })
	b.giveNeeded(1, func() *Tensor { return w.gradWeight(x, dy, weight.layout.Shape()) })
	b.giveNeeded(2, func() *Tensor { return dy.SumAxes([]int{0, 2, 3, 4}[:dy.layout.Rank()-1]) })
}

// unbatched reports whether x lacks the axis of images, and panics where it has some other number of axes.
func (x *Tensor) unbatched(name string, axes int, weight, bias *Tensor) bool {
	rank := x.layout.Rank()
	if rank != axes+1 && rank != axes+2 {
		fail("convolution", ErrShape, fmt.Sprintf("Expected %dD (unbatched) or %dD (batched) input to %s%dd, but got input of size: %s",
			axes+1, axes+2, name, axes, x.layout.Shape().List()), x, weight, bias)
	}
	return rank == axes+1
}

// padSame makes w a window with padding under which results have x's extents, and returns x with what that padding lacks at the
// end of axes on which it is uneven.
func (x *Tensor) padSame(weight *Tensor, w *window) *Tensor {
	var lacks []int
	uneven := false
	for i := 2; i > 2-w.axes; i-- {
		total := w.dilation[i] * (weight.layout.Shape()[i+w.axes-1] - 1)
		w.padding[i] = total / 2
		lacks = append(lacks, 0, total%2)
		uneven = uneven || total%2 != 0
	}
	w.same = false
	if !uneven {
		return x
	}
	return x.Pad(lacks, 0)
}

// convShape returns the shape of the result and panics where the weight is larger than what it slides over.
func (x *Tensor) convShape(weight *Tensor, w *window) Shape {
	shape := []int{x.layout.Shape()[0], weight.layout.Shape()[0]}
	var padded, kernel []int
	fits := true
	for i := range w.axes {
		at := 3 - w.axes + i
		n := x.layout.Shape()[2+i] + 2*w.padding[at]
		k := w.dilation[at]*(weight.layout.Shape()[2+i]-1) + 1
		padded, kernel = append(padded, n), append(kernel, k)
		fits = fits && n >= k
		shape = append(shape, (n-k)/w.stride[at]+1)
	}
	if !fits {
		fail("convolution", ErrShape, fmt.Sprintf("Calculated padded input size per channel: (%s). Kernel size: (%s). Kernel size can't be greater than actual input size",
			by(padded), by(kernel)), x, weight)
	}
	return checkSizes("convolution", shape)
}

// convTransposeShape returns the shape of the result and panics where nothing is left of it.
func (x *Tensor) convTransposeShape(weight *Tensor, w *window) Shape {
	shape := []int{x.layout.Shape()[0], weight.layout.Shape()[1] * w.groups}
	for i := range w.axes {
		at := 3 - w.axes + i
		shape = append(shape, (x.layout.Shape()[2+i]-1)*w.stride[at]-2*w.padding[at]+w.dilation[at]*(weight.layout.Shape()[2+i]-1)+w.outputPadding[at]+1)
	}
	for _, n := range shape[2:] {
		if n < 1 {
			fail("convolution", ErrShape, fmt.Sprintf("Given input size per channel: (%s). Calculated output size per channel: (%s). Output size is too small",
				by(x.layout.Shape()[2:]), by(shape[2:])), x, weight)
		}
	}
	return checkSizes("convolution", shape)
}
