package tensor

import (
	"cresset/internal/layout"
	"cresset/internal/op"
)

// The kernels of convolutions slide over planes. A line is a plane of height one. A convolution over volumes is one over the planes of
// its result, in which the taps along the depth stand beside the channels: x [N, C, D, H, W] becomes [N·OD, C·Q, H, W], and the weight
// [K, C, Q, R, S] lies in memory as [K, C·Q, R, S].

// convolve writes the convolution of x, and what follows it, to out.
func (w *window) convolve(then op.Op, out, x, weight, bias *Tensor) {
	if w.axes < 3 {
		launchThen(then, op.Conv, x.dtype, w.plane(), []*Tensor{out.planes()}, []*Tensor{x.planes(), weight.planes(), bias})
		return
	}
	s := out.layout.Shape()
	y := out.empty(op.Conv, out.dtype, Shape{s[0] * s[2], s[1], s[3], s[4]})
	launchThen(then, op.Conv, x.dtype, w.plane(), []*Tensor{y}, []*Tensor{w.lowered(x, weight, s[2]), weight.tapsBesideChannels(), bias})
	out.copyFrom(y.planesOf(s[0]))
}

// convolved returns the convolution of x, of a shape.
func (w *window) convolved(x, weight *Tensor, shape Shape) *Tensor {
	out := x.empty(op.Conv, x.dtype, shape, weight)
	w.convolve(op.Invalid, out, x, weight, nil)
	record(out, op.Conv, convGrad, w.boxed(x, weight), x, weight, nil).save(x, weight)
	return out
}

// gradInput returns the gradient of a convolution for its input, of a shape.
func (w *window) gradInput(dy, weight *Tensor, shape Shape) *Tensor {
	dx := w.transposed(dy, weight, nil, shape)
	record(dx, op.Conv, convTransposeGrad, w.boxed(dy, weight), dy, weight, nil).save(dy, weight)
	return dx
}

// boxed returns the window where x or y tracks gradients, else nil, for which nothing is allocated.
func (w *window) boxed(x, y *Tensor) any {
	if x.node == nil && y.node == nil {
		return nil
	}
	return *w
}

// transposed is gradInput plus bias, which may be nil, without a gradient record.
func (w *window) transposed(dy, weight, bias *Tensor, shape Shape) *Tensor {
	if w.axes < 3 {
		dx := dy.empty(op.ConvGradInput, dy.dtype, shape, weight, bias)
		launch(op.ConvGradInput, dy.dtype, w.plane(), []*Tensor{dx.planes()}, []*Tensor{dy.planes(), weight.planes(), bias})
		return dx
	}
	from, taps := dy.layout.Shape(), weight.layout.Shape()[2]
	dx := dy.empty(op.ConvGradInput, dy.dtype, Shape{from[0] * from[2], shape[1] * taps, shape[3], shape[4]}, weight)
	launch(op.ConvGradInput, dy.dtype, w.plane(), []*Tensor{dx}, []*Tensor{dy.volumePlanes(), weight.tapsBesideChannels()})
	out := w.raised(dx, shape, from[2], taps)
	if bias != nil {
		out.addInto(bias.packedCopy().viewed(bias.NumEl(), 1, 1, 1))
	}
	return out
}

// gradWeight returns the gradient of a convolution for its weight, of a shape.
func (w *window) gradWeight(dy, x *Tensor, shape Shape) *Tensor {
	dw := w.correlated(dy, x, shape)
	record(dw, op.Conv, gradWeightGrad, w.boxed(dy, x), dy, x).save(dy, x)
	return dw
}

func gradWeightGrad(b *backprop, g *Tensor) {
	w, dy, x := b.params().(window), b.saved(0), b.saved(1)
	b.giveNeeded(0, func() *Tensor { return w.convolved(x, g, dy.layout.Shape()) })
	b.giveNeeded(1, func() *Tensor { return w.gradInput(dy, g, x.layout.Shape()) })
}

