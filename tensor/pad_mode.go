package tensor

import (
	"fmt"

	"cresset/dtype"
)

// PadReflect returns x with elements around it that mirror it at its first and last ones, which are not repeated. pads is as for Pad,
// of one to three axes; there must be at least one axis more, and fewer elements are added than there are.
func (x *Tensor) PadReflect(pads []int) *Tensor {
	return x.padBy("reflection", pads, func(axis, before, after, n int) {
		if before >= n || after >= n {
			fail("pad", ErrShape, fmt.Sprintf("Argument #%d: Padding size should be less than the corresponding input dimension, but got: padding (%d, %d) at dimension %d of input %s",
				4+2*(x.Dim()-1-axis), before, after, axis, x.layout.Shape().List()), x)
		}
	}, func(i, n, _, _ int) int {
		if i < 0 {
			i = -i
		}
		return n - 1 - max(i-(n-1), -(i-(n-1)))
	})
}

// PadReplicate returns x with its first and last elements repeated around it. pads is as for PadReflect.
func (x *Tensor) PadReplicate(pads []int) *Tensor {
	return x.padBy("replication", pads, func(axis, _, _, n int) {
		if n == 0 {
			fail("pad", ErrShape, fmt.Sprintf("Expected 2D or 3D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: %s",
				x.layout.Shape().List()), x)
		}
	}, func(i, n, _, _ int) int { return max(0, min(i, n-1)) })
}

// PadCircular returns x with elements of its other end around it. pads is as for PadReflect; what a negative one takes away is no
// part of the circle.
func (x *Tensor) PadCircular(pads []int) *Tensor {
	return x.padBy("circular", pads, func(_, before, after, n int) {
		if round := n + min(before, 0) + min(after, 0); before > round || after > round {
			fail("pad", ErrShape, "Padding value causes wrapping around more than once.", x)
		}
	}, func(i, n, before, after int) int {
		first, round := max(-before, 0), n+min(before, 0)+min(after, 0)
		return first + (i-first+round)%round
	})
}

// padBy pads one axis after the other: place tells which element of n stands at i, which may lie outside, where so many come before and
// after. Only a circle takes bool.
func (x *Tensor) padBy(mode string, pads []int, check func(axis, before, after, n int), place func(i, n, before, after int) int) *Tensor {
	if a := autocastOf(x, nil); a != nil {
		x = a.one(mode+"_pad", x)
	}
	rank, axes := x.layout.Rank(), len(pads)/2
	if len(pads)%2 != 0 {
		fail("pad", ErrValue, "Padding length must be divisible by 2", x)
	}
	if axes < 1 || axes > 3 || rank != axes+1 && rank != axes+2 {
		fail("pad", ErrShape, fmt.Sprintf("Padding size %d is not supported for %dD input tensor.\n"+
			"Supported combinations for non-constant padding:\n"+
			"  - 2D or 3D input: padding size = 2 (pads last dimension)\n"+
			"  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"+
			"  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)", len(pads), rank), x)
	}
	if x.dtype == dtype.Bool && mode != "circular" {
		fail("pad", ErrKernel, noKernel(fmt.Sprintf("%s_pad%dd", mode, axes), x.dtype, x), x)
	}
	for i := range axes {
		axis, before, after := rank-1-i, pads[2*i], pads[2*i+1]
		n := x.layout.Shape()[axis]
		check(axis, before, after, n)
		size := x.paddedExtent(axis, before, after)
		if size < 1 {
			fail("pad", ErrShape, "Negative padding value is resulting in an empty dimension", x)
		}
		from := make([]int64, size)
		for j := range from {
			from[j] = int64(place(j-before, n, before, after))
		}
		x = x.IndexSelect(axis, constantOn(Of(from), x.storage.device, dtype.Int64))
	}
	return x
}
