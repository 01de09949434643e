package tensor

import "cresset/internal/op"

// Exp returns eˣ; that of integers is float32.
func (x *Tensor) Exp() *Tensor {
	out := x.unaryFloat(op.Exp, nil)
	record(out, op.Exp, expGrad, nil, x).save(out)
	return out
}

func expGrad(b *backprop, dy *Tensor) { b.give(0, dy.Mul(b.saved(0))) }

// Expm1 returns eˣ - 1, without the loss of digits near 0; that of integers is float32.
func (x *Tensor) Expm1() *Tensor {
	out := x.unaryFloat(op.Expm1, nil)
	record(out, op.Expm1, expm1Grad, nil, x).save(out)
	return out
}

func expm1Grad(b *backprop, dy *Tensor) { b.give(0, dy.Mul(b.saved(0).AddScalar(1))) }

// Log returns the natural logarithm of x; that of integers is float32.
func (x *Tensor) Log() *Tensor {
	out := x.unaryFloat(op.Log, nil)
	record(out, op.Log, logGrad, nil, x).save(x)
	return out
}

func logGrad(b *backprop, dy *Tensor) { b.give(0, dy.Div(b.saved(0))) }

// Log1p returns log(1 + x), without the loss of digits near 0; that of integers is float32.
func (x *Tensor) Log1p() *Tensor {
	out := x.unaryFloat(op.Log1p, nil)
	record(out, op.Log1p, log1pGrad, nil, x).save(x)
	return out
}

func log1pGrad(b *backprop, dy *Tensor) { b.give(0, dy.Div(b.saved(0).AddScalar(1))) }
