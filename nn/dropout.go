package nn

import (
	"fmt"

	"cresset/internal/op"
	"cresset/tensor"
)

// Dropout sets elements to zero with probability P in training and scales the others by 1/(1-P).
type Dropout struct {
	Mode
	P       float64
	InPlace bool
}

// NewDropout returns the layer; it panics unless 0 ≤ p ≤ 1. It takes InPlace.
func NewDropout(p float64, inPlace ...InPlace) *Dropout {
	return &Dropout{P: probability(p), InPlace: last(inPlace)}
}

func probability(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		panic(fault("dropout", fmt.Sprintf("dropout probability has to be between 0 and 1, but got %v", p)))
	}
	return p
}

// Forward returns x with elements dropped in training, x itself in evaluation.
func (d *Dropout) Forward(x *tensor.Tensor) *tensor.Tensor {
	return perhapsInPlace(d.InPlace && d.Training(), x, op.Dropout, func(x *tensor.Tensor) *tensor.Tensor {
		return x.Dropout(d.P, tensor.Training(d.Training()))
	})
}

// AddedTo returns residual plus what Forward returns. On GPUs one kernel draws and adds, and another computes the gradient; a linear layer before adds its bias as it
// stores, so that bias, dropout and residual pass over memory once.
func (d *Dropout) AddedTo(residual, x *tensor.Tensor) *tensor.Tensor {
	if d.drops() && !d.InPlace {
		if y := inner.DropoutAdded(x, d.P, residual, nil); y != nil {
			return y
		}
	}
	y := d.Forward(x)
	if y != x {
		defer inner.Spent(y)
	}
	return residual.Add(y)
}

// drops reports whether Forward returns other than x.
func (d *Dropout) drops() bool { return d.Training() && d.P != 0 }

// String prints the layer as PyTorch does.
func (d *Dropout) String() string { return printDropout("Dropout", d.P, d.InPlace) }

func printDropout(name string, p float64, inPlace bool) string {
	if inPlace {
		return printed(name, "p="+number(p), true)
	}
	return name + "(p=" + number(p) + ", inplace=False)"
}

// MaskedDropout drops whole channels, or leaves mean and variance as they are, or both.
type MaskedDropout struct {
	Mode
	P       float64
	InPlace bool

	name string
	f    func(x *tensor.Tensor, p float64, opts ...tensor.DropoutOption) *tensor.Tensor
}

// NewDropout1D returns a layer for tensor's FeatureDropout of x [N, C, L] or [C, L]; it panics unless 0 ≤ p ≤ 1. It takes InPlace.
func NewDropout1D(p float64, inPlace ...InPlace) *MaskedDropout {
	return &MaskedDropout{P: probability(p), InPlace: last(inPlace), name: "Dropout1d", f: func(x *tensor.Tensor, p float64, opts ...tensor.DropoutOption) *tensor.Tensor {
		switch x.Dim() {
		case 2:
			return x.Unsqueeze(0).FeatureDropout(p, opts...).SqueezeAxis(0)
		case 3:
			return x.FeatureDropout(p, opts...)
		}
		panic(fault("dropout1d", fmt.Sprintf("dropout1d: Expected 2D or 3D input, but received a %dD input. "+
			"Note that dropout1d exists to provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch dimension "+
			"(i.e. 2D or 3D inputs).", x.Dim())))
	}}
}

// NewDropout2D returns a layer for tensor's FeatureDropout of x [N, C, H, W]; it panics unless 0 ≤ p ≤ 1. It takes InPlace.
func NewDropout2D(p float64, inPlace ...InPlace) *MaskedDropout {
	return &MaskedDropout{P: probability(p), InPlace: last(inPlace), name: "Dropout2d", f: (*tensor.Tensor).FeatureDropout}
}

// NewDropout3D returns a layer for tensor's FeatureDropout of x [N, C, D, H, W] or [C, D, H, W]; it panics unless 0 ≤ p ≤ 1. It takes InPlace.
func NewDropout3D(p float64, inPlace ...InPlace) *MaskedDropout {
	return &MaskedDropout{P: probability(p), InPlace: last(inPlace), name: "Dropout3d", f: func(x *tensor.Tensor, p float64, opts ...tensor.DropoutOption) *tensor.Tensor {
		if x.Dim() == 5 {
			return x.FeatureDropout(p, opts...)
		}
		return x.Unsqueeze(0).FeatureDropout(p, opts...).SqueezeAxis(0)
	}}
}

// NewAlphaDropout returns a layer for tensor's AlphaDropout, which goes with SELU; PyTorch's never changes its input. It panics unless 0 ≤ p ≤ 1.
func NewAlphaDropout(p float64) *MaskedDropout {
	return &MaskedDropout{P: probability(p), name: "AlphaDropout", f: (*tensor.Tensor).AlphaDropout}
}

// NewFeatureAlphaDropout returns a layer for tensor's FeatureAlphaDropout; PyTorch's never changes its input. It panics unless 0 ≤ p ≤ 1.
func NewFeatureAlphaDropout(p float64) *MaskedDropout {
	return &MaskedDropout{P: probability(p), name: "FeatureAlphaDropout", f: (*tensor.Tensor).FeatureAlphaDropout}
}

// Forward returns x with elements dropped in training, x itself in evaluation.
func (d *MaskedDropout) Forward(x *tensor.Tensor) *tensor.Tensor {
	return perhapsInPlace(d.InPlace && d.Training(), x, op.Dropout, func(x *tensor.Tensor) *tensor.Tensor {
		return d.f(x, d.P, tensor.Training(d.Training()))
	})
}

// String prints the layer as PyTorch does.
func (d *MaskedDropout) String() string { return printDropout(d.name, d.P, d.InPlace) }
