package tensor

import "cresset/internal/op"

// ReLU returns max(x, 0); NaN stays.
func (x *Tensor) ReLU() *Tensor {
	out := x.unary(op.ReLU, nil)
	record(out, op.ReLU, reluGrad, nil, x).save(out)
	return out
}

// rectified records that x, a fresh result that nobody else sees and whose gradient does not need it, is what ReLU left
// where its operand was.
func (x *Tensor) rectified() *Tensor {
	record(x, op.ReLU, reluGrad, nil, x).save(x)
	x.view = false
	if placement.on.Load() {
		placement.made(x.storage, op.ReLU.String())
	}
	return x
}

// overwritten applies an elementwise op, which may be op.Invalid, to a fresh result in place and makes no record of it.
func (x *Tensor) overwritten(o op.Op) *Tensor {
	if o != op.Invalid {
		launch(o, x.dtype, nil, []*Tensor{x}, []*Tensor{x})
	}
	return x
}

func reluGrad(b *backprop, dy *Tensor) { b.give(0, b.joint(op.ReLUGrad, dy, b.saved(0), nil)) }

// LeakyReLU returns x where it is positive, else slope·x.
func (x *Tensor) LeakyReLU(slope float64) *Tensor {
	p := op.Number{A: slope}
	out := x.unary(op.LeakyReLU, p)
	record(out, op.LeakyReLU, leakyReLUGrad, p, x).save(x)
	return out
}

func leakyReLUGrad(b *backprop, dy *Tensor) {
	b.give(0, b.joint(op.LeakyReLUGrad, dy, b.saved(0), b.params()))
}

// Tanh returns the hyperbolic tangent of x; that of integers is float32.
func (x *Tensor) Tanh() *Tensor {
	out := x.unaryFloat(op.Tanh, nil)
	record(out, op.Tanh, tanhGrad, nil, x).save(out)
	return out
}

func tanhGrad(b *backprop, dy *Tensor) { b.give(0, b.joint(op.TanhGrad, dy, b.saved(0), nil)) }

// Sigmoid returns 1/(1 + e⁻ˣ); that of integers is float32.
func (x *Tensor) Sigmoid() *Tensor {
	out := x.unaryFloat(op.Sigmoid, nil)
	record(out, op.Sigmoid, sigmoidGrad, nil, x).save(out)
	return out
}

func sigmoidGrad(b *backprop, dy *Tensor) { b.give(0, b.joint(op.SigmoidGrad, dy, b.saved(0), nil)) }

// GELU returns x·Φ(x), where Φ is the normal distribution.
func (x *Tensor) GELU() *Tensor {
	out := x.unary(op.GELU, nil)
	record(out, op.GELU, geluGrad, nil, x).save(x)
	return out
}

func geluGrad(b *backprop, dy *Tensor) { b.give(0, b.joint(op.GELUGrad, dy, b.saved(0), nil)) }

// GELUTanh returns x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))), which is close to GELU.
func (x *Tensor) GELUTanh() *Tensor {
	out := x.unary(op.GELUTanh, nil)
	record(out, op.GELUTanh, geluTanhGrad, nil, x).save(x)
	return out
}

func geluTanhGrad(b *backprop, dy *Tensor) { b.give(0, b.joint(op.GELUTanhGrad, dy, b.saved(0), nil)) }

// SiLU returns x/(1 + e⁻ˣ).
func (x *Tensor) SiLU() *Tensor {
	out := x.unary(op.SiLU, nil)
	record(out, op.SiLU, siluGrad, nil, x).save(x)
	return out
}

func siluGrad(b *backprop, dy *Tensor) { b.give(0, b.joint(op.SiLUGrad, dy, b.saved(0), nil)) }

// Softplus returns log(1 + e^(beta·x)) / beta, and x itself where beta·x is larger than threshold.
func (x *Tensor) Softplus(beta, threshold float64) *Tensor {
	p := op.Number{A: beta, B: threshold}
	out := x.unary(op.Softplus, p)
	record(out, op.Softplus, softplusGrad, p, x).save(x)
	return out
}

func softplusGrad(b *backprop, dy *Tensor) {
	b.give(0, b.joint(op.SoftplusGrad, dy, b.saved(0), b.params()))
}

// joint computes the kernel of an activation's gradient from dy and a saved value of the same shape.
func (b *backprop) joint(o op.Op, dy, saved *Tensor, params any) *Tensor {
	dx := dy.like(o, dy.dtype)
	launch(o, dy.dtype, params, []*Tensor{dx}, []*Tensor{dy, saved})
	return dx
}
