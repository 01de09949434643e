package tensor

import "cresset/internal/op"

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

// ErfcInPlace replaces x by 1 less its error function. It panics where x holds integers.
func (x *Tensor) ErfcInPlace() *Tensor { return x.replace(op.Erfc, (*Tensor).Erfc) }

// ErfinvInPlace replaces x by the inverse of its error function. It panics where x holds integers.
func (x *Tensor) ErfinvInPlace() *Tensor { return x.replace(op.Erfinv, (*Tensor).Erfinv) }

// LgammaInPlace replaces x by log|Γ(x)|. It panics where x holds integers.
func (x *Tensor) LgammaInPlace() *Tensor { return x.replace(op.Lgamma, (*Tensor).Lgamma) }

// DigammaInPlace replaces x by the slope of Lgamma. It panics where x holds integers.
func (x *Tensor) DigammaInPlace() *Tensor { return x.replace(op.Digamma, (*Tensor).Digamma) }
