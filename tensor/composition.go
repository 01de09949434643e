package tensor

import (
	"math"

	"cresset/internal/op"
)

// composition returns the gradient of an op as recorded ops, which can be differentiated as often as one likes, in the place of a
// kernel, which is faster; nil for an op without one.
func composition(o op.Op) gradient {
	switch o {
	case op.Softmax:
		return softmaxComposed
	case op.LogSoftmax:
		return logSoftmaxComposed
	case op.LogSumExp:
		return logSumExpComposed
	case op.Std:
		return stdComposed
	case op.Norm:
		return normComposed
	case op.Max, op.Min, op.AMax, op.AMin, op.Median, op.NaNMedian:
		return shareComposed
	case op.MaxAxis, op.MinAxis, op.MedianAxis, op.NaNMedianAxis, op.KthValue, op.Mode:
		return pickComposed
	case op.MaxPool2D, op.AdaptiveMaxPool2D:
		return maxPoolComposed
	case op.AvgPool2D, op.AdaptiveAvgPool2D:
		return avgPoolComposed
	case op.NLLLoss, op.NLLLoss2D:
		return nllComposed
	}
	if slope(o) == nil {
		return nil
	}
	return slopeComposed
}

// slopeComposed multiplies by the slope of an elementwise op.
func slopeComposed(b *backprop, dy *Tensor) {
	p, _ := b.params().(op.Number)
	b.give(0, dy.Mul(slope(b.current.op)(b.saved(0), p)))
}

// slope returns the derivative of an elementwise op as a function of what its node saves: its operand x, or its result y.
func slope(o op.Op) func(saved *Tensor, p op.Number) *Tensor {
	switch o {
	case op.Tanh:
		return func(y *Tensor, _ op.Number) *Tensor { return y.Mul(y).RSubScalar(1) }
	case op.Sigmoid:
		return func(y *Tensor, _ op.Number) *Tensor { return y.Mul(y.RSubScalar(1)) }
	case op.ReLU:
		return func(y *Tensor, _ op.Number) *Tensor { return y.where(y.LeScalar(0), 0, 1) }
	case op.LeakyReLU:
		return func(x *Tensor, p op.Number) *Tensor { return x.where(x.GtScalar(0), 1, p.A) }
	case op.GELU:
		return geluSlope
	case op.GELUTanh:
		return geluTanhSlope
	case op.SiLU:
		return siluSlope
	case op.Softplus:
		return func(x *Tensor, p op.Number) *Tensor {
			scaled := x.MulScalar(p.A)
			return Where(scaled.GtScalar(p.B), 1.0, scaled.Sigmoid())
		}
	case op.ELU:
		return func(x *Tensor, p op.Number) *Tensor { return x.exponentialBelow(1, p.A, 1) }
	case op.SELU:
		return func(x *Tensor, _ op.Number) *Tensor { return x.exponentialBelow(seluScale, seluScale*seluAlpha, 1) }
	case op.CELU:
		return func(x *Tensor, p op.Number) *Tensor { return x.exponentialBelow(1, 1, p.B) }
	case op.LogSigmoid:
		return func(x *Tensor, _ op.Number) *Tensor { return x.Neg().Sigmoid() }
	case op.Mish:
		return mishSlope
	case op.Logit:
		return logitSlope
	case op.Hardswish:
		return func(x *Tensor, _ op.Number) *Tensor {
			middle := x.DivScalar(3).AddScalar(0.5)
			return Where(x.LeScalar(-3), 0.0, Where(x.LtScalar(3), middle, 1.0))
		}
	case op.Hardsigmoid:
		const sixth = 0.16666667163372040 // as PyTorch has it, rounded to float32
		return func(x *Tensor, _ op.Number) *Tensor { return x.where(x.inside(-3, 3), sixth, 0) }
	case op.Hardtanh:
		return func(x *Tensor, p op.Number) *Tensor { return x.where(x.LeScalar(p.A).LogicalOr(x.GeScalar(p.B)), 0, 1) }
	default:
		return nil
	}
}

// The numbers of SELU, PyTorch's.
const (
	seluAlpha = 1.6732632423543772848170429916717
	seluScale = 1.0507009873554804934193349852946
)

// where returns numbers of x's dtype, yes where cond is true, else no.
func (x *Tensor) where(cond *Tensor, yes, no float64) *Tensor {
	return choose(op.Where, cond, operand{s: scalarOf("where", yes)}, operand{s: scalarOf("where", no)}, x.dtype)
}

// inside tells where x lies between two numbers, these excluded.
func (x *Tensor) inside(low, high float64) *Tensor {
	return x.GtScalar(low).LogicalAnd(x.LtScalar(high))
}

// exponentialBelow is b·e^(c·x) where x is not positive, else a; at 0 its derivative is 0. The exponential of what is positive is not taken:
// where it overflows, its derivative, times the 0 of the other branch, would be NaN.
func (x *Tensor) exponentialBelow(a, b, c float64) *Tensor {
	return Where(x.LeScalar(0), x.MaskedFill(x.GeScalar(0), 0).MulScalar(c).Exp().MulScalar(b), a)
}

// geluSlope is Φ(x) + x·φ(x).
func geluSlope(x *Tensor, _ op.Number) *Tensor {
	cumulative := x.MulScalar(math.Sqrt2 / 2).Erf().AddScalar(1).MulScalar(0.5)
	density := x.Square().MulScalar(-0.5).Exp().MulScalar(1 / math.Sqrt(2*math.Pi))
	return cumulative.Add(x.Mul(density))
}

// geluTanhSlope is (1 + t)/2 + x/2·(1 - t²)·u' for t = tanh u.
func geluTanhSlope(x *Tensor, _ op.Number) *Tensor {
	const cubic = 0.044715
	k := math.Sqrt(2 / math.Pi)
	square := x.Square()
	t := x.Mul(square.MulScalar(cubic).AddScalar(1)).MulScalar(k).Tanh()
	inner := square.MulScalar(3 * cubic).AddScalar(1).MulScalar(k)
	return t.AddScalar(1).Add(x.Mul(t.Mul(t).RSubScalar(1)).Mul(inner)).MulScalar(0.5)
}

// siluSlope is σ(x)·(1 + x·(1 - σ(x))).
func siluSlope(x *Tensor, _ op.Number) *Tensor {
	s := x.Sigmoid()
	return s.Mul(x.Mul(s.RSubScalar(1)).AddScalar(1))
}

// mishSlope is t + x·(1 - t²)·σ(x) for t = tanh(log(1 + eˣ)).
func mishSlope(x *Tensor, _ op.Number) *Tensor {
	t := x.Softplus(1, math.Inf(1)).Tanh()
	return t.Add(x.Mul(t.Mul(t).RSubScalar(1)).Mul(x.Sigmoid()))
}

// logitSlope is 1/(x·(1 - x)) within the bounds, else 0, or NaN where there are none. What lies outside is clamped before, so that
// the quotient, and its derivatives times the 0 of the other branch, stay finite.
func logitSlope(x *Tensor, p op.Number) *Tensor {
	low, high, beyond := p.A, 1-p.A, 0.0
	if p.A < 0 {
		low, high, beyond = 0, 1, math.NaN()
	}
	outside := x.LtScalar(low).LogicalOr(x.GtScalar(high))
	c := x.Clamp(low, high)
	return Where(outside, beyond, c.Mul(c.RSubScalar(1)).Reciprocal())
}
