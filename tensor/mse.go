package tensor

import (
	"fmt"

	"cresset/internal/op"
)

// MSELoss returns (x - y)², reduced, of tensors of one shape. Where PyTorch broadcasts other shapes and warns, it panics.
func MSELoss(x, y *Tensor, reduction ...Reduction) *Tensor {
	if a := autocastOf(x, y); a != nil {
		x, y = a.two("mse_loss", x, y)
	}
	r := readLoss(reduction).reduction
	checkReduction("mse_loss", r)
	a, b := input(op.MSELoss, x), other(op.MSELoss, y)
	checkLossShapes("mse_loss", a, b)
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
	scale := op.Number{A: 2 * share(b.params().(Reduction), x.NumEl())}
	var dx *Tensor
	if b.creates {
		dx = x.Sub(y).Mul(dy).MulScalar(scale.A)
	} else {
		dx = ternary(op.MSELossGrad, dy.dtype, x.layout.Shape(), scale, operand{t: dy}, operand{t: x}, operand{t: y})
	}
	b.give(0, dx)
	b.giveNeeded(1, func() *Tensor { return dx.Neg() })
}

// L1Loss returns |x - y|, reduced, of tensors of one shape. Where PyTorch broadcasts other shapes and warns, it panics.
func L1Loss(x, y *Tensor, reduction ...Reduction) *Tensor {
	if a := autocastOf(x, y); a != nil {
		x, y = a.two("l1_loss", x, y)
	}
	r := readLoss(reduction).reduction
	checkReduction("l1_loss", r)
	checkLossShapes("l1_loss", input(op.Sub, x), other(op.Sub, y))
	return x.Sub(y).Abs().lossBy(r)
}

// checkLossShapes panics where a target would be broadcast: of (n, 1) and (n) that makes n² losses.
func checkLossShapes(name string, x, y operand) {
	commonShape(name, x, y)
	if xs, ys := x.t.layout.Shape(), y.t.layout.Shape(); !xs.Equal(ys) {
		failHint(name, ErrShape, fmt.Sprintf("Using a target size (%s) that is different to the input size (%s)", ys, xs),
			"broadcasting would compare each element with several: give both the same shape, by View or Expand")
	}
}
