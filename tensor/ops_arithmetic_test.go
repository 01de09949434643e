package tensor_test

import "cresset/tensor"

// unary returns the row of an elementwise function of one input.
func unary(name string, f func(x *tensor.Tensor) *tensor.Tensor, ref func(v float64) float64) opRow {
	return opRow{
		name:  name,
		f:     func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0]) },
		in:    []arg{{shape: []int{3, 4}}},
		ref:   func(v []float64) float64 { return ref(v[0]) },
		empty: []emptyCase{{[][]int{{0, 4}}, []int{0, 4}}},
	}
}

// binary returns the row of an elementwise function of two inputs that are broadcast.
func binary(name string, f func(x, y *tensor.Tensor) *tensor.Tensor, ref func(x, y float64) float64) opRow {
	return opRow{
		name: name,
		f:    func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0], x[1]) },
		in:   []arg{{shape: []int{2, 3, 4}}, {shape: []int{3, 1}}},
		ref:  func(v []float64) float64 { return ref(v[0], v[1]) },
		empty: []emptyCase{
			{[][]int{{0, 4}, {0, 4}}, []int{0, 4}},
			{[][]int{{2, 0}, {1}}, []int{2, 0}},
			{[][]int{{1, 3}, {0, 1}}, []int{0, 3}},
		},
		wrong: []wrongCase{
			{[][]int{{2, 3}, {4}}, tensor.ErrShape, "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1"},
			{[][]int{{0}, {2}}, tensor.ErrShape, "The size of tensor a (0) must match the size of tensor b (2) at non-singleton dimension 0"},
		},
	}
}

// as changes a row, so that a table reads as a list.
func (r opRow) as(change func(r *opRow)) opRow {
	change(&r)
	return r
}

func everyType(r *opRow) { r.dtypes = allTypes }
func numbers(r *opRow)   { r.dtypes = numberTypes }

// withInt is for a function of a tensor and an integer: bools become int64.
func withInt(r *opRow) { r.dtypes, r.result = allTypes, toNumber }

var arithmeticRows = []opRow{
	binary("add", (*tensor.Tensor).Add, func(x, y float64) float64 { return x + y }).as(everyType).as(writtenTo((*tensor.Tensor).AddInPlace)),
	unary("add scalar", func(x *tensor.Tensor) *tensor.Tensor { return x.AddScalar(3) }, func(x float64) float64 { return x + 3 }).as(withInt).
		as(written(func(x *tensor.Tensor) *tensor.Tensor { return x.AddScalarInPlace(3) })),
	binary("add scaled", func(x, y *tensor.Tensor) *tensor.Tensor { return x.AddScaled(y, 2) }, func(x, y float64) float64 { return x + 2*y }).as(everyType).
		as(func(r *opRow) { r.noSpecials = "twice a large number overflows on the way" }).
		as(writtenTo(func(x, y *tensor.Tensor) *tensor.Tensor { return x.AddScaledInPlace(y, 2) })),
	binary("sub", (*tensor.Tensor).Sub, func(x, y float64) float64 { return x - y }).as(numbers).as(writtenTo((*tensor.Tensor).SubInPlace)),
	unary("sub scalar", func(x *tensor.Tensor) *tensor.Tensor { return x.SubScalar(3) }, func(x float64) float64 { return x - 3 }).as(numbers).
		as(written(func(x *tensor.Tensor) *tensor.Tensor { return x.SubScalarInPlace(3) })),
	unary("rsub scalar", func(x *tensor.Tensor) *tensor.Tensor { return x.RSubScalar(3) }, func(x float64) float64 { return 3 - x }).as(numbers),
	binary("mul", (*tensor.Tensor).Mul, func(x, y float64) float64 { return x * y }).as(everyType).as(writtenTo((*tensor.Tensor).MulInPlace)),
	unary("mul scalar", func(x *tensor.Tensor) *tensor.Tensor { return x.MulScalar(-3) }, func(x float64) float64 { return x * -3 }).as(withInt).
		as(written(func(x *tensor.Tensor) *tensor.Tensor { return x.MulScalarInPlace(-3) })),
}
