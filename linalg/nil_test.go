package linalg_test

import (
	"errors"
	"testing"

	"cresset/linalg"
	"cresset/tensor"
)

// A nil operand is a mistake of the caller like any other: Try reports it.
func TestNilOperandsAreErrors(t *testing.T) {
	var none *tensor.Tensor
	x := tensor.Eye(3)
	for name, f := range map[string]func(){
		"cholesky": func() { linalg.Cholesky(none) }, "cholesky solve": func() { linalg.CholeskySolve(none, x) },
		"cholesky solve with nothing": func() { linalg.CholeskySolve(x, none) }, "lu": func() { linalg.LU(none) }, "qr": func() { linalg.QR(none) },
		"pinv": func() { linalg.Pinv(none) }, "lstsq": func() { linalg.LstSq(none, x) }, "lstsq of nothing": func() { linalg.LstSq(x, none) },
		"matrix exp": func() { linalg.MatrixExp(none) }, "matrix power": func() { linalg.MatrixPower(none, 2) }, "norm": func() { linalg.Norm(none, nil, nil) },
		"vector norm": func() { linalg.VectorNorm(none, 2, nil) }, "matrix norm": func() { linalg.MatrixNorm(none, nil, nil) },
		"multi dot": func() { linalg.MultiDot(x, none, x) }, "multi dot of two": func() { linalg.MultiDot(none, x) },
		"cross": func() { linalg.Cross(none, x, -1) }, "cross with nothing": func() { linalg.Cross(x, none, -1) }, "vander": func() { linalg.Vander(none, 3) },
		"solve": func() { linalg.Solve(none, x) }, "solve for nothing": func() { linalg.Solve(x, none) },
		"triangular": func() { linalg.SolveTriangular(none, x) }, "triangular for nothing": func() { linalg.SolveTriangular(x, none) },
		"inv": func() { linalg.Inv(none) }, "det": func() { linalg.Det(none) }, "slogdet": func() { linalg.SlogDet(none) }, "logdet": func() { linalg.LogDet(none) },
		"eigh": func() { linalg.Eigh(none) }, "eigvalsh": func() { linalg.EigvalsH(none) }, "svd": func() { linalg.SVD(none) },
		"svdvals": func() { linalg.SVDVals(none) }, "cond": func() { linalg.Cond(none, nil) }, "matrix rank": func() { linalg.MatrixRank(none) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if wrong := recover(); wrong != nil {
					t.Errorf("panics with %v", wrong)
				}
			}()
			if err := tensor.Try(f); !errors.Is(err, tensor.ErrValue) {
				t.Errorf("got %v", err)
			}
		})
	}
}
