package linalg_test

import (
	"fmt"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/linalg"
	"cresset/tensor"
)

// shapes are of one matrix and of many, square and not, small, larger than a block, and without elements.
var shapes = [][]int{
	{1, 1}, {2, 2}, {3, 3}, {3, 5}, {5, 3}, {40, 40}, {50, 35}, {35, 50}, {2, 3, 4, 4}, {5, 4, 2}, {5, 2, 4},
	{0, 0}, {0, 3}, {3, 0}, {0, 2, 2}, {2, 0, 0}, {2, 0, 3},
}

// values hold whatever a factorization makes of a, to limit.
var values = []struct {
	name   string
	square bool
	check  func(t *testing.T, a *tensor.Tensor, limit float64)
}{
	{"lu", false, func(t *testing.T, a *tensor.Tensor, limit float64) {
		p, l, u := linalg.LU(a)
		wantNear(t, "p·l·u", p.MatMul(l).MatMul(u), a, limit)
		wantNear(t, "the triangles", l.Tril(0).MatMul(u.Triu(0)), l.MatMul(u), limit)
	}},
	{"qr", false, func(t *testing.T, a *tensor.Tensor, limit float64) {
		for _, mode := range []linalg.Mode{linalg.Reduced, linalg.Complete} {
			q, r := linalg.QR(a, mode)
			wantNear(t, "q·r", q.MatMul(r), a, limit)
			wantNear(t, "the triangle", r.Triu(0), r, 0)
			wantOrthonormal(t, q, limit)
		}
		q, r := linalg.QR(a, linalg.R)
		_, want := linalg.QR(a)
		wantNear(t, "r alone", r, want, limit)
		if q.NumEl() != 0 {
			t.Errorf("mode r has a basis %v", q.Shape())
		}
	}},
	{"svd", false, func(t *testing.T, a *tensor.Tensor, limit float64) {
		u, s, vh := linalg.SVD(a, linalg.FullMatrices(false))
		wantNear(t, "u·s·vh", u.Mul(s.Unsqueeze(-2)).MatMul(vh), a, limit)
		wantOrthonormal(t, u, limit)
		wantOrthonormal(t, vh.Transpose(-2, -1), limit)
		sorted, _ := s.Sort(-1, tensor.Descending(true))
		wantNear(t, "the order of the values", s, sorted, 0)
		wantNear(t, "the values alone", linalg.SVDVals(a), s, limit)
		u, s, vh = linalg.SVD(a)
		wantOrthonormal(t, u, limit)
		wantOrthonormal(t, vh.Transpose(-2, -1), limit)
		k := s.Size(-1)
		wantNear(t, "u·s·vh, complete", u.Narrow(-1, 0, k).Mul(s.Unsqueeze(-2)).MatMul(vh.Narrow(-2, 0, k)), a, limit)
		if m, n := u.Size(-1), vh.Size(-2); m != a.Size(-2) || n != a.Size(-1) {
			t.Errorf("complete bases have %d and %d vectors", m, n)
		}
	}},
	{"eigh", true, func(t *testing.T, a *tensor.Tensor, limit float64) {
		symmetric := a.Add(a.Transpose(-2, -1))
		w, v := linalg.Eigh(a.Tril(0).Add(a.Transpose(-2, -1).Tril(0)))
		wantNear(t, "v·w·vᵀ", v.Mul(w.Unsqueeze(-2)).MatMul(v.Transpose(-2, -1)), symmetric, limit)
		wantOrthonormal(t, v, limit)
		sorted, _ := w.Sort(-1)
		wantNear(t, "the order of the values", w, sorted, 0)
		wantNear(t, "the values alone, of the upper triangle", linalg.EigvalsH(symmetric.Triu(0), linalg.Upper(true)), w, limit)
	}},
	{"cholesky", true, func(t *testing.T, a *tensor.Tensor, limit float64) {
		positive := plus(a.MatMul(a.Transpose(-2, -1)), 1)
		l := linalg.Cholesky(positive.Tril(0))
		wantNear(t, "l·lᵀ", l.MatMul(l.Transpose(-2, -1)), positive, limit)
		u := linalg.Cholesky(positive.Triu(0), linalg.Upper(true))
		wantNear(t, "uᵀ", u.Transpose(-2, -1), l, limit)
		b := a.Narrow(-1, 0, a.Size(-1)/2)
		want := linalg.Solve(positive, b)
		wantNear(t, "a solution", linalg.CholeskySolve(b, l), want, 100*limit)
		wantNear(t, "a solution by u", linalg.CholeskySolve(b, u, linalg.Upper(true)), want, 100*limit)
	}},
	{"inv and solve", true, func(t *testing.T, a *tensor.Tensor, limit float64) {
		a = plus(a, 20)
		x := linalg.Inv(a)
		wantNear(t, "a·inverse", a.MatMul(x), identity(a), limit)
		wantNear(t, "a solution", a.MatMul(linalg.Solve(a, x)), x, limit)
		wantNear(t, "a solution from the left", linalg.Solve(a, x, linalg.Left(false)).MatMul(a), x, limit)
		v := a.Select(-1, 0)
		wantNear(t, "a solution of vectors", a.MatMul(linalg.Solve(a, v).Unsqueeze(-1)).SqueezeAxis(-1), v, limit)
		l := linalg.SolveTriangular(a, x, linalg.UniTriangular(true))
		wantNear(t, "a triangular solution", plus(a.Tril(-1), 1).MatMul(l), x, limit)
	}},
	{"det", true, func(t *testing.T, a *tensor.Tensor, limit float64) {
		a = plus(a.MulScalar(0.1), 1)
		sign, logAbs := linalg.SlogDet(a)
		det := linalg.Det(a)
		wantNear(t, "sign·e**log", sign.Mul(logAbs.Exp()), det, 10*limit)
		wantNear(t, "the product of two", linalg.Det(a.MatMul(a)), det.Square(), 10*limit)
	}},
}

// TestValues puts together what matrices were taken apart into.
func TestValues(t *testing.T) {
	for _, shape := range shapes {
		for _, dt := range []dtype.DType{dtype.Float64, dtype.Float32} {
			a := tensor.On(device.CPU).As(dt).With(tensor.NewGenerator(7)).Randn(shape...)
			limit := 1e-12
			if dt == dtype.Float32 {
				limit = 5e-4
			}
			for _, v := range values {
				if v.square && a.Size(-1) != a.Size(-2) || v.name == "inv and solve" && a.Size(-1) == 0 {
					continue
				}
				t.Run(fmt.Sprintf("%s of %s%v", v.name, dt.Name(), shape), func(t *testing.T) { v.check(t, a, limit) })
			}
		}
	}
}

func wantNear(t *testing.T, what string, got, want *tensor.Tensor, limit float64) {
	t.Helper()
	if !got.Shape().Equal(want.Shape()) || got.DType() != want.DType() || !got.AllClose(want, limit, limit) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func wantOrthonormal(t *testing.T, q *tensor.Tensor, limit float64) {
	t.Helper()
	product := q.Transpose(-2, -1).MatMul(q)
	wantNear(t, "the product of columns", product, identity(product), limit)
}

func identity(like *tensor.Tensor) *tensor.Tensor {
	return tensor.Like(like).Eye(like.Size(-1)).Expand(like.Shape()...)
}

// plus adds a multiple of the identity.
func plus(a *tensor.Tensor, v float64) *tensor.Tensor { return a.Add(identity(a).MulScalar(v)) }
