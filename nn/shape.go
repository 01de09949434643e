package nn

import (
	"fmt"
	"strings"

	"cresset/tensor"
)

// Unflatten divides an axis into several.
type Unflatten struct {
	Axis int
	Size []int // of which one may be -1, which follows from the others
}

// NewUnflatten returns the layer.
func NewUnflatten(axis int, size ...int) *Unflatten { return &Unflatten{axis, size} }

// Forward returns x with its axis divided.
func (u *Unflatten) Forward(x *tensor.Tensor) *tensor.Tensor { return x.Unflatten(u.Axis, u.Size...) }

// String prints the layer as PyTorch does.
func (u *Unflatten) String() string {
	return fmt.Sprintf("Unflatten(dim=%d, unflattened_size=%s)", u.Axis, tuple(u.Size...))
}

// Shuffle moves channels, or elements between channels and places.
type Shuffle struct {
	name, factor string
	n            int
	f            func(x *tensor.Tensor, n int) *tensor.Tensor
}

// NewPixelShuffle returns a layer for tensor's PixelShuffle: r² channels become the pixels of a square.
func NewPixelShuffle(r int) *Shuffle {
	return &Shuffle{"PixelShuffle", "upscale_factor", r, (*tensor.Tensor).PixelShuffle}
}

// NewPixelUnshuffle returns a layer for tensor's PixelUnshuffle, the reverse of PixelShuffle.
func NewPixelUnshuffle(r int) *Shuffle {
	return &Shuffle{"PixelUnshuffle", "downscale_factor", r, (*tensor.Tensor).PixelUnshuffle}
}

// NewChannelShuffle returns a layer for tensor's ChannelShuffle: the first channel of each group, then the second of each, and so on.
func NewChannelShuffle(groups int) *Shuffle {
	return &Shuffle{"ChannelShuffle", "groups", groups, (*tensor.Tensor).ChannelShuffle}
}

// Forward returns the elements at their new places.
func (s *Shuffle) Forward(x *tensor.Tensor) *tensor.Tensor { return s.f(x, s.n) }

// String prints the layer as PyTorch does.
func (s *Shuffle) String() string { return fmt.Sprintf("%s(%s=%d)", s.name, s.factor, s.n) }

// Upsample enlarges the last axes of x [N, C, …], to Size or by ScaleFactor.
type Upsample struct {
	Size         []int     // one number for all axes, or one for each; nil: by ScaleFactor
	ScaleFactor  []float64 // likewise
	Mode         tensor.Interpolation
	AlignCorners bool

	name string
}

// UpsampleOption is an option of NewUpsample.
type UpsampleOption interface {
	setter
	upsample()
}

// Size is what an Upsample enlarges to: one number for all axes, or one for each.
func Size(n ...int) UpsampleOption { return option(func(o *options) { o.upsample.Size = n }) }

// ScaleFactor is by how much an Upsample enlarges: one number for all axes, or one for each.
func ScaleFactor(f ...float64) UpsampleOption {
	return option(func(o *options) { o.upsample.ScaleFactor = f })
}

// UpsampleMode is how an Upsample finds elements between others, tensor.Nearest unless given.
func UpsampleMode(m tensor.Interpolation) UpsampleOption {
	return option(func(o *options) { o.upsample.Mode = m })
}

// AlignCorners makes an Upsample keep the corners where they are.
func AlignCorners(on bool) UpsampleOption {
	return option(func(o *options) { o.upsample.AlignCorners = on })
}

// NewUpsample returns the layer. It takes Size or ScaleFactor, UpsampleMode and AlignCorners.
func NewUpsample(opts ...UpsampleOption) *Upsample {
	u := read(opts).upsample
	u.name = "Upsample"
	return &u
}

// NewUpsamplingNearest2D returns an Upsample of images by tensor.Nearest. It takes Size or ScaleFactor.
func NewUpsamplingNearest2D(opts ...UpsampleOption) *Upsample {
	u := read(opts).upsample
	u.name, u.Mode = "UpsamplingNearest2d", tensor.Nearest
	return &u
}

// NewUpsamplingBilinear2D returns an Upsample of images by tensor.Bilinear that keeps the corners. It takes Size or ScaleFactor.
func NewUpsamplingBilinear2D(opts ...UpsampleOption) *Upsample {
	u := read(opts).upsample
	u.name, u.Mode, u.AlignCorners = "UpsamplingBilinear2d", tensor.Bilinear, true
	return &u
}

// Forward returns x with larger axes.
func (u *Upsample) Forward(x *tensor.Tensor) *tensor.Tensor {
	opts := []tensor.InterpolateOption{u.Mode, tensor.AlignCorners(u.AlignCorners)}
	if u.ScaleFactor != nil {
		opts = append(opts, tensor.ScaleFactor(u.ScaleFactor...))
	}
	return x.Interpolate(u.Size, opts...)
}

// String prints the layer as PyTorch does.
func (u *Upsample) String() string {
	what := "scale_factor=" + floats(u.ScaleFactor)
	if u.Size != nil {
		what = "size=" + given(u.Size)
	}
	return fmt.Sprintf("%s(%s, mode='%s')", u.name, what, u.Mode)
}

// given prints one number as it is, several as a tuple.
func given(n []int) string {
	if len(n) == 1 {
		return fmt.Sprint(n[0])
	}
	return tuple(n...)
}

// floats prints one number as it is, several as a tuple.
func floats(f []float64) string {
	var parts []string
	for _, v := range f {
		parts = append(parts, number(v))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
