package nn

import (
	"fmt"

	"cresset/tensor"
)

// Dropout sets elements to zero with probability P in training and scales the others by 1/(1-P).
type Dropout struct {
	Mode
	P float64
}

// NewDropout returns the layer; it panics unless 0 ≤ p ≤ 1.
func NewDropout(p float64) *Dropout {
	if !(p >= 0 && p <= 1) {
		panic(fault("dropout", fmt.Sprintf("dropout probability has to be between 0 and 1, but got %v", p)))
	}
	return &Dropout{P: p}
}

// Forward returns x with elements dropped in training, x itself in evaluation.
func (d *Dropout) Forward(x *tensor.Tensor) *tensor.Tensor {
	return x.Dropout(d.P, tensor.Training(d.Training()))
}

// String prints the layer as PyTorch does.
func (d *Dropout) String() string { return "Dropout(p=" + number(d.P) + ", inplace=False)" }
