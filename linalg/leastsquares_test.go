package linalg_test

import (
	"math"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/linalg"
	"cresset/tensor"
)

// TestPinv holds pseudoinverses to the equations that define them, of full rank and not.
func TestPinv(t *testing.T) {
	for _, shape := range [][]int{{3, 3}, {2, 5, 3}, {3, 5}, {40, 33}} {
		a := drawn(shape...)
		rank1 := a.Narrow(-1, 0, 1).MatMul(a.Narrow(-2, 0, 1))
		for _, a := range []*tensor.Tensor{a, rank1} {
			p := linalg.Pinv(a)
			wantNear(t, "a·p·a", a.MatMul(p).MatMul(a), a, 1e-11)
			wantNear(t, "p·a·p", p.MatMul(a).MatMul(p), p, 1e-11)
			for _, product := range []*tensor.Tensor{a.MatMul(p), p.MatMul(a)} {
				wantNear(t, "a symmetric product", product.Transpose(-2, -1), product, 1e-11)
			}
		}
	}
	a := drawn(4, 4)
	a = a.Add(a.T())
	wantNear(t, "by eigenvalues", linalg.Pinv(a, linalg.Hermitian(true)), linalg.Inv(a), 1e-10)
	if p := linalg.Pinv(tensor.Zeros(2, 0, 3)); !p.Shape().Equal(tensor.Shape{2, 3, 0}) {
		t.Errorf("without elements the shape is %v", p.Shape())
	}
	if p := linalg.Pinv(tensor.Eye(2), linalg.ATol(2)); p.Abs().Sum().Float64() != 0 {
		t.Errorf("below the tolerance there is %v", p)
	}
}

func TestLstSq(t *testing.T) {
	a, b := drawn(2, 6, 3), drawn(2, 6, 2)
	at := a.Transpose(-2, -1)
	normal := linalg.Solve(at.MatMul(a), at.MatMul(b))
	plain := linalg.LstSq(a, b)
	wantNear(t, "the solution", plain.Solution, normal, 1e-11)
	if plain.Residuals.NumEl() != 0 || plain.SingularValues != nil || plain.Rank.Sum().Float64() != 6 {
		t.Errorf("gelsy returns residuals %v, values %v, rank %v", plain.Residuals, plain.SingularValues, plain.Rank)
	}
	for _, driver := range []linalg.Driver{linalg.GELSD, linalg.GELSS} {
		s := linalg.LstSq(a, b, driver)
		wantNear(t, "the solution", s.Solution, normal, 1e-11)
		wantNear(t, "the residuals", s.Residuals, a.MatMul(normal).Sub(b).Square().SumAxes([]int{-2}), 1e-11)
		wantNear(t, "the values", s.SingularValues, linalg.SVDVals(a), 0)
	}
	short := linalg.LstSq(at, b.Narrow(-2, 0, 3), linalg.GELSD)
	wantNear(t, "many solutions", at.MatMul(short.Solution), b.Narrow(-2, 0, 3), 1e-11)
	if short.Residuals.NumEl() != 0 {
		t.Errorf("equations with solutions have residuals %v", short.Residuals)
	}
	wantNear(t, "a vector", linalg.LstSq(a, b.Select(-1, 1)).Solution, normal.Select(-1, 1), 1e-11)
	if rank := linalg.LstSq(a, b, linalg.RCond(1)).Rank.Sum().Float64(); rank != 0 {
		t.Errorf("beyond the largest value the rank is %v", rank)
	}
}

// TestMatrixExp compares with the exponentials of eigenvalues, of small matrices and of large ones beside each other.
func TestMatrixExp(t *testing.T) {
	a := drawn(4, 5, 5)
	a = a.Add(a.Transpose(-2, -1)).Mul(tensor.Of([]float64{1e-3, 0.1, 1, 10}).View(4, 1, 1))
	w, v := linalg.Eigh(a)
	want := v.Mul(w.Exp().Unsqueeze(-2)).MatMul(v.Transpose(-2, -1))
	got := linalg.MatrixExp(a)
	for i := range 4 {
		scale := want.Select(0, i).Abs().Max()
		wantNear(t, "e**a", got.Select(0, i).Div(scale), want.Select(0, i).Div(scale), 1e-12)
	}
	turn := linalg.MatrixExp(tensor.Of([][]float64{{0, -math.Pi}, {math.Pi, 0}}))
	wantNear(t, "half a turn", turn, tensor.Eye(2).Double().Neg(), 1e-14)
	if e := linalg.MatrixExp(tensor.Full([]int{2, 2}, math.NaN())); !e.IsNaN().All().Item().(bool) {
		t.Errorf("of NaN it is %v", e)
	}
	if e := linalg.MatrixExp(tensor.Zeros(3, 0, 0)); e.NumEl() != 0 || e.Dim() != 3 {
		t.Errorf("without elements it is %v", e)
	}
}

func drawn(shape ...int) *tensor.Tensor {
	return tensor.On(device.CPU).As(dtype.Float64).With(tensor.NewGenerator(9)).Randn(shape...)
}
