package cpu

import (
	"sync/atomic"

	"cresset/dtype"
	"cresset/internal/kern"
	"cresset/internal/op"
)

// roundsProducts is whether products of float32 may round operands to bfloat16.
var roundsProducts atomic.Bool

// SetProductRounding says whether products of float32 may round their operands to bfloat16, 8 bits, where that is faster.
func SetProductRounding(on bool) { roundsProducts.Store(on) }

// roundsProduct reports whether a product of such sizes does.
func roundsProduct[T dtype.Float](m, n, k int) bool {
	return dtype.Of[T]() == dtype.Float32 && roundsProducts.Load() && kern.RoundedPays(m, n, k)
}

// multiplyRounded computes then(bias + a·b), which roundsProduct, from rounded operands.
func multiplyRounded[T dtype.Float](m, n, k int, a, b kern.Matrix[T], bias []T, row int, then op.Op, out []T) {
	x, y := any(a).(kern.Matrix[float32]), any(b).(kern.Matrix[float32])
	kern.GemmRounded(m, n, k, x, y, any(bias).([]float32), row, then, any(out).([]float32), n)
}
