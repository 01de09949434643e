package tensor

import "cresset/internal/op"

// Tan returns the tangent of x; that of integers is float32.
func (x *Tensor) Tan() *Tensor { return x.savingResult(op.Tan, tanGrad) }

func tanGrad(b *backprop, dy *Tensor) { b.give(0, dy.Mul(b.saved(0).Square().AddScalar(1))) }

// Asin returns the arc sine of x, NaN where |x| > 1; that of integers is float32.
func (x *Tensor) Asin() *Tensor { return x.savingOperand(op.Asin, asinGrad) }

func asinGrad(b *backprop, dy *Tensor) {
	b.give(0, dy.Mul(b.saved(0).Square().RSubScalar(1).Rsqrt()))
}

// Acos returns the arc cosine of x, NaN where |x| > 1; that of integers is float32.
func (x *Tensor) Acos() *Tensor { return x.savingOperand(op.Acos, acosGrad) }

func acosGrad(b *backprop, dy *Tensor) {
	b.give(0, dy.Mul(b.saved(0).Square().RSubScalar(1).Rsqrt().Neg()))
}

// Atan returns the arc tangent of x; that of integers is float32.
func (x *Tensor) Atan() *Tensor { return x.savingOperand(op.Atan, atanGrad) }

func atanGrad(b *backprop, dy *Tensor) { b.give(0, dy.Div(b.saved(0).Square().AddScalar(1))) }

// Atan2 returns the angle of the points (y, x) where x is the first operand, broadcast, from -π to π; that of integers is float32.
func (x *Tensor) Atan2(y *Tensor) *Tensor {
	out := floatBinary(op.Atan2, input(op.Atan2, x), other(op.Atan2, y))
	record(out, op.Atan2, atan2Grad, nil, x, y).save(x, y)
	return out
}

func atan2Grad(b *backprop, dy *Tensor) {
	x, y := b.saved(0), b.saved(1)
	square := x.Mul(x).Add(y.Mul(y))
	over := square.Reciprocal().MaskedFill(square.EqScalar(0), 0)
	b.giveNeeded(0, func() *Tensor { return dy.Mul(y.Mul(over)) })
	b.giveNeeded(1, func() *Tensor { return dy.Mul(x.Neg().Mul(over)) })
}

// Sinh returns the hyperbolic sine of x; that of integers is float32.
func (x *Tensor) Sinh() *Tensor { return x.savingOperand(op.Sinh, sinhGrad) }

func sinhGrad(b *backprop, dy *Tensor) { b.give(0, dy.Mul(b.saved(0).Cosh())) }

// Cosh returns the hyperbolic cosine of x; that of integers is float32.
func (x *Tensor) Cosh() *Tensor { return x.savingOperand(op.Cosh, coshGrad) }

func coshGrad(b *backprop, dy *Tensor) { b.give(0, dy.Mul(b.saved(0).Sinh())) }

// Asinh returns the inverse of the hyperbolic sine of x; that of integers is float32.
func (x *Tensor) Asinh() *Tensor { return x.savingOperand(op.Asinh, asinhGrad) }

func asinhGrad(b *backprop, dy *Tensor) {
	b.give(0, dy.Mul(b.saved(0).Square().AddScalar(1).Rsqrt()))
}

// Acosh returns the inverse of the hyperbolic cosine of x, NaN where x < 1; that of integers is float32.
func (x *Tensor) Acosh() *Tensor { return x.savingOperand(op.Acosh, acoshGrad) }

func acoshGrad(b *backprop, dy *Tensor) {
	b.give(0, dy.Mul(b.saved(0).Square().SubScalar(1).Rsqrt()))
}

// Atanh returns the inverse of the hyperbolic tangent of x, NaN where |x| > 1; that of integers is float32.
func (x *Tensor) Atanh() *Tensor { return x.savingOperand(op.Atanh, atanhGrad) }

func atanhGrad(b *backprop, dy *Tensor) { b.give(0, dy.Div(b.saved(0).Square().RSubScalar(1))) }

// Hypot returns √(x² + y²), broadcast, where neither square leaves the range. It panics for integers.
func (x *Tensor) Hypot(y *Tensor) *Tensor {
	out := x.ofFloats(op.Hypot, y)
	record(out, op.Hypot, hypotGrad, nil, x, y).save(x, y, out)
	return out
}

func hypotGrad(b *backprop, dy *Tensor) {
	b.giveNeeded(0, func() *Tensor { return dy.Mul(b.saved(0).Div(b.saved(2))) })
	b.giveNeeded(1, func() *Tensor { return dy.Mul(b.saved(1).Div(b.saved(2))) })
}

// ofFloats is binary of operands that meet in a float, which the op wants.
func (x *Tensor) ofFloats(o op.Op, y *Tensor) *Tensor {
	a, b := input(o, x), other(o, y)
	t := commonType(a, b)
	return binary(o, a, b, t, t)
}
