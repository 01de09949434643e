package nninit

import (
	"math"

	"cresset/tensor"
)

// TruncNormal draws t from the normal distribution within [from, to], -2 and 2 as PyTorch's defaults: what falls outside is drawn
// again.
func TruncNormal(t *tensor.Tensor, mean, std, from, to float64, g ...*tensor.Generator) *tensor.Tensor {
	share := cdf((to-mean)/std) - cdf((from-mean)/std)
	if share > 0.3 {
		redrawn(t, mean, std, from, to, g)
	} else {
		rejected(t, mean, std, from, to, g)
	}
	return t
}

func cdf(x float64) float64 { return (1 + math.Erf(x/math.Sqrt2)) / 2 }

// redrawn draws from the normal distribution until nothing is outside.
func redrawn(t *tensor.Tensor, mean, std, from, to float64, g []*tensor.Generator) {
	bound := func(v float64) float64 { return tensor.Of(v).To(t.DType()).Float64() }
	low, high := bound(from), bound(to)
	x := Normal(t, mean, std, g...).Detach()
	for {
		outside := x.LtScalar(low).LogicalOr(x.GtScalar(high))
		if !truth(outside.Any()) {
			break
		}
		x = tensor.Where(outside, tensor.EmptyLike(x).NormalInPlace(mean, std, g...), x)
	}
	t.Detach().CopyInPlace(x)
}

// rejected draws from U(from, to), and keeps a candidate with the probability that is its density's share of the highest one.
// It is for intervals that hold little of the normal distribution.
func rejected(t *tensor.Tensor, mean, std, from, to float64, g []*tensor.Generator) {
	logPeak := -0.5 * math.Pow((max(from, min(mean, to))-mean)/std, 2)
	candidates, coins := tensor.EmptyLike(t).Detach(), tensor.EmptyLike(t).Detach()
	refused := func() *tensor.Tensor {
		candidates.SubScalarInPlace(mean).DivScalarInPlace(std).PowInPlace(2).MulScalarInPlace(-0.5).SubScalarInPlace(logPeak)
		return coins.UniformInPlace(0, 1, g...).Log().Gt(candidates)
	}
	x := Uniform(t, from, to, g...).Detach()
	candidates.CopyInPlace(x)
	pending := refused()
	for truth(pending.Any()) {
		x = tensor.Where(pending, candidates.UniformInPlace(from, to, g...), x)
		pending = pending.LogicalAnd(refused())
	}
	t.Detach().CopyInPlace(x)
}

func truth(x *tensor.Tensor) bool { return x.Item().(bool) }
