package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/layout"
	"cresset/internal/op"
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

// lossBy is reduceLoss with a gradient record.
func (x *Tensor) lossBy(r Reduction) *Tensor {
	switch r {
	case MeanReduction:
		return x.Mean()
	case SumReduction:
		return x.Sum()
	default:
		return x
	}
}

func checkReduction(name string, r Reduction) {
	if r > NoReduction {
		fail(name, ErrValue, fmt.Sprintf("%d is not a valid value for reduction", r))
	}
}

// share is what the gradient of each of n losses is multiplied by: 1/n under a mean.
func share(r Reduction, n int) float64 {
	if r == MeanReduction {
		return 1 / float64(n)
	}
	return 1
}

// ternary computes an elementwise kernel of three operands that are cast to dt and broadcast to shape.
func ternary(o op.Op, dt dtype.DType, shape Shape, params any, a, b, c operand) *Tensor {
	out := newResult(o.String(), sameDevice(o.String(), a.t, b.t, c.t), dt, layout.Fresh(shape...), a.t, b.t, c.t)
	elementwise(o, dt, params, out, a, b, c)
	return out
}
