package nn

import (
	"fmt"
	"math"
	"strconv"

	"cresset/tensor"
)

// GELU is x·Φ(x), or its approximation by tanh.
type GELU struct{ Approximate bool }

// NewGELU returns the activation, exact unless told otherwise by Approximate.
func NewGELU(opts ...GELUOption) *GELU { return &GELU{Approximate: read(opts).approximate} }

// Approximate says whether GELU is approximated by tanh, PyTorch's approximate='tanh'.
func Approximate(on bool) GELUOption { return option(func(o *options) { o.approximate = on }) }

// Forward returns x·Φ(x).
func (a *GELU) Forward(x *tensor.Tensor) *tensor.Tensor {
	if a.Approximate {
		return x.GELUTanh()
	}
	return x.GELU()
}

// String prints the layer as PyTorch does.
func (a *GELU) String() string {
	if a.Approximate {
		return "GELU(approximate='tanh')"
	}
	return "GELU(approximate='none')"
}

// Softplus is log(1+exp(Beta·x))/Beta, and x itself where Beta·x > Threshold.
type Softplus struct{ Beta, Threshold float64 }

// NewSoftplus returns the activation. It takes Beta and Threshold.
func NewSoftplus(opts ...SoftplusOption) *Softplus {
	o := read(opts)
	return &Softplus{o.beta, o.threshold}
}

// Beta is Softplus's sharpness, 1 unless given.
func Beta(beta float64) SoftplusOption { return option(func(o *options) { o.beta = beta }) }

// Threshold is the value of beta·x above which Softplus is x itself, 20 unless given.
func Threshold(threshold float64) SoftplusOption {
	return option(func(o *options) { o.threshold = threshold })
}

// Forward returns log(1+exp(Beta·x))/Beta.
func (a *Softplus) Forward(x *tensor.Tensor) *tensor.Tensor { return x.Softplus(a.Beta, a.Threshold) }

// String prints the layer as PyTorch does.
func (a *Softplus) String() string {
	return fmt.Sprintf("Softplus(beta=%s, threshold=%s)", number(a.Beta), number(a.Threshold))
}

// Softmax is eˣ/Σeˣ along Axis.
type Softmax struct{ Axis int }

// NewSoftmax returns the activation along an axis.
func NewSoftmax(axis int) *Softmax { return &Softmax{axis} }

// Forward returns eˣ/Σeˣ.
func (a *Softmax) Forward(x *tensor.Tensor) *tensor.Tensor { return x.Softmax(a.Axis) }

// String prints the layer as PyTorch does.
func (a *Softmax) String() string { return fmt.Sprintf("Softmax(dim=%d)", a.Axis) }

// number prints a float as Python does: 20.0, 0.01, 1e-05.
func number(v float64) string {
	size := math.Abs(v)
	if size != 0 && (size < 1e-4 || size >= 1e16) {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if size == math.Trunc(size) && !math.IsInf(v, 0) {
		s += ".0"
	}
	return s
}
