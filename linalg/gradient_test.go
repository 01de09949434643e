package linalg_test

import (
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/gradcheck"
	"cresset/linalg"
	"cresset/tensor"
)

// gradients are functions of a matrix, whose gradients are compared with differences. What depends on signs that are free is made of
// forms that do not.
var gradients = []struct {
	name  string
	shape []int
	f     func(a *tensor.Tensor) *tensor.Tensor
}{
	{"cholesky, upper", []int{2, 3, 3}, func(a *tensor.Tensor) *tensor.Tensor {
		return linalg.Cholesky(plus(a.MatMul(a.Transpose(-2, -1)), 1), linalg.Upper(true))
	}},
	{"lu of more rows", []int{5, 3}, bothFactors},
	{"lu of more columns", []int{2, 3, 5}, bothFactors},
	{"qr of more rows", []int{2, 5, 3}, bothFactorsOfQR(linalg.Reduced)},
	{"qr of more columns", []int{3, 5}, bothFactorsOfQR(linalg.Reduced)},
	{"qr, complete", []int{3, 4}, bothFactorsOfQR(linalg.Complete)},
	{"svd of more rows", []int{2, 4, 3}, cubed(false)},
	{"svd of more columns", []int{3, 4}, cubed(false)},
	{"svd, complete", []int{4, 3}, cubed(true)},
	{"svd of one basis", []int{4, 3}, func(a *tensor.Tensor) *tensor.Tensor {
		u, _, _ := linalg.SVD(a, linalg.FullMatrices(false))
		return u.MatMul(u.Transpose(-2, -1))
	}},
	{"svd of the other", []int{3, 5}, func(a *tensor.Tensor) *tensor.Tensor {
		_, _, vh := linalg.SVD(a, linalg.FullMatrices(false))
		return vh.Transpose(-2, -1).MatMul(vh)
	}},
	{"svdvals", []int{2, 3, 4}, linalg.SVDVals},
	{"eigh, upper", []int{2, 3, 3}, func(a *tensor.Tensor) *tensor.Tensor {
		w, v := linalg.Eigh(a.Add(a.Transpose(-2, -1)), linalg.Upper(true))
		return v.Mul(w.Exp().Unsqueeze(-2)).MatMul(v.Transpose(-2, -1))
	}},
	{"eigvalsh", []int{4, 4}, func(a *tensor.Tensor) *tensor.Tensor { return linalg.EigvalsH(a.Add(a.Transpose(-2, -1))) }},
	{"solve of a batch", []int{2, 3, 3}, func(a *tensor.Tensor) *tensor.Tensor { return linalg.Solve(plus(a, 3), a.Select(0, 0)) }},
	{"solve of one for many", []int{2, 3, 3}, func(a *tensor.Tensor) *tensor.Tensor { return linalg.Solve(plus(a.Select(0, 0), 3), a) }},
	{"solve of vectors", []int{2, 3, 3}, func(a *tensor.Tensor) *tensor.Tensor { return linalg.Solve(plus(a, 3), a.Select(-1, 0)) }},
	{"solve from the right", []int{3, 3}, func(a *tensor.Tensor) *tensor.Tensor { return linalg.Solve(plus(a, 3), a, linalg.Left(false)) }},
	{"solve_triangular of one for many", []int{2, 3, 3}, func(a *tensor.Tensor) *tensor.Tensor {
		return linalg.SolveTriangular(plus(a.Select(0, 0), 3), a, linalg.Upper(true), linalg.UniTriangular(true), linalg.Left(false))
	}},
	{"cholesky_solve", []int{3, 3}, func(a *tensor.Tensor) *tensor.Tensor {
		return linalg.CholeskySolve(a, linalg.Cholesky(plus(a.MatMul(a.T()), 1)))
	}},
	{"det", []int{2, 3, 3}, linalg.Det},
	{"det of rank 2", []int{3, 3}, func(a *tensor.Tensor) *tensor.Tensor {
		return linalg.Det(a.Mul(tensor.Of([]float64{1, 1, 0}))) // its third column is exactly 0
	}},
	{"logdet", []int{2, 3, 3}, func(a *tensor.Tensor) *tensor.Tensor { return linalg.LogDet(plus(a, 5)) }},
	{"inv", []int{2, 3, 3}, func(a *tensor.Tensor) *tensor.Tensor { return linalg.Inv(plus(a, 3)) }},
	{"matrix_power 0", []int{2, 3, 3}, func(a *tensor.Tensor) *tensor.Tensor { return linalg.MatrixPower(a, 0) }},
	{"matrix_power", []int{2, 3, 3}, func(a *tensor.Tensor) *tensor.Tensor { return linalg.MatrixPower(a, 5) }},
	{"matrix_power of the inverse", []int{3, 3}, func(a *tensor.Tensor) *tensor.Tensor { return linalg.MatrixPower(plus(a, 3), -3) }},
	{"cond", []int{3, 4}, func(a *tensor.Tensor) *tensor.Tensor { return linalg.Cond(a, nil) }},
	{"cond of order 1", []int{2, 3, 3}, func(a *tensor.Tensor) *tensor.Tensor { return linalg.Cond(plus(a, 3), linalg.P(1)) }},
	{"nuclear norm", []int{3, 2, 4}, func(a *tensor.Tensor) *tensor.Tensor { return linalg.MatrixNorm(a, linalg.Nuc, []int{2, 0}) }},
	{"norm of order inf", []int{2, 3, 4}, func(a *tensor.Tensor) *tensor.Tensor { return linalg.MatrixNorm(a, linalg.P(1), nil) }},
	{"pinv of more rows", []int{2, 4, 3}, func(a *tensor.Tensor) *tensor.Tensor { return linalg.Pinv(a) }},
	{"pinv of more columns", []int{3, 4}, func(a *tensor.Tensor) *tensor.Tensor { return linalg.Pinv(a) }},
	{"pinv, symmetric", []int{3, 3}, func(a *tensor.Tensor) *tensor.Tensor { return linalg.Pinv(a.Add(a.T()), linalg.Hermitian(true)) }},
	{"lstsq", []int{2, 5, 3}, func(a *tensor.Tensor) *tensor.Tensor { return linalg.LstSq(a, a.Square()).Solution }},
	{"lstsq of more unknowns", []int{2, 4}, func(a *tensor.Tensor) *tensor.Tensor { return linalg.LstSq(a, a.Select(1, 0)).Solution }},
	{"matrix_exp", []int{2, 3, 3}, func(a *tensor.Tensor) *tensor.Tensor { return linalg.MatrixExp(a.MulScalar(2)) }},
	{"cross", []int{3, 4}, func(a *tensor.Tensor) *tensor.Tensor { return linalg.Cross(a, a.Square(), 0) }},
	{"multi_dot", []int{3, 4}, func(a *tensor.Tensor) *tensor.Tensor {
		return linalg.MultiDot(a.Select(1, 0), a, a.T(), a, a.Select(0, 1))
	}},
	{"vander", []int{3}, func(a *tensor.Tensor) *tensor.Tensor { return linalg.Vander(a, 5) }},
}

