package tensor

import (
	"fmt"
)

// PixelShuffle returns x [*, C·r², H, W] as [*, C, H·r, W·r]: r² channels become the pixels of a square.
func (x *Tensor) PixelShuffle(r int) *Tensor {
	const name = "pixel_shuffle"
	lead, c, h, w := x.image(name, "upscale_factor", r)
	if c%(r*r) != 0 {
		fail(name, ErrShape, fmt.Sprintf("pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "+
			"but input.size(-3)=%d is not divisible by %d", c, r*r), x)
	}
	y := x.Reshape(-1, c/(r*r), r, r, h, w).Permute(0, 1, 4, 2, 5, 3)
	return y.Reshape(append(lead, c/(r*r), h*r, w*r)...)
}

// PixelUnshuffle returns x [*, C, H·r, W·r] as [*, C·r², H, W], the reverse of PixelShuffle.
func (x *Tensor) PixelUnshuffle(r int) *Tensor {
	const name = "pixel_unshuffle"
	lead, c, h, w := x.image(name, "downscale_factor", r)
	if h%r != 0 {
		fail(name, ErrShape, fmt.Sprintf("pixel_unshuffle expects height to be divisible by downscale_factor, but input.size(-2)=%d is not divisible by %d", h, r), x)
	}
	if w%r != 0 {
		fail(name, ErrShape, fmt.Sprintf("pixel_unshuffle expects width to be divisible by downscale_factor, but input.size(-1)=%d is not divisible by %d", w, r), x)
	}
	y := x.Reshape(-1, c, h/r, r, w/r, r).Permute(0, 1, 3, 5, 2, 4)
	return y.Reshape(append(lead, c*r*r, h/r, w/r)...)
}

// image returns the extents of x before its last three axes, and of these.
func (x *Tensor) image(name, factor string, r int) (lead Shape, c, h, w int) {
	shape := x.Shape()
	n := len(shape)
	if n < 3 {
		fail(name, ErrShape, fmt.Sprintf("%s expects input to have at least 3 dimensions, but got input with %d dimension(s)", name, n), x)
	}
	if r < 1 {
		fail(name, ErrValue, fmt.Sprintf("%s expects a positive %s, but got %d", name, factor, r), x)
	}
	return shape[:n-3], shape[n-3], shape[n-2], shape[n-1]
}

// ChannelShuffle divides the channels of x [N, C, …] into groups and returns the first of each group, then the second of each, and so
// on.
func (x *Tensor) ChannelShuffle(groups int) *Tensor {
	const name = "channel_shuffle"
	shape := x.layout.Shape()
	switch {
	case len(shape) < 3:
		fail(name, ErrShape, "channel_shuffle expects input with > 2 dims, but got input with sizes "+shape.List(), x)
	case groups < 1:
		fail(name, ErrValue, fmt.Sprintf("Number of groups to divide channels in must be positive. Value of groups:%d", groups), x)
	case shape[1]%groups != 0:
		fail(name, ErrShape, fmt.Sprintf("Number of channels must be divisible by groups. Got %d channels and %d groups.", shape[1], groups), x)
	}
	rest, _ := shape[2:].NumEl()
	return x.Reshape(shape[0], groups, shape[1]/groups, rest).Transpose(1, 2).Reshape(shape...)
}
