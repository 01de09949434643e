package tensor_test

import "cresset/tensor"

// threadFactors are matrices so large, or so many, that several threads share the work.
var threadFactors = []threadRow{
	of1("linalg.cholesky", []int{150, 150}, func(x *tensor.Tensor) *tensor.Tensor {
		return inner.Linalg.Cholesky(shifted(x.MM(x.T()), 1), false)
	}),
	of1("linalg.solve_triangular", []int{150, 150}, func(x *tensor.Tensor) *tensor.Tensor {
		return inner.Linalg.SolveTriangular(shifted(x, 99).Triu(0), x, true, true, false)
	}),
	of1("linalg.solve", []int{150, 150}, func(x *tensor.Tensor) *tensor.Tensor { return inner.Linalg.Solve(shifted(x, 50), x, true) }),
	of1("linalg.inv of many", []int{500, 8, 8}, func(x *tensor.Tensor) *tensor.Tensor { return inner.Linalg.Inv(shifted(x, 50)) }),
	of1("linalg.qr", []int{170, 150}, func(x *tensor.Tensor) *tensor.Tensor { q, _ := inner.Linalg.QR(x, "reduced"); return q }),
	of1("linalg.eigh", []int{3, 100, 100}, func(x *tensor.Tensor) *tensor.Tensor { _, v := inner.Linalg.Eigh(x, false); return v }),
	of1("linalg.eigh of one", []int{150, 150}, func(x *tensor.Tensor) *tensor.Tensor { v, _ := inner.Linalg.Eigh(x, false); return v }),
	of1("linalg.svd", []int{170, 150}, func(x *tensor.Tensor) *tensor.Tensor { u, _, _ := inner.Linalg.SVD(x, false); return u }),
	of1("linalg.svd of many", []int{300, 6, 8}, func(x *tensor.Tensor) *tensor.Tensor { _, _, v := inner.Linalg.SVD(x, false); return v }),
}
