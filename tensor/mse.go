package tensor

import (
	"cresset/internal/layout"
	"cresset/internal/op"
)

// MSELoss returns (x - y)², broadcast and reduced.
func (x *Tensor) MSELoss(y *Tensor, r Reduction) *Tensor {
	checkReduction("mse_loss", r)
	a, b := input(op.MSELoss, x), other(op.MSELoss, y)
	t := commonType(a, b)
	if !t.IsFloat() {
		fail("mse_loss", ErrKernel, noKernel("mse_cpu", t, x), x, y)
	}
	out := binary(op.MSELoss, a, b, t, t).reduceLoss(r)
	record(out, op.MSELoss, mseLossGrad, r, x, y).save(x, y)
	return out
}

func mseLossGrad(b *backprop, dy *Tensor) {
	x, y := b.saved(0), b.saved(1)
	shape, err := layout.Broadcast(x.layout.Shape(), y.layout.Shape())
	check("mse_loss", ErrShape, err, x, y)
	n, _ := shape.NumEl()
	scale := op.Number{A: 2 * share(b.params().(Reduction), n)}
	dx := ternary(op.MSELossGrad, dy.dtype, shape, scale, operand{t: dy}, operand{t: x}, operand{t: y})
	b.give(0, dx)
	if b.needs(1) {
		b.give(1, dx.Neg())
	}
}

// L1Loss returns |x - y|, broadcast and reduced.
func (x *Tensor) L1Loss(y *Tensor, r Reduction) *Tensor {
	checkReduction("l1_loss", r)
	each := x.Sub(y).Abs()
	switch r {
	case MeanReduction:
		return each.Mean()
	case SumReduction:
		return each.Sum()
	default:
		return each
	}
}
