package tensor_test

import (
	"math"

	"cresset/tensor"
)

var activationRows = []opRow{
	unary("relu", (*tensor.Tensor).ReLU, relu).as(numbers).as(clear(0)).as(written((*tensor.Tensor).ReLUInPlace)),
	unary("leaky_relu", func(x *tensor.Tensor) *tensor.Tensor { return x.LeakyReLU(0.125) }, func(x float64) float64 {
		if x > 0 {
			return x
		}
		return x * 0.125
	}).as(clear(0)),
	unary("elu", func(x *tensor.Tensor) *tensor.Tensor { return x.ELU(1.5) }, func(x float64) float64 {
		if x > 0 {
			return x
		}
		return 1.5 * math.Expm1(x)
	}).as(clear(0)),
	unary("tanh", (*tensor.Tensor).Tanh, math.Tanh).as(floatOf).as(written((*tensor.Tensor).TanhInPlace)),
	unary("sigmoid", (*tensor.Tensor).Sigmoid, sigmoid).as(floatOf).as(written((*tensor.Tensor).SigmoidInPlace)),
	unary("gelu", (*tensor.Tensor).GELU, func(x float64) float64 { return x * 0.5 * math.Erfc(-x/math.Sqrt2) }).
		as(func(r *opRow) { r.roundings = 16 }),
	unary("gelu tanh", (*tensor.Tensor).GELUTanh, func(x float64) float64 {
		return x * sigmoid(2*math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x))
	}).as(func(r *opRow) { r.roundings = 8 }),
	unary("silu", (*tensor.Tensor).SiLU, func(x float64) float64 { return x * sigmoid(x) }),
	unary("softplus", func(x *tensor.Tensor) *tensor.Tensor { return x.Softplus(1, 20) }, softplus(1, 20)),
	unary("softplus 2", func(x *tensor.Tensor) *tensor.Tensor { return x.Softplus(2, 1) }, softplus(2, 1)).as(clear(0.5)),
}

func relu(x float64) float64 {
	if x < 0 {
		return 0
	}
	return x // NaN and -0 too
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func softplus(beta, threshold float64) func(x float64) float64 {
	return func(x float64) float64 {
		if beta*x > threshold {
			return x
		}
		return math.Log1p(math.Exp(beta*x)) / beta
	}
}
