package tensor_test

import (
	"math"
	"slices"

	"cresset/dtype"
	"cresset/tensor"
)

// noFactorsOnGPUs is why GPUs lack what factors matrices.
const noFactorsOnGPUs = "matrices are factored on the CPU alone"

// linalgRows are factors of matrices and what is made of them. Package linalg tests other shapes, singular matrices and the like.
var linalgRows = []opRow{
	matrixRow("linalg.cholesky", func(x *tensor.Tensor) *tensor.Tensor {
		return inner.Linalg.Cholesky(shifted(x.MatMul(x.Transpose(-2, -1)), 4, 4, 4), false)
	}, func(x array) array {
		return naiveCholesky(naiveShifted(naiveTimes(x, naiveTransposed(x)), 4, 4, 4))
	}),
	systemRow("linalg.solve_triangular", func(x, b *tensor.Tensor) *tensor.Tensor {
		return inner.Linalg.SolveTriangular(shifted(x, 4, 5, 6).Triu(0), b, true, true, false)
	}, func(x, b array) array { return naiveSolved(naiveUpper(naiveShifted(x, 4, 5, 6)), b) }),
	systemRow("linalg.solve_triangular from the right", func(x, b *tensor.Tensor) *tensor.Tensor {
		return inner.Linalg.SolveTriangular(shifted(x, 4, 5, 6).Tril(0), b.Transpose(-2, -1), false, false, false)
	}, func(x, b array) array {
		return naiveTransposed(naiveSolved(naiveUpper(naiveTransposed(naiveShifted(x, 4, 5, 6))), b))
	}),
	matrixRow("linalg.lu, the lower triangle", func(x *tensor.Tensor) *tensor.Tensor {
		_, l, _ := inner.Linalg.LU(shifted(x, 8, 9, 10))
		return l
	}, func(x array) array { l, _ := naiveLU(naiveShifted(x, 8, 9, 10)); return l }),
	matrixRow("linalg.lu, the upper triangle", func(x *tensor.Tensor) *tensor.Tensor {
		_, _, u := inner.Linalg.LU(shifted(x, 8, 9, 10))
		return u
	}, func(x array) array { _, u := naiveLU(naiveShifted(x, 8, 9, 10)); return u }),
	systemRow("linalg.solve", func(x, b *tensor.Tensor) *tensor.Tensor {
		return inner.Linalg.Solve(shifted(x, 8, 9, 10), b, true)
	}, func(x, b array) array { return naiveSolved(naiveShifted(x, 8, 9, 10), b) }),
	squareRow("linalg.inv", func(x *tensor.Tensor) *tensor.Tensor { return inner.Linalg.Inv(shifted(x, 8, 9, 10)) },
		func(x array) array { return naiveSolved(naiveShifted(x, 8, 9, 10), naiveIdentity(x.shape)) }),
	matrixRow("linalg.pinv", func(x *tensor.Tensor) *tensor.Tensor {
		none := func(sizes *tensor.Tensor) *tensor.Tensor { return sizes.MulScalar(0) }
		return inner.Linalg.Pinv(shifted(x, 8, 9, 10), false, none)
	}, func(x array) array { return naiveSolved(naiveShifted(x, 8, 9, 10), naiveIdentity(x.shape)) }),
	squareRow("linalg.det", func(x *tensor.Tensor) *tensor.Tensor { return inner.Linalg.Det(shifted(x, 3, 3, 3)) },
		func(x array) array { return naiveDet(naiveShifted(x, 3, 3, 3)) }),
	squareRow("linalg.slogdet", func(x *tensor.Tensor) *tensor.Tensor {
		_, logAbs := inner.Linalg.SlogDet(shifted(x, 8, 9, 10))
		return logAbs
	}, func(x array) array {
		d := naiveDet(naiveShifted(x, 8, 9, 10))
		for i, v := range d.v {
			d.v[i] = math.Log(math.Abs(v))
		}
		return d
	}),
	matrixRow("linalg.qr, the basis", func(x *tensor.Tensor) *tensor.Tensor {
		q, _ := inner.Linalg.QR(shifted(x, 8, 9, 10), "reduced")
		return q
	}, func(x array) array { q, _ := naiveQR(naiveShifted(x, 8, 9, 10)); return q }),
	matrixRow("linalg.qr, the triangle", func(x *tensor.Tensor) *tensor.Tensor {
		_, r := inner.Linalg.QR(shifted(x, 8, 9, 10), "reduced")
		return r
	}, func(x array) array { _, r := naiveQR(naiveShifted(x, 8, 9, 10)); return r }),
	matrixRow("linalg.eigh", func(x *tensor.Tensor) *tensor.Tensor {
		values, v := inner.Linalg.Eigh(shifted(x.Add(x.Transpose(-2, -1)), 0, 20, 40), false)
		return v.Mul(values.Square().Unsqueeze(-2)).MatMul(v.Transpose(-2, -1))
	}, func(x array) array {
		a := naiveShifted(x, 0, 20, 40)
		each(x.shape, func(i []int) { *a.at(i...) += *x.at(slices.Concat(i[:1], []int{i[2], i[1]})...) })
		return naiveTimes(a, a)
	}).as(func(r *opRow) { r.scale = 4096 }),
	matrixRow("linalg.eigvalsh", func(x *tensor.Tensor) *tensor.Tensor {
		return inner.Linalg.EigvalsH(shifted(x.Add(x.Transpose(-2, -1)), 0, 20, 40), false)
	}, nil),
	matrixRow("linalg.svd", func(x *tensor.Tensor) *tensor.Tensor {
		u, s, vh := inner.Linalg.SVD(shifted(x, 3, 9, 16), false)
		return u.Mul(s.Pow(3).Unsqueeze(-2)).MatMul(vh)
	}, func(x array) array {
		a := naiveShifted(x, 3, 9, 16)
		return naiveTimes(naiveTimes(a, naiveTransposed(a)), a)
	}).as(func(r *opRow) { r.scale = 16384 }),
	matrixRow("linalg.svdvals", func(x *tensor.Tensor) *tensor.Tensor { return inner.Linalg.SVDVals(shifted(x, 3, 9, 16)) }, nil),
}

