package tensor

import (
	"fmt"

	"cresset/internal/op"
)

// Reduction says how a loss over many elements becomes one.
type Reduction = op.Reduction

// The reductions of losses: the mean, which is the zero value, the sum, and none, which leaves a loss per element.
const (
	MeanReduction = op.MeanReduction
	SumReduction  = op.SumReduction
	NoReduction   = op.NoReduction
)

// reduceLoss makes a loss per element into one, without a gradient record.
func (x *Tensor) reduceLoss(r Reduction) *Tensor {
	switch r {
	case MeanReduction:
		return x.total(op.Mean)
	case SumReduction:
		return x.total(op.Sum)
	default:
		return x
	}
}

func checkReduction(name string, r Reduction) {
	if r > NoReduction {
		fail(name, ErrValue, fmt.Sprintf("%d is not a valid value for reduction", r))
	}
}
