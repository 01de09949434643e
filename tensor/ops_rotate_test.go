package tensor_test

import (
	"math"

	"cresset/tensor"
)

// rotateRows turn pairs by the angles 1, 2, 3, … of a table.
var rotateRows = []opRow{
	rotating("rotary_embedding", []int{2, 3, 2, 6}, []int{2, 3}),
	rotating("rotary_embedding of a part of rows", []int{2, 2, 3, 7}, []int{2, 1, 3, 2}),
	rotating("rotary_embedding of vectors", []int{3, 1, 2, 8}, []int{2, 4}),
}

// rotating is a row for x of a shape, whose rows turn by angles of a table's.
func rotating(name string, shape, table []int) opRow {
	n := table[len(table)-1]
	angles := newArray(table...)
	for i := range angles.v {
		angles.v[i] = float64(i + 1)
	}
	of := func(f func(float64) float64) array {
		y := newArray(table...)
		for i, a := range angles.v {
			y.v[i] = f(a)
		}
		return y
	}
	cos, sin := of(math.Cos), of(math.Sin)
	return opRow{
		name: name,
		f: func(x []*tensor.Tensor) *tensor.Tensor {
			c, s := cos.tensor(x[0].Device(), x[0].DType()), sin.tensor(x[0].Device(), x[0].DType())
			if y := inner.Rotate(x[0], c, s); y != nil {
				return y
			}
			return turnedByOps(x[0], c, s)
		},
		in: []arg{{shape: shape}},
		naive: func(x []array) array {
			y := newArray(shape...)
			each(shape, func(index []int) {
				at := make([]int, len(table)) // of the row's angles
				for i := range at {
					at[i] = index[len(index)-len(at)+i] % table[i]
				}
				i, last := index[len(index)-1], len(index)-1
				other := append([]int(nil), index...)
				switch c, s := *cos.at(at...), *sin.at(at...); {
				case i < n:
					other[last] = i + n
					*y.at(index...) = *x[0].at(index...)*c - *x[0].at(other...)*s
				case i < 2*n:
					other[last] = i - n
					*y.at(index...) = *x[0].at(index...)*c + *x[0].at(other...)*s
				default:
					*y.at(index...) = *x[0].at(index...)
				}
			})
			return y
		},
		scale: 2, moreTypes: true, noEmpty: "the tables have a shape of their own", noSpecials: "infinities meet",
	}
}

// turnedByOps turns x by ops of elements.
func turnedByOps(x, cos, sin *tensor.Tensor) *tensor.Tensor {
	n := cos.Size(-1)
	a, b := x.Narrow(-1, 0, n), x.Narrow(-1, n, n)
	return tensor.Cat([]*tensor.Tensor{a.Mul(cos).Sub(b.Mul(sin)), b.Mul(cos).Add(a.Mul(sin)), x.Narrow(-1, 2*n, x.Size(-1)-2*n)}, -1)
}