// matrixRow is a row of a function of square matrices. Without naive it is judged by itself in float64.
func matrixRow(name string, f func(x *tensor.Tensor) *tensor.Tensor, naive func(x array) array) opRow {
	r := opRow{
		name: name, f: func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0]) }, in: []arg{{shape: []int{2, 3, 3}}},
		dtypes: []dtype.DType{dtype.Float64, dtype.Float32}, scale: 32, noGPU: noFactorsOnGPUs,
		judge: "TestValues of package linalg",
		wrong: []wrongCase{{[][]int{{3}}, nil, ""}},
	}
	if naive != nil {
		r.naive, r.judge = func(x []array) array { return naive(x[0]) }, ""
	}
	return r
}

// squareRow is matrixRow that wants square matrices.
func squareRow(name string, f func(x *tensor.Tensor) *tensor.Tensor, naive func(x array) array) opRow {
	return matrixRow(name, f, naive).as(func(r *opRow) {
		r.wrong = []wrongCase{
			{[][]int{{2, 3, 4}}, tensor.ErrShape, ": A must be batches of square matrices, but they are 3 by 4 matrices"},
			{[][]int{{3}}, tensor.ErrShape, ": The input tensor A must have at least 2 dimensions."},
		}
	})
}

// systemRow is a row of a function of square matrices and of right sides.
func systemRow(name string, f func(x, b *tensor.Tensor) *tensor.Tensor, naive func(x, b array) array) opRow {
	r := matrixRow(name, nil, nil)
	r.f = func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0], x[1]) }
	r.naive, r.judge = func(x []array) array { return naive(x[0], x[1]) }, ""
	r.in = append(r.in, arg{shape: []int{2, 3, 2}})
	r.wrong = []wrongCase{
		{[][]int{{2, 3, 4}, {2, 4, 2}}, tensor.ErrShape, "A must be batches of square matrices, but they are 3 by 4 matrices"},
		{[][]int{{2, 3, 3}, {2, 2, 4}}, tensor.ErrShape, "Incompatible shapes of A and B for the equation"},
	}
	return r
}

// shifted adds numbers to the diagonals of x, in its scope.
func shifted(x *tensor.Tensor, by ...float64) *tensor.Tensor {
	if x.Dim() < 2 {
		return x
	}
	shift := x.Detach().MulScalar(0)
	for i := range min(shift.Size(-1), shift.Size(-2)) {
		shift.Select(-1, i).Select(-1, i).FillInPlace(by[i%len(by)])
	}
	return x.Add(shift)
}
