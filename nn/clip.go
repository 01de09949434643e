package nn

import (
	"iter"
	"math"

	"cresset/tensor"
)

// ClipGradNorm scales the gradients of all parameters by max/(norm+1e-6) where their common norm, √Σ‖g‖², is larger than
// max, and returns the norm that they had.
func ClipGradNorm(ps iter.Seq2[string, *tensor.Tensor], max float64) float64 {
	sum := 0.0
	for _, p := range ps {
		if g := inner.BorrowGrad(p); g != nil {
			n := g.Norm().Float64()
			sum += n * n
		}
	}
	norm := math.Sqrt(sum)
	scale := max / (norm + 1e-6)
	if !(scale < 1) {
		return norm
	}
	for _, p := range ps {
		if g := inner.BorrowGrad(p); g != nil {
			g.MulScalarInPlace(scale)
		}
	}
	return norm
}

// ClipGradValue limits each element of all gradients to [-limit, limit].
func ClipGradValue(ps iter.Seq2[string, *tensor.Tensor], limit float64) {
	for _, p := range ps {
		if g := inner.BorrowGrad(p); g != nil {
			g.ClampInPlace(-limit, limit)
		}
	}
}
