package vision

import (
	"math"

	"cresset/tensor"
)

// Resize returns a transform that makes the shorter edge of a picture so long, and the other in proportion. Each pixel is a mean over all
// that it stands for: F.interpolate's bilinear mode with antialias, computed in float32; bytes are rounded, which
// agrees with PIL's to one step of 255. It panics where the size is not positive.
func Resize(edge int) Transform {
	wantPositive(edge, edge)
	return func(x *tensor.Tensor, _ *tensor.Generator) *tensor.Tensor {
		_, h, w := size(x)
		if h < w {
			return resized(x, edge, edge*w/h)
		}
		return resized(x, edge*h/w, edge)
	}
}

// ResizeTo is Resize to a height and a width.
func ResizeTo(height, width int) Transform {
	wantPositive(height, width)
	return func(x *tensor.Tensor, _ *tensor.Generator) *tensor.Tensor { return resized(x, height, width) }
}

func resized(x *tensor.Tensor, height, width int) *tensor.Tensor {
	_, h, w := size(x)
	if h == height && w == width {
		return x
	}
	return computed(x, (*tensor.Tensor).Round, func(x *tensor.Tensor) *tensor.Tensor {
		lead := x.Shape()[:x.Dim()-2]
		flat := x.Reshape(1, -1, h, w).Interpolate([]int{height, width}, tensor.Bilinear, tensor.Antialias(true))
		return flat.Reshape(append(append([]int{}, lead...), height, width)...)
	})
}

// CenterCrop returns a transform that cuts out the middle, with a black border where a picture is smaller. It panics where a size is
// not positive.
func CenterCrop(height, width int) Transform {
	wantPositive(height, width)
	return func(x *tensor.Tensor, _ *tensor.Generator) *tensor.Tensor {
		_, h, w := size(x)
		if width > w || height > h {
			left, top := max(width-w, 0), max(height-h, 0)
			x = x.Pad([]int{left / 2, (left + 1) / 2, top / 2, (top + 1) / 2}, 0)
			_, h, w = size(x)
		}
		middle := func(n int) int { return int(math.RoundToEven(float64(n) / 2)) }
		return crop(x, middle(h-height), middle(w-width), height, width)
	}
}

// CropOption is an option of RandomCrop.
type CropOption func(*cropping)

type cropping struct {
	padding  int
	ifNeeded bool
	fill     float64
}

// Padding puts a border of so many pixels around a picture before it is cropped.
func Padding(n int) CropOption { return func(c *cropping) { c.padding = n } }

// PadIfNeeded puts a border around pictures that are smaller than what is cut out, which are an error otherwise.
func PadIfNeeded(on bool) CropOption { return func(c *cropping) { c.ifNeeded = on } }

// Fill is the value of the border, 0 unless given.
func Fill(v float64) CropOption { return func(c *cropping) { c.fill = v } }

// RandomCrop returns a transform that cuts out a part at a random place. It panics where a size is not positive.
func RandomCrop(height, width int, opts ...CropOption) Transform {
	wantPositive(height, width)
	var c cropping
	for _, set := range opts {
		set(&c)
	}
	return func(x *tensor.Tensor, g *tensor.Generator) *tensor.Tensor {
		if c.padding > 0 {
			x = x.Pad([]int{c.padding, c.padding, c.padding, c.padding}, c.fill)
		}
		if _, _, w := size(x); c.ifNeeded && w < width {
			x = x.Pad([]int{width - w, width - w}, c.fill)
		}
		if _, h, _ := size(x); c.ifNeeded && h < height {
			x = x.Pad([]int{0, 0, height - h, height - h}, c.fill)
		}
		_, h, w := size(x)
		if h < height || w < width {
			refuse(tensor.ErrShape, "Required crop size (%d, %d) is larger than input image size (%d, %d)", height, width, h, w)
		}
		if h == height && w == width {
			return x
		}
		top := below(h-height+1, g)
		return crop(x, top, below(w-width+1, g), height, width)
	}
}

// ResizedCropOption is an option of RandomResizedCrop.
type ResizedCropOption func(*resizedCropping)

type resizedCropping struct{ scale, ratio [2]float64 }

// Scale is how much of a picture's area is cut out, from 0.08 to 1 unless given.
func Scale(least, most float64) ResizedCropOption {
	return func(c *resizedCropping) { c.scale = [2]float64{least, most} }
}

// Ratio is the width over the height of what is cut out, from 3/4 to 4/3 unless given.
func Ratio(least, most float64) ResizedCropOption {
	return func(c *resizedCropping) { c.ratio = [2]float64{least, most} }
}

// RandomResizedCrop returns a transform that cuts out a part of random area, shape and place, and resizes it. It panics where a size is
// not positive, and for a Scale or Ratio from more to less.
func RandomResizedCrop(height, width int, opts ...ResizedCropOption) Transform {
	wantPositive(height, width)
	c := resizedCropping{[2]float64{0.08, 1}, [2]float64{3.0 / 4, 4.0 / 3}}
	for _, set := range opts {
		set(&c)
	}
	if !(c.scale[0] > 0 && c.scale[0] <= c.scale[1] && c.ratio[0] > 0 && c.ratio[0] <= c.ratio[1]) {
		refuse(tensor.ErrValue, "Scale and ratio should be of kind (min, max), but got %v and %v", c.scale, c.ratio)
	}
	return func(x *tensor.Tensor, g *tensor.Generator) *tensor.Tensor {
		_, h, w := size(x)
		top, left, partHeight, partWidth := c.part(h, w, g)
		return resized(crop(x, top, left, partHeight, partWidth), height, width)
	}
}

// part draws what is cut out; where ten draws do not fit it is the largest middle part of a ratio that is allowed.
func (c *resizedCropping) part(h, w int, g *tensor.Generator) (top, left, height, width int) {
	low, high := math.Log(c.ratio[0]), math.Log(c.ratio[1])
	for range 10 {
		area := float64(h*w) * between(c.scale[0], c.scale[1], g)
		ratio := exp32(between(low, high, g))
		width := int(math.RoundToEven(math.Sqrt(area * ratio)))
		height := int(math.RoundToEven(math.Sqrt(area / ratio)))
		if width > 0 && width <= w && height > 0 && height <= h {
			top := below(h-height+1, g)
			return top, below(w-width+1, g), height, width
		}
	}
	width, height = w, h
	switch ratio := float64(w) / float64(h); {
	case ratio < c.ratio[0]:
		height = int(math.RoundToEven(float64(w) / c.ratio[0]))
	case ratio > c.ratio[1]:
		width = int(math.RoundToEven(float64(h) * c.ratio[1]))
	}
	return (h - height) / 2, (w - width) / 2, height, width
}

// exp32 is e**x in float32, as PyTorch takes it of a tensor.
func exp32(x float64) float64 { return float64(float32(math.Exp(x))) }

// crop returns a part of a picture, which shares its memory.
func crop(x *tensor.Tensor, top, left, height, width int) *tensor.Tensor {
	return x.Narrow(-2, top, height).Narrow(-1, left, width)
}

func wantPositive(height, width int) {
	if height < 1 || width < 1 {
		refuse(tensor.ErrValue, "Input and output sizes should be greater than 0, but got a result of %dx%d", height, width)
	}
}
