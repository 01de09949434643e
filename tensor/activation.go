package tensor

import (
	"cresset/dtype"
	"cresset/internal/op"
)

// ReLU returns max(x, 0); NaN stays.
func (x *Tensor) ReLU() *Tensor {
	if x.dtype == dtype.Bool {
		fail("relu", ErrKernel, "Boolean inputs not supported for relu", x)
	}
	return x.elementwise(op.ReLU, nil)
}

// LeakyReLU returns x where it is positive, else slope·x.
func (x *Tensor) LeakyReLU(slope float64) *Tensor {
	return x.elementwise(op.LeakyReLU, op.Number{A: slope})
}

// ELU returns x where it is positive, else alpha·(eˣ - 1).
func (x *Tensor) ELU(alpha float64) *Tensor { return x.elementwise(op.ELU, op.Number{A: alpha}) }

// Tanh returns the hyperbolic tangent of x; that of integers is float32.
func (x *Tensor) Tanh() *Tensor { return x.elementwiseFloat(op.Tanh, nil) }

// Sigmoid returns 1/(1 + e⁻ˣ); that of integers is float32.
func (x *Tensor) Sigmoid() *Tensor { return x.elementwiseFloat(op.Sigmoid, nil) }

// GELU returns x·Φ(x), where Φ is the normal distribution.
func (x *Tensor) GELU() *Tensor { return x.elementwise(op.GELU, nil) }

// GELUTanh returns x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))), which is close to GELU.
func (x *Tensor) GELUTanh() *Tensor { return x.elementwise(op.GELUTanh, nil) }

// SiLU returns x/(1 + e⁻ˣ).
func (x *Tensor) SiLU() *Tensor { return x.elementwise(op.SiLU, nil) }

// Softplus returns log(1 + e^(beta·x)) / beta, and x itself where beta·x is larger than threshold.
func (x *Tensor) Softplus(beta, threshold float64) *Tensor {
	x = x.autocast(op.Softplus)
	return x.elementwise(op.Softplus, op.Number{A: beta, B: threshold})
}

// elementwise computes an op of one operand in x's dtype and records it. The gradient is the op that the generator's table has
// for it, of dy and of x or the result.
func (x *Tensor) elementwise(o op.Op, params any) *Tensor {
	return x.recorded(x.unary(o, params), o, params)
}

// elementwiseFloat is elementwise for an op whose result is a float: integers and bools become float32 first.
func (x *Tensor) elementwiseFloat(o op.Op, params any) *Tensor {
	return x.recorded(x.unaryFloat(o, params), o, params)
}

func (x *Tensor) recorded(out *Tensor, o op.Op, params any) *Tensor {
	kept := x
	if _, ofResult := o.Derivative(); ofResult {
		kept = out
	}
	record(out, o, kernelGrad, params, x).save(kept)
	return out
}

// kernelGrad is the gradient that one kernel computes, of dy and of what was saved. Where it is to be differentiated it is made of
// recorded ops, if there is such a formula.
func kernelGrad(b *backprop, dy *Tensor) {
	if b.creates {
		if composed := composition(b.current.op); composed != nil {
			composed(b, dy)
			return
		}
	}
	d, _ := b.current.op.Derivative()
	var room [5]*Tensor
	ins := append(room[:0], dy)
	for i := range b.current.saved {
		ins = append(ins, b.saved(i))
	}
	b.giveBy(d, dy, ins...)
}

// giveBy sends what kernel d makes of dy and its like to the first input.
func (b *backprop) giveBy(d op.Op, dy *Tensor, ins ...*Tensor) {
	var dx *Tensor
	if shape := b.input(0); shape.Equal(dy.layout.Shape()) {
		dx = dy.like(d, dy.dtype)
	} else {
		dx = dy.empty(d, dy.dtype, shape)
	}
	launch(d, dy.dtype, b.params(), []*Tensor{dx}, ins)
	b.give(0, dx)
}

// rectified records that x, a fresh result that nobody else sees and whose gradient does not need it, is what ReLU left
// where its operand was.
func (x *Tensor) rectified() *Tensor {
	x.recorded(x, op.ReLU, nil)
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
