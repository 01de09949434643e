package linalg

import (
	"fmt"

	"cresset/tensor"
)

// Pinv returns the pseudoinverse of each matrix: that of its singular values above ATol and RTol times the largest, as for MatrixRank.
func Pinv(a *tensor.Tensor, opts ...ToleranceOption) *tensor.Tensor {
	given("linalg_pinv", "input", 1, a)
	if a.Dim() < 2 {
		fail("linalg.pinv", tensor.ErrShape, "linalg.pinv: The input tensor A must have at least 2 dimensions.")
	}
	o := tolerances(a, opts)
	return inner.Pinv(a, o.hermitian, o.limit)
}

// LeastSquares is what LstSq returns. What is not computed is nil, or empty where PyTorch has an empty tensor.
type LeastSquares struct {
	Solution       *tensor.Tensor // [n, k], of least norm among those of least residuals
	Residuals      *tensor.Tensor // the sums of squares of a·x - b for each column, for a driver other than GELSY and m > n columns of full rank
	Rank           *tensor.Tensor // of each matrix, int64
	SingularValues *tensor.Tensor // of each matrix, not for GELSY
}

// LstSqOption is an option of LstSq: RCond or Driver.
type LstSqOption interface{ lstSqOption() }

// RCond is the share of the largest singular value up to which LstSq takes others for zero, max(m, n) times the distance from 1 to the next
// number unless given.
type RCond float64

// Driver is one of LAPACK's ways to solve least squares.
type Driver string

// The drivers of LstSq, which differ in what they return besides the solution: it is always computed from the singular values.
const (
	GELSY Driver = "gelsy" // the rank
	GELSD Driver = "gelsd" // rank, residuals and singular values
	GELSS Driver = "gelss" // the same
)

func (RCond) lstSqOption()  {}
func (Driver) lstSqOption() {}

// LstSq returns the x of least |a·x - b| for each column of b, and of the least |x| where there are many. a is [m, n], and b [m, k] or
// a vector for each matrix of a; batches are broadcast. The driver is GELSY unless given. The solution alone has a gradient.
func LstSq(a, b *tensor.Tensor, opts ...LstSqOption) LeastSquares {
	const name = "torch.linalg.lstsq"
	given("linalg_lstsq", "input", 1, a)
	given("linalg_lstsq", "b", 2, b)
	driver, tolerance := GELSY, []ToleranceOption(nil)
	for _, o := range opts {
		switch o := o.(type) {
		case Driver:
			driver = o
		case RCond:
			tolerance = []ToleranceOption{RTol(o)}
		}
	}
	if driver != GELSY && driver != GELSD && driver != GELSS {
		fail(name, tensor.ErrValue, "torch.linalg.lstsq: parameter `driver` should be one of (gelsy, gelsd, gelss)")
	}
	vector := checkLstSq(name, a, b)
	if vector {
		b = b.Unsqueeze(-1)
	}
	outs := inner.Autocasting("linalg_lstsq", func(t []*tensor.Tensor) []*tensor.Tensor {
		s := leastSquares(t[0], t[1], driver, tolerance)
		return []*tensor.Tensor{s.Solution, s.Residuals, s.Rank, s.SingularValues}
	}, a, b)
	out := LeastSquares{outs[0], outs[1], outs[2], outs[3]}
	if vector {
		out.Solution = out.Solution.SqueezeAxis(-1)
	}
	return out
}

// leastSquares is LstSq of columns.
func leastSquares(a, b *tensor.Tensor, driver Driver, tolerance []ToleranceOption) LeastSquares {
	solution := Pinv(a, tolerance...).MatMul(b)
	out := LeastSquares{Residuals: tensor.Like(a).Zeros(0)}
	if driver == GELSY {
		out.Rank = MatrixRank(a, tolerance...)
	} else {
		out.SingularValues = inner.SVDVals(a.Detach())
		out.Rank = rankOf(a, out.SingularValues, tolerances(a, tolerance))
		if n := a.Size(-1); a.Size(-2) > n && out.Rank.EqScalar(n).All().Item() == true {
			out.Residuals = a.Detach().MatMul(solution.Detach()).Sub(b.Detach()).Square().SumAxes([]int{-2})
		}
	}
	out.Solution = solution
	return out
}

// checkLstSq panics where a and b are no equations, and reports whether b is vectors.
func checkLstSq(name string, a, b *tensor.Tensor) (vector bool) {
	switch {
	case a.Dim() < 2:
		fail(name, tensor.ErrShape, "torch.linalg.lstsq: input must have at least 2 dimensions.")
	case b.Dim() < 1:
		fail(name, tensor.ErrShape, "torch.linalg.lstsq: other must have at least 1 dimension.")
	case a.DType() != b.DType():
		fail(name, tensor.ErrDType, fmt.Sprintf("torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype %s and other's dtype %s",
			a.DType().ScalarName(), b.DType().ScalarName()))
	}
	shape := a.Shape()
	axis := -2
	if vector = b.Shape().Equal(shape[:len(shape)-1]); vector {
		axis = -1
	}
	if b.Dim() < -axis || b.Size(axis) != a.Size(-2) {
		fail(name, tensor.ErrShape, fmt.Sprintf("torch.linalg.lstsq: input.size(-2) should match other.size(%d)", axis))
	}
	return vector
}
