package tensor_test

import (
	"math"

	"cresset/tensor"
)

// floatOf is for a function whose result is a float whatever the input is.
func floatOf(r *opRow) { r.dtypes, r.result = allTypes, toFloat }

// from limits draws to [lo, hi), where a function is defined and tame enough for differences.
func from(lo, hi float64) func(r *opRow) {
	return func(r *opRow) { r.in[0].lo, r.in[0].hi = lo, hi }
}

// clear keeps draws away from kinks and jumps.
func clear(points ...float64) func(r *opRow) {
	return func(r *opRow) {
		for i := range r.in {
			r.in[i].away = points
		}
	}
}

// written names the form of a unary row that writes into its input.
func written(f func(x *tensor.Tensor) *tensor.Tensor) func(r *opRow) {
	return func(r *opRow) { r.inPlace = func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0]) } }
}

// writtenTo names the form of a binary row that writes into its first input.
func writtenTo(f func(x, y *tensor.Tensor) *tensor.Tensor) func(r *opRow) {
	return func(r *opRow) { r.inPlace = func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0], x[1]) } }
}

// writtenOf names the form of a row that writes into its first input.
func writtenOf(f func(x []*tensor.Tensor) *tensor.Tensor) func(r *opRow) {
	return func(r *opRow) { r.inPlace = f }
}

func power(name string, v any, ref func(x float64) float64) opRow {
	return unary(name, func(x *tensor.Tensor) *tensor.Tensor { return x.Pow(v) }, ref).
		as(written(func(x *tensor.Tensor) *tensor.Tensor { return x.PowInPlace(v) }))
}

// logOf is math.Log, which takes subnormal numbers for normal ones on amd64.
func logOf(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p52) - 52*math.Ln2
	}
	return math.Log(x)
}

