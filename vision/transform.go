package vision

import (
	"fmt"

	"cresset/dtype"
	"cresset/tensor"
)

// Transform changes a picture, or several of one size, whose last three axes are channels, height and width. What is random is drawn
// from g, as torchvision draws it from the default generator, which nil stands for. The picture that it is given stays as it was. A
// Transform is an option of ReadFolder.
type Transform func(x *tensor.Tensor, g *tensor.Generator) *tensor.Tensor

// Compose returns the transforms one after another. Memory that they take on the way is given back at once.
func Compose(ts ...Transform) Transform {
	return func(x *tensor.Tensor, g *tensor.Generator) *tensor.Tensor {
		s := tensor.NewScope()
		defer s.Close()
		y := s.Enter(x)
		for _, t := range ts {
			y = t(y, g)
		}
		return s.Keep(y)
	}
}

// ToFloat returns a transform that makes of uint8 from 0 to 255 float32 from 0 to 1. Floating dtypes stay as they are.
func ToFloat() Transform {
	return func(x *tensor.Tensor, _ *tensor.Generator) *tensor.Tensor {
		if x.DType().IsFloat() {
			return x
		}
		wantBytes(x)
		return x.Float().DivScalar(255)
	}
}

// Normalize returns a transform of (x - mean[c]) / std[c] for each channel c. Pictures have to be of floating dtype. It panics where there
// are not as many means as deviations, and where a deviation is 0.
func Normalize(mean, std []float64) Transform {
	if len(mean) != len(std) || len(mean) == 0 {
		refuse(tensor.ErrValue, "there are %d means and %d deviations", len(mean), len(std))
	}
	for _, v := range std {
		if v == 0 {
			refuse(tensor.ErrValue, "std evaluated to zero, leading to division by zero.")
		}
	}
	m, s := tensor.Of(mean).Unsqueeze(1).Unsqueeze(2), tensor.Of(std).Unsqueeze(1).Unsqueeze(2)
	return func(x *tensor.Tensor, _ *tensor.Generator) *tensor.Tensor {
		if !x.DType().IsFloat() {
			refuse(tensor.ErrDType, "Input tensor should be a float tensor. Got %v.", x.DType())
		}
		return x.Sub(m.To(x.DType())).Div(s.To(x.DType()))
	}
}

// RandomHorizontalFlip returns a transform that mirrors left and right with a probability, which is 0.5 in torchvision unless given.
func RandomHorizontalFlip(p float64) Transform { return randomFlip(p, -1) }

// RandomVerticalFlip returns a transform that mirrors top and bottom with a probability.
func RandomVerticalFlip(p float64) Transform { return randomFlip(p, -2) }

func randomFlip(p float64, axis int) Transform {
	if !(p >= 0 && p <= 1) {
		refuse(tensor.ErrValue, "a flip's probability has to be between 0 and 1, but got %v", p)
	}
	return func(x *tensor.Tensor, g *tensor.Generator) *tensor.Tensor {
		if (tensor.Place{}).With(g).Rand(1).Float64() < p {
			return x.Flip(axis)
		}
		return x
	}
}

// size returns the last three sizes.
func size(x *tensor.Tensor) (channels, height, width int) {
	s := x.Shape()
	if len(s) < 3 {
		refuse(tensor.ErrShape, "a picture has three axes, channels, height and width, but got %v", s)
	}
	return s[len(s)-3], s[len(s)-2], s[len(s)-1]
}

// between draws a number.
func between(low, high float64, g *tensor.Generator) float64 {
	return tensor.Place{}.With(g).Empty(1).UniformInPlace(low, high, g).Float64()
}

// below draws an integer from 0 to n-1.
func below(n int, g *tensor.Generator) int {
	return int(tensor.Place{}.With(g).RandInt(0, n, 1).Item().(int64))
}

// computed returns f of a picture as floats, 255 being the most for bytes, and rounds the result of bytes to bytes by the function.
func computed(x *tensor.Tensor, back, f func(x *tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
	if x.DType().IsFloat() {
		return f(x)
	}
	wantBytes(x)
	return back(f(x.Float())).To(dtype.Uint8)
}

func wantBytes(x *tensor.Tensor) {
	if x.DType() != dtype.Uint8 {
		refuse(tensor.ErrDType, "pictures are of torch.uint8 or of a floating dtype, not of %v", x.DType())
	}
}

// refuse panics with the text for a mistake of the caller.
func refuse(kind error, format string, args ...any) {
	panic(&tensor.Error{Op: "vision", Kind: kind, Err: fmt.Errorf(format, args...)})
}
