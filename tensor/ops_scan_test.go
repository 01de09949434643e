package tensor_test

import (
	"math"

	"cresset/dtype"
	"cresset/tensor"
)

// scanned returns the row of a function whose every result is that of the elements of a line so far.
func scanned(name string, f func(x *tensor.Tensor, axis int) *tensor.Tensor, axis int, of func(soFar []float64) float64) opRow {
	return alongAxis(name, f, axis, func(line []float64) {
		x := append([]float64(nil), line...)
		for i := range line {
			line[i] = of(x[:i+1])
		}
	}).as(wrongOf([]int{3}, tensor.ErrIndex, "Dimension out of range")).as(func(r *opRow) {
		if axis <= 0 {
			r.wrong = nil
		}
	})
}

func firstOf(f func(x *tensor.Tensor, axis int) (a, b *tensor.Tensor)) func(x *tensor.Tensor, axis int) *tensor.Tensor {
	return func(x *tensor.Tensor, axis int) *tensor.Tensor { a, _ := f(x, axis); return a }
}

func secondOf(f func(x *tensor.Tensor, axis int) (a, b *tensor.Tensor)) func(x *tensor.Tensor, axis int) *tensor.Tensor {
	return func(x *tensor.Tensor, axis int) *tensor.Tensor { _, b := f(x, axis); return b }
}

// lastIndexOf is the last place of the best of some elements.
func lastIndexOf(best func(v []float64) float64) func(v []float64) float64 {
	return func(v []float64) float64 {
		at := 0
		for i, x := range v {
			if x == best(v) {
				at = i
			}
		}
		return float64(at)
	}
}

func fewRoundings(r *opRow) { r.roundings = 32 }

var scanRows = []opRow{
	scanned("cumprod over 0", (*tensor.Tensor).CumProd, 0, productOf).as(sums).as(fewRoundings),
	scanned("cumprod over 1", (*tensor.Tensor).CumProd, 1, productOf).as(sums).as(fewRoundings),
	scanned("cumprod with zeros", (*tensor.Tensor).CumProd, -1, productOf).as(sums).as(fewRoundings).as(func(r *opRow) {
		r.in[0].values = []float64{1, 0, 2, 3, 0, 0.5, 0, -1, 2, 1, 1, 3}
	}),
	scanned("cummax over 0", firstOf((*tensor.Tensor).CumMax), 0, maxOf).as(ordered),
	scanned("cummax over -1", firstOf((*tensor.Tensor).CumMax), -1, maxOf).as(ordered),
	scanned("index of cummax", secondOf((*tensor.Tensor).CumMax), 1, lastIndexOf(maxOf)).as(everyIndex),
	scanned("cummin over 1", firstOf((*tensor.Tensor).CumMin), 1, minOf).as(ordered),
	scanned("index of cummin", secondOf((*tensor.Tensor).CumMin), -1, lastIndexOf(minOf)).as(everyIndex),
	scanned("logcumsumexp over 0", (*tensor.Tensor).LogCumSumExp, 0, logSumExpOf).as(fewRoundings),
	scanned("logcumsumexp over -1", (*tensor.Tensor).LogCumSumExp, -1, logSumExpOf).as(fewRoundings),
}

func leastOf(x *tensor.Tensor, axes []int, keep ...tensor.KeepDim) *tensor.Tensor {
	return first(x.AMinMax(axes, keep...))
}

func mostOf(x *tensor.Tensor, axes []int, keep ...tensor.KeepDim) *tensor.Tensor {
	_, most := x.AMinMax(axes, keep...)
	return most
}

func varianceBeside(x *tensor.Tensor, axes []int, keep ...tensor.KeepDim) *tensor.Tensor {
	return first(x.VarMean(axes, keep[0]))
}

func meanBeside(x *tensor.Tensor, axes []int, keep ...tensor.KeepDim) *tensor.Tensor {
	_, mean := x.StdMean(axes, keep[0])
	return mean
}

// countRows are functions that count elements, and differences.
var countRows = []opRow{
	{
		name: "bincount",
		f:    func(x []*tensor.Tensor) *tensor.Tensor { return x[0].BinCount(tensor.MinLength(7)) },
		in:   []arg{{shape: []int{9}, whole: [2]int{0, 4}}}, dtypes: integerTypes, result: toIndex, noGrad: true,
		noEmpty: "it is for vectors alone",
		naive: func(x []array) array {
			y := newArray(7)
			for _, v := range x[0].v {
				y.v[int(v)]++
			}
			return y
		},
		wrong: []wrongCase{{[][]int{{2, 2}}, tensor.ErrValue, "bincount only supports 1-d non-negative integral inputs."}},
	},
	{
		name: "bincount of nothing counts in int64",
		f: func(x []*tensor.Tensor) *tensor.Tensor {
			return x[0].Narrow(0, 0, 0).BinCount(tensor.CountWeights(x[0].Float().Narrow(0, 0, 0)), tensor.MinLength(2))
		},
		in: []arg{{shape: []int{9}, whole: [2]int{0, 4}}}, dtypes: integerTypes, result: toIndex, noGrad: true,
		noEmpty: "it is for vectors alone",
		naive:   func([]array) array { return newArray(2) },
	},
	{
		name: "bincount with weights",
		f:    func(x []*tensor.Tensor) *tensor.Tensor { return x[0].BinCount(tensor.CountWeights(x[1])) },
		in:   []arg{places([]int{5}, 1, 3, 1, 0, 3), {shape: []int{5}}}, dtypes: numberTypes, noGrad: true,
		noEmpty: "it is for vectors alone", scale: 8, moreTypes: true,
		result: func(dt dtype.DType) dtype.DType {
			if dt == dtype.Float32 {
				return dt
			}
			return dtype.Float64
		},
		naive: func(x []array) array {
			y := newArray(4)
			for i, v := range x[0].v {
				y.v[int(v)] += x[1].v[i]
			}
			return y
		},
	},
	{
		name: "histc",
		f:    func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Histc(4, -1, 1) },
		in:   []arg{{shape: []int{3, 7}, away: []float64{-1, -0.5, 0, 0.5, 1}}}, noGrad: true,
		naive: func(x []array) array {
			y := newArray(4)
			for _, v := range x[0].v {
				if at := math.Floor(2 * (v + 1)); at >= 0 && at < 4 {
					y.v[int(at)]++
				}
			}
			return y
		},
		noEmpty: "the bins stay",
	},
	{
		name: "diff",
		f: func(x []*tensor.Tensor) *tensor.Tensor {
			return x[0].Diff(1, tensor.DiffOrder(2), tensor.Prepend(x[1]), tensor.Append(x[1]))
		},
		in: []arg{{shape: []int{2, 4}}, {shape: []int{2, 1}}}, dtypes: numberTypes, scale: 16,
		naive: func(x []array) array {
			y := newArray(2, 4)
			each(y.shape, func(i []int) {
				wide := []float64{*x[1].at(i[0], 0), *x[0].at(i[0], 0), *x[0].at(i[0], 1), *x[0].at(i[0], 2), *x[0].at(i[0], 3), *x[1].at(i[0], 0)}
				*y.at(i...) = wide[i[1]+2] - 2*wide[i[1]+1] + wide[i[1]]
			})
			return y
		},
		moreTypes: true,
		empty:     []emptyCase{{[][]int{{0, 4}, {0, 1}}, []int{0, 4}}},
	},
	rearranged("diff of bools", []int{2, 4}, func(x *tensor.Tensor) *tensor.Tensor { return x.Diff(0).Diff(0) }, []int{0, 4}, nil).as(everyType),
}
