package tensor_test

import (
	"math"

	"cresset/tensor"
)

// three returns the row of a function of three inputs that are broadcast.
func three(name string, f func(x, y, z *tensor.Tensor) *tensor.Tensor, ref func(x, y, z float64) float64) opRow {
	return opRow{
		name:  name,
		f:     func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0], x[1], x[2]) },
		in:    []arg{{shape: []int{2, 3, 4}}, {shape: []int{3, 1}}, {shape: []int{2, 1, 1}}},
		ref:   func(v []float64) float64 { return ref(v[0], v[1], v[2]) },
		scale: 8,
		empty: []emptyCase{{[][]int{{0, 4}, {1, 4}, {1}}, []int{0, 4}}},
		wrong: []wrongCase{{[][]int{{2, 3}, {4}, {1}}, tensor.ErrShape,
			"The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1"}},
		noSpecials: "large terms cancel",
	}
}

var combinationRows = []opRow{
	three("lerp", func(x, y, w *tensor.Tensor) *tensor.Tensor { return x.Lerp(y, w) }, func(x, y, w float64) float64 { return x + w*(y-x) }).
		as(writtenOf(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].LerpInPlace(x[1], x[2]) })),
	binary("lerp scalar", func(x, y *tensor.Tensor) *tensor.Tensor { return x.Lerp(y, 0.75) }, func(x, y float64) float64 { return x + 0.75*(y-x) }).
		as(func(r *opRow) { r.noSpecials, r.scale = "large terms cancel", 4 }).
		as(writtenTo(func(x, y *tensor.Tensor) *tensor.Tensor { return x.LerpInPlace(y, 0.75) })),
	three("addcmul", func(x, y, z *tensor.Tensor) *tensor.Tensor { return x.AddCMul(y, z, 2) }, func(x, y, z float64) float64 { return x + 2*y*z }).as(numbers).
		as(writtenOf(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].AddCMulInPlace(x[1], x[2], 2) })),
	three("addcdiv", func(x, y, z *tensor.Tensor) *tensor.Tensor { return x.AddCDiv(y, z, 2) }, func(x, y, z float64) float64 { return x + 2*y/z }).
		as(func(r *opRow) { r.in[2].lo, r.in[2].hi = 0.5, 2 }).
		as(writtenOf(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].AddCDivInPlace(x[1], x[2], 2) })),
	three("clamp by tensors", func(x, low, high *tensor.Tensor) *tensor.Tensor { return x.Clamp(low, high) },
		func(x, low, high float64) float64 { return -larger(-larger(x, low), -high) }).as(numbers).as(func(r *opRow) {
		r.in[1].values, r.in[2].values, r.in[0].away = []float64{-1, 0.5, 1}, []float64{0.75, 0.25}, []float64{-1, 0.25, 0.5, 0.75, 1}
		r.in[1].constant, r.in[2].constant, r.noSpecials = true, true, ""
	}),
	binary("clamp from below by a tensor", func(x, low *tensor.Tensor) *tensor.Tensor { return x.Clamp(low, nil) }, larger).as(everyType),
	binary("clamp from above by a tensor", func(x, high *tensor.Tensor) *tensor.Tensor { return x.Clamp(nil, high) },
		func(x, high float64) float64 { return -larger(-x, -high) }).as(everyType),

	binary("bitwise_left_shift", (*tensor.Tensor).BitwiseLeftShift, func(x, n float64) float64 {
		return float64(int64(x) << uint64(int64(n)))
	}).as(shifts),
	binary("bitwise_right_shift", (*tensor.Tensor).BitwiseRightShift, func(x, n float64) float64 {
		return float64(int64(x) >> uint64(int64(n)))
	}).as(shifts),
	unary("bitwise_left_shift scalar", func(x *tensor.Tensor) *tensor.Tensor { return x.BitwiseLeftShiftScalar(2) }, func(x float64) float64 { return x * 4 }).
		as(bits).as(intResult),
	unary("bitwise_right_shift scalar", func(x *tensor.Tensor) *tensor.Tensor { return x.BitwiseRightShiftScalar(1) }, func(x float64) float64 { return math.Floor(x / 2) }).
		as(bits).as(intResult),
}

func shifts(r *opRow) { r.dtypes, r.noGrad = integerTypes, true }
