package nn

import (
	"cresset/internal/op"
	"cresset/tensor"
)

// InPlace makes an activation or a dropout change its input and return it, where PyTorch takes inplace=True. Whatever else needs the
// input's old elements for its gradient panics in Backward; a leaf that requires gradients is refused.
type InPlace bool

// last is the last of several, of which it is the one that counts.
func last(inPlace []InPlace) bool { return len(inPlace) > 0 && bool(inPlace[len(inPlace)-1]) }

// printed is a layer with its arguments as PyTorch prints it.
func printed(name, arguments string, inPlace bool) string {
	switch {
	case !inPlace:
		return name + "(" + arguments + ")"
	case arguments == "":
		return name + "(inplace=True)"
	}
	return name + "(" + arguments + ", inplace=True)"
}

// perhapsInPlace is f(x), in x where the layer is to change it; o is what messages name.
func perhapsInPlace(inPlace bool, x *tensor.Tensor, o op.Op, f func(x *tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
	if inPlace {
		return inner.Replace(x, o, f)
	}
	return f(x)
}

// rewriting is an activation that can change its input.
func rewriting(name, arguments string, o op.Op, f func(x *tensor.Tensor) *tensor.Tensor, inPlace []InPlace) *Activation {
	on := last(inPlace)
	return &Activation{printed(name, arguments, on), func(x *tensor.Tensor) *tensor.Tensor { return perhapsInPlace(on, x, o, f) }}
}

// ReLU is max(x, 0).
type ReLU struct{ InPlace bool }

// NewReLU returns the activation. It takes InPlace.
func NewReLU(inPlace ...InPlace) *ReLU { return &ReLU{last(inPlace)} }

// Forward returns max(x, 0).
func (r *ReLU) Forward(x *tensor.Tensor) *tensor.Tensor {
	if r.InPlace {
		return x.ReLUInPlace()
	}
	return x.ReLU()
}

// String prints the layer as PyTorch does.
func (r *ReLU) String() string { return printed("ReLU", "", r.InPlace) }

// LeakyReLU is x where x > 0, else Slope·x.
type LeakyReLU struct {
	Slope   float64
	InPlace bool
}

// NewLeakyReLU returns the activation; PyTorch's slope is 0.01. It takes InPlace.
func NewLeakyReLU(slope float64, inPlace ...InPlace) *LeakyReLU {
	return &LeakyReLU{slope, last(inPlace)}
}

// Forward returns x where x > 0, else Slope·x.
func (a *LeakyReLU) Forward(x *tensor.Tensor) *tensor.Tensor {
	return perhapsInPlace(a.InPlace, x, op.LeakyReLU, func(x *tensor.Tensor) *tensor.Tensor { return x.LeakyReLU(a.Slope) })
}

// String prints the layer as PyTorch does.
func (a *LeakyReLU) String() string {
	return printed("LeakyReLU", "negative_slope="+number(a.Slope), a.InPlace)
}

// ELU is x where x > 0, else Alpha·(eˣ-1).
type ELU struct {
	Alpha   float64
	InPlace bool
}

// NewELU returns the activation; PyTorch's alpha is 1. It takes InPlace.
func NewELU(alpha float64, inPlace ...InPlace) *ELU { return &ELU{alpha, last(inPlace)} }

// Forward returns x where x > 0, else Alpha·(eˣ-1).
func (a *ELU) Forward(x *tensor.Tensor) *tensor.Tensor {
	return perhapsInPlace(a.InPlace, x, op.ELU, func(x *tensor.Tensor) *tensor.Tensor { return x.ELU(a.Alpha) })
}

// String prints the layer as PyTorch does.
func (a *ELU) String() string { return printed("ELU", "alpha="+number(a.Alpha), a.InPlace) }
