package tensor_test

import (
	"math"

	"cresset/tensor"
)

var elementaryRows = []opRow{
	unary("tan", (*tensor.Tensor).Tan, math.Tan).as(floatOf).as(from(-1.4, 1.4)).as(written((*tensor.Tensor).TanInPlace)).
		as(func(r *opRow) { r.noSpecials = "the reference loses digits of large arguments" }),
	unary("asin", (*tensor.Tensor).Asin, math.Asin).as(floatOf).as(from(-0.95, 0.95)).as(written((*tensor.Tensor).AsinInPlace)),
	unary("acos", (*tensor.Tensor).Acos, math.Acos).as(floatOf).as(from(-0.95, 0.95)).as(written((*tensor.Tensor).AcosInPlace)),
	unary("atan", (*tensor.Tensor).Atan, math.Atan).as(floatOf).as(written((*tensor.Tensor).AtanInPlace)),
	unary("sinh", (*tensor.Tensor).Sinh, math.Sinh).as(floatOf).as(written((*tensor.Tensor).SinhInPlace)),
	unary("cosh", (*tensor.Tensor).Cosh, math.Cosh).as(floatOf).as(written((*tensor.Tensor).CoshInPlace)),
	unary("sinc", (*tensor.Tensor).Sinc, sincOf).as(floatOf).as(written((*tensor.Tensor).SincInPlace)),
	unary("asinh", (*tensor.Tensor).Asinh, math.Asinh).as(floatOf).as(written((*tensor.Tensor).AsinhInPlace)),
	unary("acosh", (*tensor.Tensor).Acosh, math.Acosh).as(floatOf).as(from(1.1, 4)).as(written((*tensor.Tensor).AcoshInPlace)),
	unary("atanh", (*tensor.Tensor).Atanh, math.Atanh).as(floatOf).as(from(-0.9, 0.9)).as(written((*tensor.Tensor).AtanhInPlace)),
	unary("exp2", (*tensor.Tensor).Exp2, math.Exp2).as(floatOf).as(written((*tensor.Tensor).Exp2InPlace)),
	unary("log2", (*tensor.Tensor).Log2, func(x float64) float64 { return logOf(x) / math.Ln2 }).as(floatOf).as(from(0.2, 4)).
		as(written((*tensor.Tensor).Log2InPlace)),
	unary("log10", (*tensor.Tensor).Log10, func(x float64) float64 { return logOf(x) / math.Ln10 }).as(floatOf).as(from(0.2, 4)).
		as(written((*tensor.Tensor).Log10InPlace)),
	unary("erfc", (*tensor.Tensor).Erfc, math.Erfc).as(floatOf).as(written((*tensor.Tensor).ErfcInPlace)),
	unary("erfinv", (*tensor.Tensor).Erfinv, math.Erfinv).as(floatOf).as(from(-0.9, 0.9)).as(written((*tensor.Tensor).ErfinvInPlace)),
	unary("lgamma", (*tensor.Tensor).Lgamma, lgammaOf).as(floatOf).as(from(0.2, 4)).as(written((*tensor.Tensor).LgammaInPlace)).as(summed(32)),
	unary("digamma", (*tensor.Tensor).Digamma, digammaOf).as(floatOf).as(from(0.2, 4)).as(written((*tensor.Tensor).DigammaInPlace)).as(summed(16)),
	unary("polygamma", func(x *tensor.Tensor) *tensor.Tensor { return x.Polygamma(1) }, trigammaOf).as(floatOf).as(from(0.2, 4)).as(summed(16)),
	logit("logit"), logit("logit of bounds", 0.125),
	binary("atan2", (*tensor.Tensor).Atan2, math.Atan2).as(floatOf).as(clear(0)),
	binary("hypot", (*tensor.Tensor).Hypot, math.Hypot).as(clear(0)),
	binary("logaddexp", (*tensor.Tensor).LogAddExp, func(x, y float64) float64 {
		if math.IsInf(x, 0) && x == y {
			return x
		}
		return larger(x, y) + math.Log1p(math.Exp(-math.Abs(x-y)))
	}).as(func(r *opRow) { r.scale = 1 }),
	binary("xlogy", (*tensor.Tensor).XLogY, func(x, y float64) float64 {
		if x == 0 && y == y {
			return 0
		}
		return x * logOf(y)
	}).as(floatOf).as(from(-2, 2)).as(func(r *opRow) { r.in[1].lo, r.in[1].hi = 0.2, 4 }),
}

// summed is for a row whose reference adds up terms of that size.
func summed(scale float64) func(r *opRow) { return func(r *opRow) { r.scale = scale } }

func lgammaOf(x float64) float64 {
	if a := math.Abs(x); math.IsInf(a, 1) || a < 1e-300 {
		return math.Abs(logOf(a))
	}
	y, _ := math.Lgamma(x)
	return y
}

// digammaOf climbs to where the asymptotic series is exact.
func digammaOf(x float64) float64 {
	switch {
	case x == 0:
		return -1 / x
	case x < 0:
		if math.IsInf(x, -1) || x == math.Floor(x) {
			return math.NaN()
		}
		return digammaOf(1-x) - math.Pi/math.Tan(math.Pi*x)
	}
	sum := 0.0
	for ; x < 20; x++ {
		sum -= 1 / x
	}
	z := 1 / (x * x)
	return sum + math.Log(x) - 1/(2*x) - z*(1./12-z*(1./120-z*(1./252-z/240)))
}

func trigammaOf(x float64) float64 {
	if x < 0 {
		if x == math.Floor(x) && !math.IsInf(x, -1) {
			return math.Inf(1)
		}
		sine := math.Sin(math.Pi * x)
		return math.Pi*math.Pi/(sine*sine) - trigammaOf(1-x)
	}
	sum := 0.0
	for ; x < 20; x++ {
		sum += 1 / (x * x)
	}
	z := 1 / (x * x)
	return sum + 1/x + z/2 + z/x*(1./6-z*(1./30-z*(1./42-z/30)))
}

// logit is the row of Logit with bounds, or without any; drawn from both sides of these, but for the case without.
func logit(name string, eps ...tensor.Eps) opRow {
	low, lo, hi := math.Inf(-1), 0.05, 0.95
	if len(eps) > 0 {
		low, lo, hi = float64(eps[0]), -0.5, 1.5
	}
	return unary(name, func(x *tensor.Tensor) *tensor.Tensor { return x.Logit(eps...) }, func(x float64) float64 {
		c := clamp(x, low, 1-low)
		return logOf(c / (1 - c))
	}).as(floatOf).as(from(lo, hi)).as(clear(low, 1-low)).as(written(func(x *tensor.Tensor) *tensor.Tensor { return x.LogitInPlace(eps...) }))
}

// sincOf is 0 of whole numbers but 0, where math.Sin of π's multiples is not.
func sincOf(x float64) float64 {
	whole := math.RoundToEven(x)
	sine := math.Sin(math.Pi * (x - whole))
	switch {
	case x == 0:
		return 1
	case math.Mod(whole, 2) != 0:
		sine = -sine
	}
	return sine / (math.Pi * x)
}
