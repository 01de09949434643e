package tensor

import (
	"fmt"

	"cresset/internal/op"
)

// Random changes in place draw from the given generator, or from that of the tensor's device where there is none. They go
// to the elements in the order of memory. No gradient flows through them.

// UniformInPlace fills x with draws that are uniform in [from, to), and returns it.
func (x *Tensor) UniformInPlace(from, to float64, g ...*Generator) *Tensor {
	x.checkUniform(from, to)
	return x.redraw(op.Uniform, g, op.Draw{A: from, B: to})
}

// NormalInPlace fills x with draws of the given mean and standard deviation, and returns it.
func (x *Tensor) NormalInPlace(mean, std float64, g ...*Generator) *Tensor {
	x.checkNormal(std)
	return x.redraw(op.Normal, g, op.Draw{A: mean, B: std})
}

// BernoulliInPlace fills x with ones of probability p and zeros, and returns it.
func (x *Tensor) BernoulliInPlace(p float64, g ...*Generator) *Tensor {
	if !(0 <= p && p <= 1) {
		fail("bernoulli_", ErrValue, "bernoulli_ expects p to be in [0, 1], but got p="+cText(p), x)
	}
	return x.redraw(op.Bernoulli, g, op.Draw{A: p})
}

// ExponentialInPlace fills x with draws of density λ·e**(-λ·v) for v ≥ 0, and returns it.
func (x *Tensor) ExponentialInPlace(lambda float64, g ...*Generator) *Tensor {
	switch {
	case !x.dtype.IsFloat():
		fail("exponential_", ErrDType, "Exponential distribution is a continuous probability distribution. dtype must be a floating point but you specified "+x.dtype.ScalarName(), x)
	case !(lambda > 0):
		fail("exponential_", ErrValue, "exponential_ expects lambda > 0.0, but found lambda="+cText(lambda), x)
	}
	return x.redraw(op.Exponential, g, op.Draw{A: lambda})
}

// RandIntInPlace fills x with integers from lo to hi-1, and returns it.
func (x *Tensor) RandIntInPlace(lo, hi int, g ...*Generator) *Tensor {
	return x.redraw(op.RandInt, g, op.Draw{Low: int64(lo), High: int64(hi)})
}

// RandomInPlace fills x with integers from 0 to the largest of its dtype, or to 2**digits of a floating-point one, and
// returns it.
func (x *Tensor) RandomInPlace(g ...*Generator) *Tensor {
	return x.redraw(op.RandInt, g, op.Draw{Whole: true})
}

// Bernoulli returns a tensor like p whose elements are 1 with the probability that p's have, and else 0.
func Bernoulli(p *Tensor, g ...*Generator) *Tensor {
	refuseNil("bernoulli", "input", 1, p)
	if !p.dtype.IsFloat() {
		fail("bernoulli", ErrDType, noKernel("bernoulli_tensor_cpu_p_", p.dtype, p), p)
	}
	out := p.like(op.BernoulliTensor, p.dtype)
	d := op.Draw{Generator: optional(g).of("bernoulli", p.storage.device)}
	launch(op.BernoulliTensor, p.dtype, d, []*Tensor{out}, []*Tensor{p})
	record(out, op.BernoulliTensor, zeroGrad, nil, p)
	return out
}

// Dropout returns x with elements zeroed with probability p and the others divided by 1-p, in training; else x itself.
func (x *Tensor) Dropout(p float64, opts ...DropoutOption) *Tensor {
	training, g := true, (*Generator)(nil)
	for _, o := range opts {
		switch o := o.(type) {
		case Training:
			training = bool(o)
		case *Generator:
			g = o
		}
	}
	refuseNil("dropout", "input", 1, x)
	switch {
	case !(0 <= p && p <= 1):
		fail("dropout", ErrValue, fmt.Sprintf("dropout probability has to be between 0 and 1, but got %v", p), x)
	case p == 0 || !training || x.NumEl() == 0:
		return x
	case !x.dtype.IsFloat():
		if x.IsCUDA() {
			refuseIntegers("dropout", "fused_dropout", x)
		}
		fail("dropout", ErrDType, fmt.Sprintf("result type Float can't be cast to the desired output type %s", x.dtype.ScalarName()), x)
	case p == 1:
		return x.Mul(Like(x).Zeros())
	}
	if x.IsCUDA() || x.storage.backend.Has(op.Dropout, x.dtype) { // a GPU without the kernel names it
		return x.dropout(1-p, g)
	}
	noise := x.emptyLike("dropout", x.storage.device, x.dtype).draw(op.Bernoulli, g, op.Draw{A: 1 - p})
	binaryInto(op.Div, noise, operand{t: noise}, operand{s: scalarOf("dropout", 1-p)}, x.dtype)
	return x.Mul(noise)
}

// redraw fills x in place.
func (x *Tensor) redraw(o op.Op, g []*Generator, p op.Draw) *Tensor {
	x.mutable(o, nil)
	x.draw(o, optional(g), p)
	return x.changed(o, zeroGrad, x)
}

// optional returns the generator that a caller may have given.
func optional(g []*Generator) *Generator {
	switch len(g) {
	case 0:
		return nil
	case 1:
		return g[0]
	}
	fail("generator", ErrValue, fmt.Sprintf("expected at most one generator, but got %d", len(g)))
	return nil
}
