package nn

import (
	"fmt"

	"cresset/tensor"
)

// PReLU is x where x > 0, else Weight·x.
type PReLU struct {
	Weight *tensor.Tensor // [1], or a slope for each channel
}

// PReLUOption is an option of NewPReLU.
type PReLUOption interface {
	setter
	prelu()
}

// InitialSlope is the weight that a PReLU begins with, 0.25 unless given.
func InitialSlope(v float64) PReLUOption { return option(func(o *options) { o.slope = v }) }

// NewPReLU returns the activation with so many slopes: 1, or one for each channel. It takes InitialSlope, On and As.
func NewPReLU(slopes int, opts ...PReLUOption) *PReLU {
	o := read(opts)
	return &PReLU{tensor.Parameter(o.place.Full([]int{slopes}, o.slope))}
}

// Forward returns x where x > 0, else Weight·x.
func (p *PReLU) Forward(x *tensor.Tensor) *tensor.Tensor { return x.PReLU(p.Weight) }

// String prints the layer as PyTorch does.
func (p *PReLU) String() string { return fmt.Sprintf("PReLU(num_parameters=%d)", p.Weight.NumEl()) }
