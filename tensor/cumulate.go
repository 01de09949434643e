package tensor

import (
	"cresset/dtype"
	"cresset/internal/op"
)

// CumProd returns along an axis the product of each element and those before it. Products of integers and bools are int64.
func (x *Tensor) CumProd(axis int) *Tensor {
	x = x.autocast(op.CumProd)
	p := op.Axis{Axis: x.axis("cumprod", axis)}
	y := x.summable()
	out := y.like(op.CumProd, sumType(x.dtype))
	launch(op.CumProd, y.dtype, p, []*Tensor{out}, []*Tensor{y})
	record(out, op.CumProd, cumProdGrad, p, x).save(x, out)
	return out
}

// cumProdGrad is dx[i] = Σ dy[k]·y[k]/x[i] over k ≥ i. That holds before the first zero of a line; there, the products without it
// take the place of y/x, and behind it all products are zero.
func cumProdGrad(b *backprop, dy *Tensor) {
	p, x, y := b.params().(op.Axis), b.saved(0), b.saved(1)
	if x.layout.Rank() == 0 || x.layout.Shape()[p.Axis] == 1 {
		b.give(0, dy)
		return
	}
	zero := x.EqScalar(0)
	if b.creates {
		b.give(0, dy.throughCumProd(x, y, zero, p))
		return
	}
	zeros := zero.CumSum(p.Axis)
	first := zero.LogicalAnd(zeros.EqScalar(1))
	without := x.MaskedFill(first, 1).CumProd(p.Axis)
	atZero := dy.Mul(without).sumBehind(p).MaskedFill(first.LogicalNot(), 0)
	before := dy.Mul(y).sumBehind(p).Div(x)
	b.give(0, Where(zeros.EqScalar(0), before, atZero))
}

// sumBehind returns along an axis the sum of each element and those behind it.
func (x *Tensor) sumBehind(p op.Axis) *Tensor {
	out := x.like(op.CumSumGrad, x.dtype)
	launch(op.CumSumGrad, x.dtype, p, []*Tensor{out}, []*Tensor{x})
	record(out, op.CumSum, sumBehindGrad, ifTracked(x, p), x)
	return out
}

func sumBehindGrad(b *backprop, dy *Tensor) { b.give(0, dy.CumSum(b.params().(op.Axis).Axis)) }

// CumMax returns along an axis the largest of each element and those before it, and as int64 the last index where it stands. NaN
// is larger than any number. Gradients flow to the elements that the indices name.
func (x *Tensor) CumMax(axis int) (values, indices *Tensor) { return x.runningExtreme(op.CumMax, axis) }

// CumMin returns along an axis the smallest of each element and those before it, and as int64 the last index where it stands. NaN
// is smaller than any number. Gradients flow to the elements that the indices name.
func (x *Tensor) CumMin(axis int) (values, indices *Tensor) { return x.runningExtreme(op.CumMin, axis) }

func (x *Tensor) runningExtreme(o op.Op, axis int) (values, indices *Tensor) {
	p := op.Axis{Axis: x.axis(o.String(), axis)}
	y := x.summable()
	values, indices = y.like(o, y.dtype), y.like(o, dtype.Int64)
	launch(o, y.dtype, p, []*Tensor{values.atLeast1(), indices.atLeast1()}, []*Tensor{y.atLeast1()})
	values = values.cast(x.dtype)
	record(values, o, gatherGrad, p.Axis, x).save(indices.atLeast1())
	return values, indices
}

// LogCumSumExp returns along an axis log Σ eˣ of each element and those before it, without overflow on the way. It panics for
// integers.
func (x *Tensor) LogCumSumExp(axis int) *Tensor {
	p := op.Axis{Axis: x.axis("logcumsumexp", axis)}
	refuseIntegers("logcumsumexp", "logcumsumexp_out_cpu", x)
	out := x.like(op.LogCumSumExp, x.dtype)
	launch(op.LogCumSumExp, x.dtype, p, []*Tensor{out}, []*Tensor{x})
	record(out, op.LogCumSumExp, logCumSumExpGrad, p, x).save(x, out)
	return out
}

// logCumSumExpGrad is dx[i] = eˣ·Σ dy[k]·e**-y[k] over k ≥ i, by logarithms of what is above zero and of what is below.
func logCumSumExpGrad(b *backprop, dy *Tensor) {
	p, x, y := b.params().(op.Axis), b.saved(0), b.saved(1)
	if x.layout.Rank() == 0 {
		b.give(0, dy)
		return
	}
	if b.creates {
		b.give(0, dy.throughLogCumSumExp(x, y, p))
		return
	}
	share := func(dy *Tensor) *Tensor {
		logs := dy.Clamp(0, nil).Log().Sub(y)
		return logs.flipped(1 << p.Axis).LogCumSumExp(p.Axis).flipped(1 << p.Axis).Add(x).Exp()
	}
	b.give(0, share(dy).Sub(share(dy.Neg())))
}
