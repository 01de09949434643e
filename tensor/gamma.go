package tensor

import "cresset/internal/op"

// Lgamma returns log|Γ(x)|, ∞ at 0 and at negative integers; that of integers is float32. It is right to 2 ulp, left of 0 to
// that or 2⁻²⁴, of float64 2⁻⁵³.
func (x *Tensor) Lgamma() *Tensor { return x.savingOperand(op.Lgamma, lgammaGrad) }

func lgammaGrad(b *backprop, dy *Tensor) { b.give(0, dy.Mul(b.saved(0).Digamma())) }

// Digamma returns ψ(x), the slope of Lgamma: -∞ at 0, ∞ at -0 and NaN at negative integers; that of integers is float32. It is right to
// 2 ulp, left of 0 to that or 2⁻²², of float64 2⁻⁵¹.
func (x *Tensor) Digamma() *Tensor { return x.savingOperand(op.Digamma, digammaGrad) }

func digammaGrad(b *backprop, dy *Tensor) { b.give(0, dy.Mul(b.saved(0).Polygamma(1))) }
