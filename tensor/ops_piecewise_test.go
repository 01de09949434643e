package tensor_test

import (
	"math"

	"cresset/tensor"
)

// piecewiseRows are activations without elementary functions, and functions of signs and fractions.
var piecewiseRows = []opRow{
	unary("hardtanh", func(x *tensor.Tensor) *tensor.Tensor { return x.Hardtanh(1, 3) }, func(x float64) float64 { return clamp(x, 1, 3) }).
		as(numbers).as(clear(1, 3)),
	unary("relu6", (*tensor.Tensor).ReLU6, func(x float64) float64 { return clamp(x, 0, 6) }).as(numbers).as(clear(0, 6)).as(from(-2, 8)),
	unary("hardswish", (*tensor.Tensor).Hardswish, func(x float64) float64 { return x * clamp(x+3, 0, 6) / 6 }).as(clear(-3, 3)).as(from(-5, 5)).
		as(func(r *opRow) { r.noSpecials = "the product overflows before it is divided" }),
	unary("hardsigmoid", (*tensor.Tensor).Hardsigmoid, func(x float64) float64 { return clamp(x+3, 0, 6) / 6 }).as(clear(-3, 3)).as(from(-5, 5)),
	unary("threshold", func(x *tensor.Tensor) *tensor.Tensor { return x.Threshold(1, 3) }, func(x float64) float64 {
		if x <= 1 {
			return 3
		}
		return x
	}).as(numbers).as(clear(1)),
	unary("hardshrink", func(x *tensor.Tensor) *tensor.Tensor { return x.Hardshrink(0.5) }, func(x float64) float64 {
		if math.Abs(x) <= 0.5 {
			return 0
		}
		return x
	}).as(clear(-0.5, 0.5)),
	unary("softshrink", func(x *tensor.Tensor) *tensor.Tensor { return x.Softshrink(0.5) }, func(x float64) float64 {
		if math.Abs(x) <= 0.5 {
			return 0
		}
		return x - math.Copysign(0.5, x)
	}).as(clear(-0.5, 0.5)),
	{
		name: "prelu",
		f:    func(x []*tensor.Tensor) *tensor.Tensor { return x[0].PReLU(x[1]) },
		in:   []arg{{shape: []int{2, 3, 4}, away: []float64{0}}, {shape: []int{3}}},
		naive: func(x []array) array {
			y := newArray(x[0].shape...)
			for k, v := range x[0].v {
				if y.v[k] = v; !(v > 0) {
					y.v[k] = v * x[1].v[k/4%3]
				}
			}
			return y
		},
		empty: []emptyCase{{[][]int{{0, 4}, {4}}, []int{0, 4}}, {[][]int{{2, 0}, {1}}, []int{2, 0}}},
		wrong: []wrongCase{{[][]int{{2, 3}, {4}}, tensor.ErrShape,
			"Mismatch of parameter numbers and input channel size. Found parameter numbers = 4 and channel size = 3."}},
	},
	{
		name: "prelu of one weight",
		f:    func(x []*tensor.Tensor) *tensor.Tensor { return x[0].PReLU(x[1]) },
		in:   []arg{{shape: []int{3, 4}, away: []float64{0}}, {shape: []int{1}, values: []float64{0.25}}},
		naive: func(x []array) array {
			return elementwise(func(v []float64) float64 { return max(v[0], 0.25*v[0]) }, x[:1])
		},
	},
	{
		name: "glu",
		f:    func(x []*tensor.Tensor) *tensor.Tensor { return x[0].GLU(1) },
		in:   []arg{{shape: []int{2, 4, 3}}},
		naive: func(x []array) array {
			y := newArray(2, 2, 3)
			for k := range y.v {
				at := k/6*12 + k%6
				y.v[k] = x[0].v[at] * sigmoid(x[0].v[at+6])
			}
			return y
		},
		empty: []emptyCase{{[][]int{{0, 4}}, []int{0, 2}}},
		wrong: []wrongCase{{[][]int{{2, 3}}, tensor.ErrShape, "Halving dimension must be even, but dimension 1 is size 3"}},
	},
	unary("frac", (*tensor.Tensor).Frac, func(x float64) float64 { return x - math.Trunc(x) }).as(clear(-1, 0, 1)),
	binary("copysign", (*tensor.Tensor).Copysign, math.Copysign).as(floatOf).as(clear(0)),
	binary("heaviside", (*tensor.Tensor).Heaviside, func(x, y float64) float64 {
		switch {
		case x == 0:
			return y
		case x > 0:
			return 1
		}
		return 0
	}).as(everyType).as(func(r *opRow) { r.noGrad = true }),
	unary("nan_to_num", func(x *tensor.Tensor) *tensor.Tensor {
		return x.NaNToNum(tensor.NaN(0.5), tensor.PosInf(7), tensor.NegInf(-8))
	}, func(x float64) float64 {
		switch {
		case x != x:
			return 0.5
		case x-x == 0:
			return x
		case x > 0:
			return 7
		}
		return -8
	}).as(everyType),
}

// smoothRows are activations of elementary functions.
var smoothRows = []opRow{
	unary("selu", (*tensor.Tensor).SELU, func(x float64) float64 {
		const alpha, scale = 1.6732632423543772, 1.0507009873554805
		if x > 0 {
			return x * scale
		}
		return alpha * scale * math.Expm1(x)
	}).as(clear(0)),
	unary("celu", func(x *tensor.Tensor) *tensor.Tensor { return x.CELU(2) }, func(x float64) float64 {
		if x > 0 {
			return x
		}
		return 2 * math.Expm1(x/2)
	}).as(clear(0)),
	unary("log_sigmoid", (*tensor.Tensor).LogSigmoid, func(x float64) float64 { return -softplus(1, math.Inf(1))(-x) }),
	unary("mish", (*tensor.Tensor).Mish, func(x float64) float64 { return x * math.Tanh(math.Log1p(math.Exp(min(x, 100)))) }).
		as(func(r *opRow) { r.roundings = 8 }),
	unary("softsign", (*tensor.Tensor).Softsign, func(x float64) float64 { return x / (1 + math.Abs(x)) }).as(floatOf).as(clear(0)).as(func(r *opRow) { r.dtypes = numberTypes }),
	unary("tanhshrink", (*tensor.Tensor).Tanhshrink, func(x float64) float64 { return x - math.Tanh(x) }).as(floatOf).as(func(r *opRow) { r.dtypes = numberTypes }).
		as(func(r *opRow) { r.scale = 1 }),
}
