package tensor

import (
	"fmt"
	"math"
)

// FeatureDropout sets whole channels of x [N, C, …] to zero with probability p and scales the others by 1/(1-p). It takes Training and a
// *Generator.
func (x *Tensor) FeatureDropout(p float64, opts ...DropoutOption) *Tensor {
	return x.dropMasked("feature_dropout", p, true, opts, func(noise *Tensor) *Tensor {
		return x.Mul(noise.DivScalar(1 - p))
	})
}

// AlphaDropout gives elements the value that SELU has far below zero with probability p, and scales and shifts all so that mean and
// variance stay as they are. It takes Training and a *Generator.
func (x *Tensor) AlphaDropout(p float64, opts ...DropoutOption) *Tensor {
	return x.dropMasked("alpha_dropout", p, false, opts, func(noise *Tensor) *Tensor { return x.alphaDropped(p, noise) })
}

// FeatureAlphaDropout is AlphaDropout of whole channels of x [N, C, …].
func (x *Tensor) FeatureAlphaDropout(p float64, opts ...DropoutOption) *Tensor {
	return x.dropMasked("feature_alpha_dropout", p, true, opts, func(noise *Tensor) *Tensor { return x.alphaDropped(p, noise) })
}

// alphaDropped returns x where noise is 1, and what SELU has far below zero elsewhere, scaled and shifted.
func (x *Tensor) alphaDropped(p float64, noise *Tensor) *Tensor {
	const alpha = 1.7580993408473766
	a := 1 / math.Sqrt((alpha*alpha*p+1)*(1-p))
	shift := noise.SubScalar(1).MulScalar(alpha * a).AddScalar(alpha * a * p)
	return shift.AddCMul(x, noise, a)
}

// dropMasked computes f of ones and zeros, of which the ones have probability 1 - p: for each element, or for each channel.
func (x *Tensor) dropMasked(name string, p float64, channels bool, opts []DropoutOption, f func(noise *Tensor) *Tensor) *Tensor {
	training, place := true, Like(x)
	for _, o := range opts {
		switch o := o.(type) {
		case Training:
			training = bool(o)
		case *Generator:
			place = place.With(o)
		}
	}
	shape := x.Shape()
	switch {
	case !(0 <= p && p <= 1):
		fail(name, ErrValue, fmt.Sprintf("dropout probability has to be between 0 and 1, but got %v", p), x)
	case p == 0 || !training || x.NumEl() == 0:
		return x
	case !x.dtype.IsFloat():
		fail(name, ErrDType, fmt.Sprintf("result type Float can't be cast to the desired output type %s", x.dtype.ScalarName()), x)
	case p == 1:
		return x.MulScalar(0)
	case channels && len(shape) < 2:
		fail(name, ErrShape, "Feature dropout requires at least 2 dimensions in the input", x)
	}
	if channels {
		for i := range shape[2:] {
			shape[2+i] = 1
		}
	}
	return f(place.Empty(shape...).BernoulliInPlace(1 - p))
}