// correlated is gradWeight without a gradient record.
func (w *window) correlated(dy, x *Tensor, shape Shape) *Tensor {
	dw := dy.empty(op.ConvGradWeight, dy.dtype, shape, x)
	if w.axes < 3 {
		launch(op.ConvGradWeight, dy.dtype, w.plane(), []*Tensor{dw.planes()}, []*Tensor{dy.planes(), x.planes()})
		return dw
	}
	launch(op.ConvGradWeight, dy.dtype, w.plane(), []*Tensor{dw.tapsBesideChannels()},
		[]*Tensor{dy.volumePlanes(), w.lowered(x, dw, dy.layout.Shape()[2])})
	return dw
}

// planes gives operands of a convolution over one axis a height of one.
func (x *Tensor) planes() *Tensor {
	if x.layout.Rank() == 4 {
		return x
	}
	return x.alias(x.layout.Unsqueeze(nil, 2))
}

// lowered returns x's planes with the taps along the depth beside the channels, for each plane of the result.
func (w *window) lowered(x, weight *Tensor, depth int) *Tensor {
	xs, taps := x.layout.Shape(), weight.layout.Shape()[2]
	if p := w.padding[0]; p > 0 {
		padded := x.zeros(Shape{xs[0], xs[1], xs[2] + 2*p, xs[3], xs[4]})
		padded.alias(padded.layout.Narrow(nil, 2, p, p+xs[2], 1)).copyFrom(x)
		x = padded
	}
	t := x.layout.Strides()
	from := layout.Of(Shape{xs[0], depth, xs[1], taps, xs[3], xs[4]},
		[]int{t[0], t[2] * w.stride[0], t[1], t[2] * w.dilation[0], t[3], t[4]}, x.layout.Offset)
	to := x.empty(op.Copy, x.dtype, from.Shape()).copyFrom(x.alias(from))
	return to.viewed(xs[0]*depth, xs[1]*taps, xs[3], xs[4])
}

// raised is the reverse of lowered: it adds what the taps hold to the planes of a volume of a shape.
func (w *window) raised(y *Tensor, shape Shape, depth, taps int) *Tensor {
	p := w.padding[0]
	reach := (depth-1)*w.stride[0] + (taps-1)*w.dilation[0] + 1
	sum := y.zeros(Shape{shape[0], shape[1], max(shape[2]+2*p, reach), shape[3], shape[4]})
	y = y.viewed(shape[0], depth, shape[1], taps, shape[3], shape[4])
	for tap := range taps {
		from := tap * w.dilation[0]
		to := sum.alias(sum.layout.Narrow(nil, 2, from, from+(depth-1)*w.stride[0]+1, w.stride[0]))
		to.addInto(y.alias(y.layout.Select(nil, 3, tap).Transpose(nil, 1, 2)))
	}
	if sum.layout.Shape().Equal(shape) {
		return sum
	}
	return sum.alias(sum.layout.Narrow(nil, 2, p, p+shape[2], 1)).packedCopy()
}

// tapsBesideChannels returns a weight [K, C, Q, R, S], or the fresh gradient of one, as [K, C·Q, R, S].
func (x *Tensor) tapsBesideChannels() *Tensor {
	s := x.layout.Shape()
	return x.packedCopy().viewed(s[0], s[1]*s[2], s[3], s[4])
}

// volumePlanes returns x [N, K, D, H, W] as [N·D, K, H, W].
func (x *Tensor) volumePlanes() *Tensor {
	s := x.layout.Shape()
	return x.alias(x.layout.Transpose(nil, 1, 2)).packedCopy().viewed(s[0]*s[2], s[1], s[3], s[4])
}

// planesOf returns planes [N·D, K, H, W] of n volumes as [N, K, D, H, W].
func (x *Tensor) planesOf(n int) *Tensor {
	s := x.layout.Shape()
	y := x.viewed(n, s[0]/max(n, 1), s[1], s[2], s[3])
	return y.alias(y.layout.Transpose(nil, 1, 2))
}

// viewed returns x, which is contiguous, under another shape, without a gradient record.
func (x *Tensor) viewed(sizes ...int) *Tensor {
	l, _ := x.layout.View(sizes)
	return x.alias(l)
}
