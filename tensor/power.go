package tensor

import (
	"math"

	"cresset/internal/backend"
	"cresset/internal/op"
)

// Pow returns x to the power v. Integers to an integer power stay integers, and panic where v is negative. Exponents of 0.5,
// 2 and 3, and of -0.5, -1 and -2, are what PyTorch makes of them: a square root, products, and 1 over those, so that an
// x**-2 below the least normal number may be 0.
func (x *Tensor) Pow(v any) *Tensor {
	x = x.autocast(op.Pow)
	s := scalarOf("pow", v)
	t := commonType(operand{t: x}, operand{s: s})
	if !t.IsFloat() {
		if s.I < 0 {
			fail("pow", ErrValue, "Integers to negative integer powers are not allowed.", x)
		}
		fits("pow", s, t)
	}
	out := x.cast(t).power(s)
	record(out, op.PowScalar, powScalarGrad, s, x).save(x)
	return out
}

// power computes a power in x's own dtype. The exponents that PyTorch takes by themselves differ in the last bit from
// what a general power gives.
func (x *Tensor) power(s backend.Scalar) *Tensor {
	e := s.Float()
	switch {
	case e == 0:
		return x.like(op.Fill, x.dtype).fill(backend.Scalar{I: 1, Kind: backend.IntScalar})
	case e == 1:
		return x.unary(op.Copy, nil)
	case e == 2:
		return x.unary(op.Square, nil)
	case !x.dtype.IsFloat():
	case e == 3 && x.storage.backend.Has(op.Cube, x.dtype):
		return x.unary(op.Cube, nil)
	case e == 3:
		return x.unary(op.Square, nil).Mul(x.Detach())
	case e == 0.5:
		return x.unary(op.Sqrt, nil)
	case e == -0.5:
		return x.unary(op.Rsqrt, nil)
	case e == -1:
		return x.unary(op.Reciprocal, nil)
	case e == -2:
		return x.unary(op.Square, nil).unary(op.Reciprocal, nil)
	}
	return binary(op.Pow, operand{t: x}, operand{s: s}, x.dtype, x.dtype)
}

func powScalarGrad(b *backprop, dy *Tensor) {
	e := b.params().(backend.Scalar).Float()
	if e == 0 {
		zeroGrad(b, dy)
		return
	}
	b.give(0, dy.Mul(b.saved(0).Pow(e-1).MulScalar(e)))
}

// PowTensor returns x to the power y elementwise, broadcast. Negative powers of integers are 0 but for those of 1 and -1.
func (x *Tensor) PowTensor(y *Tensor) *Tensor {
	if a := autocastOf(x, y); a != nil {
		x, y = a.two("pow", x, y)
	}
	a, b := input(op.Pow, x), other(op.Pow, y)
	t := commonType(a, b)
	out := binary(op.Pow, a, b, t, t)
	record(out, op.Pow, powGrad, nil, x, y).save(x, y, out)
	return out
}

func powGrad(b *backprop, dy *Tensor) {
	x, y := b.saved(0), b.saved(1)
	if b.needs(0) {
		slope := y.Mul(x.PowTensor(y.SubScalar(1)))
		b.give(0, dy.Mul(Where(y.EqScalar(0), 0, slope)))
	}
	if b.needs(1) {
		flat := x.EqScalar(0).LogicalAnd(y.GeScalar(0)) // 0**y does not move there, though log 0 is infinite
		b.give(1, dy.Mul(Where(flat, 0, b.saved(2).Mul(x.Log()))))
	}
}

// RPow returns base to the power x. Negative powers of integers are 0 but for those of 1 and -1.
func (x *Tensor) RPow(base any) *Tensor {
	x = x.autocast(op.Pow)
	s := scalarOf("pow", base)
	t := commonType(operand{s: s}, operand{t: x})
	out := binary(op.Pow, operand{s: s}, operand{t: x}, t, t)
	record(out, op.RPow, rpowGrad, s, x).save(x, out)
	return out
}

func rpowGrad(b *backprop, dy *Tensor) {
	base := b.params().(backend.Scalar).Float()
	slope := b.saved(1).MulScalar(math.Log(base))
	if base == 0 {
		slope = Where(b.saved(0).GeScalar(0), 0, slope)
	}
	b.give(0, dy.Mul(slope))
}

// Square returns x².
func (x *Tensor) Square() *Tensor { return x.Pow(2) }
