package tensor_test

import (
	"math"

	"cresset/dtype"
	"cresset/tensor"
)

// truth returns a row whose results are bools.
func truth(r *opRow) { r.dtypes, r.result, r.noGrad = allTypes, toBool, true }

// bits is for functions of integers and bools.
func bits(r *opRow) { r.dtypes, r.noGrad = bitTypes, true }

func compare(name string, f func(x, y *tensor.Tensor) *tensor.Tensor, ref func(x, y float64) bool) opRow {
	return binary(name, f, func(x, y float64) float64 { return number(ref(x, y)) }).as(truth)
}

func compareScalar(name string, f func(x *tensor.Tensor) *tensor.Tensor, ref func(x float64) bool) opRow {
	return unary(name, f, func(x float64) float64 { return number(ref(x)) }).as(truth)
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

var comparisonRows = []opRow{
	compare("eq", (*tensor.Tensor).Eq, func(x, y float64) bool { return x == y }),
	compare("ne", (*tensor.Tensor).Ne, func(x, y float64) bool { return x != y }),
	compare("lt", (*tensor.Tensor).Lt, func(x, y float64) bool { return x < y }),
	compare("le", (*tensor.Tensor).Le, func(x, y float64) bool { return x <= y }),
	compare("gt", (*tensor.Tensor).Gt, func(x, y float64) bool { return x > y }),
	compare("ge", (*tensor.Tensor).Ge, func(x, y float64) bool { return x >= y }),
	compareScalar("eq scalar", func(x *tensor.Tensor) *tensor.Tensor { return x.EqScalar(1) }, func(x float64) bool { return x == 1 }),
	compareScalar("ne scalar", func(x *tensor.Tensor) *tensor.Tensor { return x.NeScalar(1) }, func(x float64) bool { return x != 1 }),
	compareScalar("lt scalar", func(x *tensor.Tensor) *tensor.Tensor { return x.LtScalar(0.5) }, func(x float64) bool { return x < 0.5 }),
	compareScalar("le scalar", func(x *tensor.Tensor) *tensor.Tensor { return x.LeScalar(0) }, func(x float64) bool { return x <= 0 }),
	compareScalar("gt scalar", func(x *tensor.Tensor) *tensor.Tensor { return x.GtScalar(0.5) }, func(x float64) bool { return x > 0.5 }),
	compareScalar("ge scalar", func(x *tensor.Tensor) *tensor.Tensor { return x.GeScalar(true) }, func(x float64) bool { return x >= 1 }),
	compareScalar("isnan", (*tensor.Tensor).IsNaN, math.IsNaN),
	compareScalar("isinf", (*tensor.Tensor).IsInf, func(x float64) bool { return math.IsInf(x, 0) }),
	compareScalar("isfinite", (*tensor.Tensor).IsFinite, func(x float64) bool { return x-x == 0 }),

	compare("logical_and", (*tensor.Tensor).LogicalAnd, func(x, y float64) bool { return x != 0 && y != 0 }),
	compare("logical_or", (*tensor.Tensor).LogicalOr, func(x, y float64) bool { return x != 0 || y != 0 }),
	compare("logical_xor", (*tensor.Tensor).LogicalXor, func(x, y float64) bool { return (x != 0) != (y != 0) }),
	compareScalar("logical_not", (*tensor.Tensor).LogicalNot, func(x float64) bool { return x == 0 }),

	binary("bitwise_and", (*tensor.Tensor).BitwiseAnd, func(x, y float64) float64 { return float64(int64(x) & int64(y)) }).as(bits),
	binary("bitwise_or", (*tensor.Tensor).BitwiseOr, func(x, y float64) float64 { return float64(int64(x) | int64(y)) }).as(bits),
	binary("bitwise_xor", (*tensor.Tensor).BitwiseXor, func(x, y float64) float64 { return float64(int64(x) ^ int64(y)) }).as(bits),
	unary("bitwise_and scalar", func(x *tensor.Tensor) *tensor.Tensor { return x.BitwiseAndScalar(5) }, func(x float64) float64 { return float64(int64(x) & 5) }).as(bits).as(intResult),
	unary("bitwise_or scalar", func(x *tensor.Tensor) *tensor.Tensor { return x.BitwiseOrScalar(5) }, func(x float64) float64 { return float64(int64(x) | 5) }).as(bits).as(intResult),
	unary("bitwise_xor scalar", func(x *tensor.Tensor) *tensor.Tensor { return x.BitwiseXorScalar(5) }, func(x float64) float64 { return float64(int64(x) ^ 5) }).as(bits).as(intResult),
	unary("bitwise_not", (*tensor.Tensor).BitwiseNot, nil).as(bits).as(func(r *opRow) {
		r.ref, r.naive = nil, func(x []array) array { return inverted(x[0]) }
	}),
}

// inverted returns 1 - v of bools and the complement -1 - v of integers.
func inverted(x array) array {
	top := 1.0
	for _, v := range x.v {
		if v != 0 && v != 1 {
			top = -1
		}
	}
	y := newArray(x.shape...)
	for k, v := range x.v {
		y.v[k] = top - v
	}
	return y
}

func intResult(r *opRow) { r.result = toNumber }

var selectRows = []opRow{
	binary("maximum", (*tensor.Tensor).Maximum, larger).as(everyType),
	binary("minimum", (*tensor.Tensor).Minimum, func(x, y float64) float64 { return -larger(-x, -y) }).as(everyType),
	unary("clamp", func(x *tensor.Tensor) *tensor.Tensor { return x.Clamp(0, 1) }, func(x float64) float64 { return clamp(x, 0, 1) }).
		as(withInt).as(clear(0, 1)).as(written(func(x *tensor.Tensor) *tensor.Tensor { return x.ClampInPlace(0, 1) })),
	unary("clamp low", func(x *tensor.Tensor) *tensor.Tensor { return x.Clamp(0.5, nil) }, func(x float64) float64 { return clamp(x, 0.5, math.Inf(1)) }).
		as(floatOf).as(clear(0.5)).as(written(func(x *tensor.Tensor) *tensor.Tensor { return x.ClampInPlace(0.5, nil) })),
	unary("clamp high", func(x *tensor.Tensor) *tensor.Tensor { return x.Clamp(nil, 1) }, func(x float64) float64 { return clamp(x, math.Inf(-1), 1) }).
		as(withInt).as(clear(1)),
	{
		name: "where",
		f:    func(x []*tensor.Tensor) *tensor.Tensor { return tensor.Where(x[0], x[1], x[2]) },
		in:   []arg{{shape: []int{2, 1, 4}, dtype: dtype.Bool}, {shape: []int{3, 1}}, {shape: []int{2, 3, 4}}},
		ref: func(v []float64) float64 {
			if v[0] != 0 {
				return v[1]
			}
			return v[2]
		},
		dtypes: allTypes,
		empty:  []emptyCase{{[][]int{{2, 1}, {0}, {1}}, []int{2, 0}}},
		wrong: []wrongCase{{[][]int{{2}, {3}, {1}}, tensor.ErrShape,
			"The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"}},
	},
	{
		name: "where scalar",
		f:    func(x []*tensor.Tensor) *tensor.Tensor { return tensor.Where(x[0], 1, x[1]) },
		in:   []arg{{shape: []int{3, 4}, dtype: dtype.Bool}, {shape: []int{3, 1}}},
		ref: func(v []float64) float64 {
			if v[0] != 0 {
				return 1
			}
			return v[1]
		},
		dtypes: allTypes,
		result: toNumber,
	},
	{
		name:    "masked_fill",
		f:       func(x []*tensor.Tensor) *tensor.Tensor { return x[0].MaskedFill(x[1], 1) },
		inPlace: func(x []*tensor.Tensor) *tensor.Tensor { return x[0].MaskedFillInPlace(x[1], 1) },
		in:      []arg{{shape: []int{2, 3, 4}}, {shape: []int{3, 1}, dtype: dtype.Bool}},
		ref: func(v []float64) float64 {
			if v[1] != 0 {
				return 1
			}
			return v[0]
		},
		dtypes: allTypes,
		empty:  []emptyCase{{[][]int{{0, 3}, {3}}, []int{0, 3}}},
	},
	{
		name: "where a byte is not 0",
		f: func(x []*tensor.Tensor) *tensor.Tensor {
			return tensor.Where(x[0].To(dtype.Uint8).MulScalar(2), x[1], x[2])
		},
		in: []arg{{shape: []int{3, 4}, dtype: dtype.Bool}, {shape: []int{3, 1}}, {shape: []int{4}}},
		ref: func(v []float64) float64 {
			if v[0] != 0 {
				return v[1]
			}
			return v[2]
		},
		dtypes: allTypes,
	},
}

func larger(x, y float64) float64 {
	if x != x || y < x {
		return x
	}
	if x == y {
		return x // 0 and -0 are equal: the first stays
	}
	return y
}

func clamp(x, low, high float64) float64 {
	if x < low {
		x = low
	}
	if x > high {
		x = high
	}
	return x
}
