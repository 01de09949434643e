package tensor_test

import (
	"math"

	"cresset/dtype"
	"cresset/tensor"
)

// divisors keeps integers away from zero, and quotients away from where they jump. Signs are for the special numbers and
// the scalar rows.
func divisors(r *opRow) {
	r.dtypes = numberTypes
	r.in[0].values, r.in[1].values = []float64{7, 1, 4, 8, 5, 2, 11, 10}, []float64{3, 6, 9}
}

func flat(r *opRow) { r.noGrad = true }

// halvesAlone has numbers whose quotient, 112.9931, both half types round to 113.
func halvesAlone(r *opRow) {
	r.dtypes, r.moreTypes = []dtype.DType{dtype.Float16, dtype.BFloat16}, true
	r.in[0].values, r.in[1].values = []float64{16384, 1, -16384, 8}, []float64{145, 145, 145}
}

var divisionRows = []opRow{
	binary("div", (*tensor.Tensor).Div, func(x, y float64) float64 { return x / y }).as(floatOf).
		as(func(r *opRow) { r.in[1].away = []float64{0, 0.03, -0.03} }).as(writtenTo((*tensor.Tensor).DivInPlace)),
	unary("div scalar", func(x *tensor.Tensor) *tensor.Tensor { return x.DivScalar(3) }, func(x float64) float64 { return x / 3 }).as(floatOf).
		as(written(func(x *tensor.Tensor) *tensor.Tensor { return x.DivScalarInPlace(3) })),
	unary("rdiv scalar", func(x *tensor.Tensor) *tensor.Tensor { return x.RDivScalar(3) }, func(x float64) float64 { return 1 / x * 3 }).as(floatOf).as(from(0.3, 2)),
	binary("floor_divide", (*tensor.Tensor).FloorDivide, floorDivide).as(divisors).as(flat),
	unary("floor_divide scalar", func(x *tensor.Tensor) *tensor.Tensor { return x.FloorDivideScalar(3) }, func(x float64) float64 { return floorDivide(x, 3) }).
		as(withInt).as(flat),
	binary("div trunc", (*tensor.Tensor).DivTrunc, func(x, y float64) float64 { return math.Trunc(x / y) }).as(divisors),
	binary("div trunc of halves", (*tensor.Tensor).DivTrunc, func(x, y float64) float64 { return math.Trunc(math.Round(16*x/y) / 16) }).as(halvesAlone),
	unary("div trunc scalar", func(x *tensor.Tensor) *tensor.Tensor { return x.DivTruncScalar(3) }, func(x float64) float64 { return math.Trunc(x / 3) }).
		as(withInt).as(clear(0)),
	binary("remainder", (*tensor.Tensor).Remainder, remainder).as(divisors),
	unary("remainder scalar", func(x *tensor.Tensor) *tensor.Tensor { return x.RemainderScalar(3) }, func(x float64) float64 { return remainder(x, 3) }).
		as(withInt).as(clear(0)),
	binary("fmod", (*tensor.Tensor).Fmod, math.Mod).as(divisors),
	unary("fmod scalar", func(x *tensor.Tensor) *tensor.Tensor { return x.FmodScalar(3) }, func(x float64) float64 { return math.Mod(x, 3) }).as(withInt),
}

// floorDivide is the floor of the exact quotient, which may lie below one that was rounded up to an integer.
func floorDivide(x, y float64) float64 {
	if y == 0 {
		return x / y
	}
	q := (x - math.Mod(x, y)) / y
	if m := math.Mod(x, y); m != 0 && (m < 0) != (y < 0) {
		q--
	}
	if q == 0 {
		return math.Copysign(0, x/y)
	}
	return math.Round(q)
}

func remainder(x, y float64) float64 {
	r := math.Mod(x, y)
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}
