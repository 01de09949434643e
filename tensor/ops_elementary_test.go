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
