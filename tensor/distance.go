package tensor

import (
	"fmt"
	"math"
)

// CDist returns the p-norms of the differences between each row of x [..., n, k] and each row of y [..., m, k], as [..., n, m];
// leading axes are broadcast.
func CDist(x, y *Tensor, p float64) *Tensor {
	if a := autocastOf(x, y); a != nil {
		x, y = a.two("cdist", x, y)
	}
	refuseNil("cdist", "x1", 1, x)
	refuseNil("cdist", "x2", 2, y)
	for i, t := range []*Tensor{x, y} {
		switch {
		case !t.dtype.IsFloat():
			fail("cdist", ErrDType, fmt.Sprintf("cdist only supports floating-point dtypes, X%d got: %s", i+1, t.dtype.ScalarName()), x, y)
		case t.layout.Rank() < 2:
			fail("cdist", ErrShape, fmt.Sprintf("cdist only supports at least 2D tensors, X%d got: %dD", i+1, t.layout.Rank()), x, y)
		}
	}
	if n, m := x.Size(-1), y.Size(-1); n != m {
		fail("cdist", ErrShape, fmt.Sprintf("X1 and X2 must have the same number of columns. X1: %d X2: %d", n, m), x, y)
	}
	checkScalarType("cdist", x, y)
	if p < 0 {
		fail("cdist", ErrValue, "cdist only supports non-negative p values", x, y)
	}
	return x.Unsqueeze(-2).Sub(y.Unsqueeze(-3)).lengths(p, -1)
}

// lengths is NormAxes over one axis, which may be empty.
func (x *Tensor) lengths(p float64, axis int, keep ...KeepDim) *Tensor {
	if math.IsInf(p, 1) && x.Dim() > 0 && x.Size(axis) == 0 {
		p = 1 // of nothing every norm is 0
	}
	return x.NormAxes(p, []int{axis}, keep...)
}

// PDist returns the p-norms of the differences between the rows of x [n, k], n·(n-1)/2 of them: of the first row to each that
// follows, then of the second.
func (x *Tensor) PDist(p float64) *Tensor {
	if a := autocastOf(x, nil); a != nil {
		x = a.one("pdist", x)
	}
	switch {
	case x.layout.Rank() != 2:
		fail("pdist", ErrShape, fmt.Sprintf("pdist only supports 2D tensors, got: %dD", x.layout.Rank()), x)
	case !x.dtype.IsFloat():
		fail("pdist", ErrDType, "pdist only supports floating-point dtypes", x)
	case p < 0:
		fail("pdist", ErrValue, "pdist only supports non-negative p values", x)
	}
	var first, second []int64
	for i := range x.Size(0) {
		for j := i + 1; j < x.Size(0); j++ {
			first, second = append(first, int64(i)), append(second, int64(j))
		}
	}
	dev := x.storage.device
	a, b := FromSlice(first, len(first)).To(dev), FromSlice(second, len(second)).To(dev)
	return x.IndexSelect(0, a).Sub(x.IndexSelect(0, b)).lengths(p, -1)
}

// PairwiseDistanceOption is an option of PairwiseDistance: Eps, 1e-6 unless given, or KeepDim.
type PairwiseDistanceOption interface{ pairwiseDistanceOption() }

func (Eps) pairwiseDistanceOption()     {}
func (KeepDim) pairwiseDistanceOption() {}

// PairwiseDistance returns the p-norm of x - y + Eps along the last axis.
func PairwiseDistance(x, y *Tensor, p float64, opts ...PairwiseDistanceOption) *Tensor {
	eps, keep := Eps(1e-6), KeepDim(false)
	for _, o := range opts {
		switch o := o.(type) {
		case Eps:
			eps = o
		case KeepDim:
			keep = o
		}
	}
	return x.Sub(y).AddScalar(float64(eps)).lengths(p, -1, keep)
}

// CosineSimilarity returns Σ x·y / (max(‖x‖, Eps) · max(‖y‖, Eps)) along an axis of the broadcast tensors; Eps is 1e-8 unless given.
func CosineSimilarity(x, y *Tensor, axis int, eps ...Eps) *Tensor {
	if a := autocastOf(x, y); a != nil {
		x, y = a.two("cosine_similarity", x, y)
	}
	refuseNil("cosine_similarity", "x1", 1, x)
	refuseNil("cosine_similarity", "x2", 2, y)
	a, b := operand{t: x}, operand{t: y}
	common := commonType(a, b)
	if !common.IsFloat() {
		fail("cosine_similarity", ErrDType, "expected common dtype to be floating point, yet common dtype is "+common.ScalarName(), x, y)
	}
	shape := commonShape("cosine_similarity", a, b).Shape()
	least := optionalEps(eps, 1e-8)
	unit := func(t *Tensor) *Tensor {
		t = t.To(common).Expand(shape...)
		norm := t.lengths(2, axis, true)
		return t.Div(norm.atLeast(least))
	}
	return unit(x).Mul(unit(y)).SumAxes([]int{axis})
}

// atLeast is Clamp from below with the gradient of x itself.
func (x *Tensor) atLeast(low float64) *Tensor {
	raise := x.Detach().RSubScalar(low).Clamp(0, nil)
	return x.Add(raise)
}

// Normalize returns x / max(‖x‖, Eps) with the p-norm along an axis; Eps is 1e-12 unless given.
func (x *Tensor) Normalize(p float64, axis int, eps ...Eps) *Tensor {
	return x.Div(x.NormAxes(p, []int{axis}, true).Clamp(optionalEps(eps, 1e-12), nil))
}

func optionalEps(eps []Eps, usual float64) float64 {
	if len(eps) == 0 {
		return usual
	}
	return float64(eps[len(eps)-1])
}
