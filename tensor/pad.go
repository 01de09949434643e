package tensor

import (
	"fmt"

	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// Pad returns x with elements of value around it: pads holds how many before and after the last axis, then before and after
// the one in front of it, and so on. Negative numbers crop.
func (x *Tensor) Pad(pads []int, value any) *Tensor {
	s := scalarOf("pad", value)
	fits("pad", s, x.dtype)
	out := x.padded(pads, s)
	record(out, op.Pad, padGrad, append([]int{}, pads...), x)
	return out
}

// padGrad crops what Pad added, and pads with zeros what it cropped.
func padGrad(b *backprop, dy *Tensor) {
	pads := b.params().([]int)
	back := make([]int, len(pads))
	for i, n := range pads {
		back[i] = -n
	}
	g := dy.padded(back, backend.Scalar{})
	record(g, op.Pad, padGrad, ifTracked(dy, back), dy)
	b.give(0, g)
}

func (x *Tensor) padded(pads []int, value backend.Scalar) *Tensor {
	rank := x.layout.Rank()
	if len(pads)%2 != 0 {
		fail("pad", ErrValue, fmt.Sprintf("Length of pad must be even but instead it equals %d", len(pads)), x)
	}
	if len(pads)/2 > rank {
		fail("pad", ErrValue, fmt.Sprintf("Length of pad should be no more than twice the number of dimensions of the input. Pad length is %d while the input has %d dimensions.",
			len(pads), rank), x)
	}
	shape, from := x.Shape(), *x.layout
	for i := range len(pads) / 2 {
		axis := rank - 1 - i
		before, after := pads[2*i], pads[2*i+1]
		shape[axis] = x.paddedExtent(axis, before, after)
		from = crop(from, axis, before, after)
	}
	out := x.empty(op.Pad, x.dtype, shape).fill(value)
	to := *out.layout
	for i := range len(pads) / 2 {
		to = crop(to, rank-1-i, -pads[2*i], -pads[2*i+1])
	}
	out.alias(to).copyFrom(x.alias(from))
	return out
}

func (x *Tensor) paddedExtent(axis, before, after int) int {
	n := x.layout.Shape()[axis]
	switch {
	case before > maxBytes-n || after > maxBytes-n-max(before, 0):
		fail("pad", ErrMemory, "Storage size calculation overflowed", x)
	case before < -n || after < -n || n+min(before, 0)+min(after, 0) < 0:
		fail("pad", ErrShape, fmt.Sprintf("The input size %d, plus negative padding %d and %d, resulted in a negative output size, which is invalid. "+
			"Check dimension %d of your input.", n, before, after, axis), x)
	}
	return n + before + after
}

// crop removes elements where before and after are negative.
func crop(l layout.Layout, axis, before, after int) layout.Layout {
	n := l.Shape()[axis]
	return l.Narrow(nil, axis, max(-before, 0), n-max(-after, 0), 1)
}