var mathRows = []opRow{
	unary("exp", (*tensor.Tensor).Exp, math.Exp).as(floatOf).as(written((*tensor.Tensor).ExpInPlace)),
	unary("expm1", (*tensor.Tensor).Expm1, math.Expm1).as(floatOf).as(written((*tensor.Tensor).Expm1InPlace)),
	unary("log", (*tensor.Tensor).Log, logOf).as(floatOf).as(from(0.2, 4)).as(written((*tensor.Tensor).LogInPlace)),
	unary("log1p", (*tensor.Tensor).Log1p, math.Log1p).as(floatOf).as(from(-0.7, 4)).as(written((*tensor.Tensor).Log1pInPlace)),
	unary("sin", (*tensor.Tensor).Sin, math.Sin).as(floatOf).as(func(r *opRow) { r.noSpecials = "the reference loses digits of large arguments" }).as(written((*tensor.Tensor).SinInPlace)),
	unary("cos", (*tensor.Tensor).Cos, math.Cos).as(floatOf).as(func(r *opRow) { r.noSpecials = "the reference loses digits of large arguments" }).as(written((*tensor.Tensor).CosInPlace)),
	unary("erf", (*tensor.Tensor).Erf, math.Erf).as(floatOf).as(written((*tensor.Tensor).ErfInPlace)),
	unary("sqrt", (*tensor.Tensor).Sqrt, math.Sqrt).as(floatOf).as(from(0.2, 4)).as(written((*tensor.Tensor).SqrtInPlace)),
	unary("rsqrt", (*tensor.Tensor).Rsqrt, func(x float64) float64 { return 1 / math.Sqrt(x) }).as(floatOf).as(from(0.2, 4)).as(written((*tensor.Tensor).RsqrtInPlace)),
	unary("reciprocal", (*tensor.Tensor).Reciprocal, func(x float64) float64 { return 1 / x }).as(floatOf).as(from(0.3, 2)).as(written((*tensor.Tensor).ReciprocalInPlace)),
	unary("square", (*tensor.Tensor).Square, func(x float64) float64 { return x * x }).as(withInt).as(written((*tensor.Tensor).SquareInPlace)),
	power("pow 0", 0, func(float64) float64 { return 1 }).as(withInt),
	power("pow 1", 1, func(x float64) float64 { return x }).as(withInt),
	power("pow 2", 2, func(x float64) float64 { return x * x }).as(withInt),
	power("pow 3", 3, func(x float64) float64 { return x * x * x }).as(withInt).as(func(r *opRow) { r.noSpecials = "half types round the square" }),
	power("pow 5", 5, func(x float64) float64 { return power64(x, 5) }).as(withInt),
	power("pow 2.5", 2.5, func(x float64) float64 { return power64(x, 2.5) }).as(floatOf).as(from(0.2, 3)),
	power("pow 0.5", 0.5, math.Sqrt).as(floatOf).as(from(0.2, 4)),
	power("pow -0.5", -0.5, func(x float64) float64 { return 1 / math.Sqrt(x) }).as(floatOf).as(from(0.2, 4)),
	power("pow -1.0", -1.0, func(x float64) float64 { return 1 / x }).as(floatOf).as(from(0.3, 2)),
	power("pow -2.0", -2.0, func(x float64) float64 { return 1 / (x * x) }).as(floatOf).as(from(0.3, 2)).
		as(func(r *opRow) { r.noSpecials = "half types round the square" }),
	binary("pow tensor", (*tensor.Tensor).PowTensor, power64).as(from(0.2, 2)).as(func(r *opRow) {
		r.dtypes, r.in[0].whole, r.in[1].whole = numberTypes, [2]int{-3, 3}, [2]int{0, 4}
	}),
	unary("rpow", func(x *tensor.Tensor) *tensor.Tensor { return x.RPow(2.5) }, func(x float64) float64 { return power64(2.5, x) }).as(floatOf),
	unary("neg", (*tensor.Tensor).Neg, func(x float64) float64 { return -x }).as(numbers).as(written((*tensor.Tensor).NegInPlace)),
	unary("abs", (*tensor.Tensor).Abs, math.Abs).as(numbers).as(clear(0)).as(written((*tensor.Tensor).AbsInPlace)),
	unary("sign", (*tensor.Tensor).Sign, sign).as(everyType).as(clear(0)).as(written((*tensor.Tensor).SignInPlace)),
	unary("floor", (*tensor.Tensor).Floor, math.Floor).as(numbers).as(clear(-1, 0, 1)).as(written((*tensor.Tensor).FloorInPlace)),
	unary("ceil", (*tensor.Tensor).Ceil, math.Ceil).as(numbers).as(clear(-1, 0, 1)).as(written((*tensor.Tensor).CeilInPlace)),
	unary("round", (*tensor.Tensor).Round, math.RoundToEven).as(numbers).as(clear(-1.5, -0.5, 0.5, 1.5)).as(written((*tensor.Tensor).RoundInPlace)),
	unary("trunc", (*tensor.Tensor).Trunc, math.Trunc).as(numbers).as(clear(-1, 0, 1)).as(written((*tensor.Tensor).TruncInPlace)),
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// power64 is x to the power of y. math.Pow is too far off for a reference: it takes roots of numbers near the ends of the
// range by repeated squaring. Here x is m·2^e, and 2^(y·e) keeps what its exponent loses.
func power64(x, y float64) float64 {
	m, e := math.Frexp(x)
	t := y * float64(e)
	integers := x == math.Trunc(x) && y == math.Trunc(y) // where math.Pow is exact
	if integers || !(x > 0) || math.IsInf(x, 0) || math.IsNaN(t) || math.Abs(t) > 5000 || math.Abs(y) > 100 {
		return math.Pow(x, y)
	}
	whole := math.Floor(t)
	rest := (t - whole) + math.FMA(y, float64(e), -t)
	return math.Ldexp(math.Exp2(rest+y*math.Log2(m)), int(whole))
}