func bothFactors(a *tensor.Tensor) *tensor.Tensor {
	p, l, u := linalg.LU(a)
	return p.MatMul(l).Reshape(-1).MulScalar(2).Outer(u.Reshape(-1))
}

func bothFactorsOfQR(mode linalg.Mode) func(a *tensor.Tensor) *tensor.Tensor {
	return func(a *tensor.Tensor) *tensor.Tensor {
		q, r := linalg.QR(a, mode)
		return tensor.Cat([]*tensor.Tensor{q.Reshape(-1), r.Reshape(-1)}, 0)
	}
}

// cubed is u·s³·vh.
func cubed(full bool) func(a *tensor.Tensor) *tensor.Tensor {
	return func(a *tensor.Tensor) *tensor.Tensor {
		u, s, vh := linalg.SVD(a, linalg.FullMatrices(full))
		k := s.Size(-1)
		return u.Narrow(-1, 0, k).Mul(s.Pow(3).Unsqueeze(-2)).MatMul(vh.Narrow(-2, 0, k))
	}
}

func TestGradients(t *testing.T) {
	for _, g := range gradients {
		a := tensor.On(device.CPU).As(dtype.Float64).With(tensor.NewGenerator(5)).Randn(g.shape...)
		f := func(x []*tensor.Tensor) *tensor.Tensor { return g.f(x[0]) }
		if err := gradcheck.Check(g.name, f, a); err != nil {
			t.Error(err)
		}
		if g.name == "det of rank 2" {
			continue // whose second derivative wants an inverse
		}
		if err := gradcheck.CheckSecond(g.name, f, a); err != nil {
			t.Error(err)
		}
	}
}
