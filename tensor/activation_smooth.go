package tensor

import "cresset/internal/op"

// SELU returns scale·x where x is positive, else scale·alpha·(eˣ - 1), with alpha = 1.67326… and scale = 1.0507….
func (x *Tensor) SELU() *Tensor { return x.elementwise(op.SELU, nil) }

// CELU returns x where it is positive, else alpha·(e^(x/alpha) - 1). It panics where alpha is 0.
func (x *Tensor) CELU(alpha float64) *Tensor {
	if alpha == 0 {
		fail("celu", ErrValue, "ZeroDivisionError: alpha cannot be 0 for CELU", x)
	}
	return x.elementwise(op.CELU, op.Number{A: alpha, B: 1 / alpha})
}

// LogSigmoid returns -log(1 + e⁻ˣ).
func (x *Tensor) LogSigmoid() *Tensor { return x.elementwise(op.LogSigmoid, nil) }

// Mish returns x·tanh(log(1 + eˣ)).
func (x *Tensor) Mish() *Tensor { return x.elementwise(op.Mish, nil) }

// Softsign returns x/(1 + |x|); that of integers is float32.
func (x *Tensor) Softsign() *Tensor { return x.Div(x.Abs().AddScalar(1)) }

// Tanhshrink returns x - tanh x; that of integers is float32.
func (x *Tensor) Tanhshrink() *Tensor { return x.Sub(x.Tanh()) }
