package tensor

import "cresset/internal/op"

// AbsInPlace replaces x by its absolute value.
func (x *Tensor) AbsInPlace() *Tensor { return x.replace(op.Abs, (*Tensor).Abs) }

// SignInPlace replaces x by -1, 0 or 1, its sign.
func (x *Tensor) SignInPlace() *Tensor { return x.replace(op.Sign, (*Tensor).Sign) }

// FloorInPlace replaces x by the largest integer that is not above it.
func (x *Tensor) FloorInPlace() *Tensor { return x.replace(op.Floor, (*Tensor).Floor) }

// CeilInPlace replaces x by the smallest integer that is not below it.
func (x *Tensor) CeilInPlace() *Tensor { return x.replace(op.Ceil, (*Tensor).Ceil) }

// RoundInPlace replaces x by the nearest integer, of two the even one.
func (x *Tensor) RoundInPlace() *Tensor { return x.replace(op.Round, (*Tensor).Round) }

// TruncInPlace replaces x by it without its fraction.
func (x *Tensor) TruncInPlace() *Tensor { return x.replace(op.Trunc, (*Tensor).Trunc) }

// ReciprocalInPlace replaces x by 1/x. It panics where x holds integers.
func (x *Tensor) ReciprocalInPlace() *Tensor { return x.replace(op.Reciprocal, (*Tensor).Reciprocal) }

// RsqrtInPlace replaces x by 1/√x. It panics where x holds integers.
func (x *Tensor) RsqrtInPlace() *Tensor { return x.replace(op.Rsqrt, (*Tensor).Rsqrt) }

// Expm1InPlace replaces x by eˣ - 1. It panics where x holds integers.
func (x *Tensor) Expm1InPlace() *Tensor { return x.replace(op.Expm1, (*Tensor).Expm1) }

// LogInPlace replaces x by its natural logarithm. It panics where x holds integers.
func (x *Tensor) LogInPlace() *Tensor { return x.replace(op.Log, (*Tensor).Log) }

// Log1pInPlace replaces x by log(1 + x). It panics where x holds integers.
func (x *Tensor) Log1pInPlace() *Tensor { return x.replace(op.Log1p, (*Tensor).Log1p) }

// SinInPlace replaces x by its sine. It panics where x holds integers.
func (x *Tensor) SinInPlace() *Tensor { return x.replace(op.Sin, (*Tensor).Sin) }

// CosInPlace replaces x by its cosine. It panics where x holds integers.
func (x *Tensor) CosInPlace() *Tensor { return x.replace(op.Cos, (*Tensor).Cos) }

// SquareInPlace replaces x by x².
func (x *Tensor) SquareInPlace() *Tensor { return x.PowInPlace(2) }

// TanInPlace replaces x by its tangent. It panics where x holds integers.
func (x *Tensor) TanInPlace() *Tensor { return x.replace(op.Tan, (*Tensor).Tan) }

// AsinInPlace replaces x by its arc sine. It panics where x holds integers.
func (x *Tensor) AsinInPlace() *Tensor { return x.replace(op.Asin, (*Tensor).Asin) }

// AcosInPlace replaces x by its arc cosine. It panics where x holds integers.
func (x *Tensor) AcosInPlace() *Tensor { return x.replace(op.Acos, (*Tensor).Acos) }

// AtanInPlace replaces x by its arc tangent. It panics where x holds integers.
func (x *Tensor) AtanInPlace() *Tensor { return x.replace(op.Atan, (*Tensor).Atan) }

// SinhInPlace replaces x by its hyperbolic sine. It panics where x holds integers.
func (x *Tensor) SinhInPlace() *Tensor { return x.replace(op.Sinh, (*Tensor).Sinh) }

// CoshInPlace replaces x by its hyperbolic cosine. It panics where x holds integers.
func (x *Tensor) CoshInPlace() *Tensor { return x.replace(op.Cosh, (*Tensor).Cosh) }

// SincInPlace replaces x by its Sinc. It panics where x holds integers.
func (x *Tensor) SincInPlace() *Tensor { return x.replace(op.Sinc, (*Tensor).Sinc) }

// AsinhInPlace replaces x by the inverse of its hyperbolic sine. It panics where x holds integers.
func (x *Tensor) AsinhInPlace() *Tensor { return x.replace(op.Asinh, (*Tensor).Asinh) }

// AcoshInPlace replaces x by the inverse of its hyperbolic cosine. It panics where x holds integers.
func (x *Tensor) AcoshInPlace() *Tensor { return x.replace(op.Acosh, (*Tensor).Acosh) }

// AtanhInPlace replaces x by the inverse of its hyperbolic tangent. It panics where x holds integers.
func (x *Tensor) AtanhInPlace() *Tensor { return x.replace(op.Atanh, (*Tensor).Atanh) }

// Exp2InPlace replaces x by 2ˣ. It panics where x holds integers.
func (x *Tensor) Exp2InPlace() *Tensor { return x.replace(op.Exp2, (*Tensor).Exp2) }

// Log2InPlace replaces x by its logarithm to the base 2. It panics where x holds integers.
func (x *Tensor) Log2InPlace() *Tensor { return x.replace(op.Log2, (*Tensor).Log2) }

// Log10InPlace replaces x by its logarithm to the base 10. It panics where x holds integers.
func (x *Tensor) Log10InPlace() *Tensor { return x.replace(op.Log10, (*Tensor).Log10) }

// LogitInPlace replaces x by its Logit. It panics where x holds integers.
func (x *Tensor) LogitInPlace(eps ...Eps) *Tensor {
	x.mutable(op.Logit, nil)
	return x.become(op.Logit, x.Logit(eps...))
}

// ErfInPlace replaces x by its error function. It panics where x holds integers.
func (x *Tensor) ErfInPlace() *Tensor { return x.replace(op.Erf, (*Tensor).Erf) }

// ErfcInPlace replaces x by 1 less its error function. It panics where x holds integers.
func (x *Tensor) ErfcInPlace() *Tensor { return x.replace(op.Erfc, (*Tensor).Erfc) }

// ErfinvInPlace replaces x by the inverse of its error function. It panics where x holds integers.
func (x *Tensor) ErfinvInPlace() *Tensor { return x.replace(op.Erfinv, (*Tensor).Erfinv) }

// LgammaInPlace replaces x by log|Γ(x)|. It panics where x holds integers.
func (x *Tensor) LgammaInPlace() *Tensor { return x.replace(op.Lgamma, (*Tensor).Lgamma) }

// DigammaInPlace replaces x by the slope of Lgamma. It panics where x holds integers.
func (x *Tensor) DigammaInPlace() *Tensor { return x.replace(op.Digamma, (*Tensor).Digamma) }
