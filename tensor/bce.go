package tensor

import (
	"fmt"
	"math"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// BCEWithLogits returns -w·(p·t·log σ(x) + (1-t)·log(1-σ(x))), reduced, for logits x and targets t of the same shape. The
// Weight w and the PosWeight p are ones unless given. It does not overflow.
func BCEWithLogits(x, target *Tensor, opts ...BCEWithLogitsOption) *Tensor {
	if a := autocastOf(x, target); a != nil {
		x, target = a.two("binary_cross_entropy_with_logits", x, target)
	}
	given := readLoss(opts)
	weight, posWeight, r := given.weight, given.posWeight, given.reduction
	o, name := op.BCEWithLogits, "binary_cross_entropy_with_logits"
	checkReduction(name, r)
	refuseNil(name, "input", 1, x)
	refuseNil(name, "target", 2, target)
	if !target.layout.Shape().Equal(x.layout.Shape()) {
		fail(name, ErrValue, fmt.Sprintf("Target size (%s) must be the same as input size (%s)", target.layout.Shape(), x.layout.Shape()), x, target)
	}
	dt := commonType(operand{t: x}, operand{t: target})
	if !x.dtype.IsFloat() || !dt.IsFloat() {
		fail(name, ErrKernel, noKernel("log_sigmoid_cpu", x.dtype, x), x, target)
	}
	for _, a := range []argument{{"weight", weight}, {"pos_weight", posWeight}} {
		if a.t != nil {
			x.checkCovers(o, a.t)
			refuseGrad(name, a)
		}
	}
	out := ternary(o, dt, x.layout.Shape(), nil, operand{t: x}, operand{t: target}, orOnesOperand(posWeight))
	if weight != nil {
		out = out.Mul(weight).cast(dt)
	}
	out = out.reduceLoss(r)
	record(out, o, bceGrad, r, x, target).save(x, target, weight, posWeight)
	return out
}

func bceGrad(b *backprop, dy *Tensor) {
	x, target, weight, posWeight := b.saved(0), b.saved(1), b.saved(2), b.saved(3)
	scale := dy.MulScalar(share(b.params().(Reduction), x.NumEl()))
	if weight != nil {
		scale = scale.Mul(weight)
	}
	if b.needs(0) {
		b.give(0, b.bceSlope(dy.dtype, x, target, posWeight).Mul(scale))
	}
	if b.needs(1) {
		dt := x.Neg()
		if posWeight != nil { // -(p-1)·log σ(x), of which log σ(x) is -softplus(-x)
			dt = dt.Add(posWeight.SubScalar(1).Mul(dt.Softplus(1, math.Inf(1))))
		}
		b.give(1, dt.Mul(scale))
	}
}

// bceSlope is σ(x)·(1 + (p-1)·t) - p·t.
func (b *backprop) bceSlope(dt dtype.DType, x, target, posWeight *Tensor) *Tensor {
	switch {
	case !b.creates:
		return ternary(op.BCEWithLogitsGrad, dt, x.layout.Shape(), nil, operand{t: x}, operand{t: target}, orOnesOperand(posWeight))
	case posWeight == nil:
		return x.Sigmoid().Sub(target)
	}
	return x.Sigmoid().Mul(posWeight.SubScalar(1).Mul(target).AddScalar(1)).Sub(posWeight.Mul(target))
}

func orOnesOperand(t *Tensor) operand {
	if t == nil {
		return operand{s: backend.Scalar{I: 1, Kind: backend.IntScalar}}
	}
	return operand{t: t}
}
