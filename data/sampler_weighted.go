package data

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"cresset/dtype"
	"cresset/tensor"
)

// NewWeightedRandomSampler returns a sampler of n samples, each index i with a probability in proportion to weights[i]. It panics
// where a weight is negative or no number, where all are 0, and where n is not positive or, without Replacement, larger than the number
// of weights that are not 0.
func NewWeightedRandomSampler(weights []float64, n int, opts ...WeightedSamplerOption) *Sampler {
	o := optionsOf(opts)
	replacement := or(o.replacement, true)
	checkWeights(weights, n, replacement)
	weights = slices.Clone(weights)
	draw := func(g *tensor.Generator) []int { return drawWeighted(weights, n, g) }
	if !replacement || n == 1 {
		draw = func(g *tensor.Generator) []int { return drawDistinct(weights, n, g) }
	}
	return directSampler(n, o.generator, draw)
}

func checkWeights(weights []float64, n int, replacement bool) {
	sum, positive := 0.0, 0
	for _, w := range weights {
		switch {
		case math.IsNaN(w) || math.IsInf(w, 1):
			refuse(tensor.ErrValue, "invalid multinomial distribution (encountering probability entry = infinity or NaN)")
		case w < 0:
			refuse(tensor.ErrValue, "invalid multinomial distribution (encountering probability entry < 0)")
		}
		sum += w
		if w > 0 {
			positive++
		}
	}
	switch {
	case n < 1:
		refuse(tensor.ErrValue, "num_samples should be a positive integer value, but got num_samples=%d", n)
	case positive == 0:
		refuse(tensor.ErrValue, "invalid multinomial distribution (sum of probabilities <= 0)")
	case math.IsInf(sum, 1):
		refuse(tensor.ErrValue, "the sum of the weights is larger than a float64 holds")
	case !replacement && n > len(weights):
		refuse(tensor.ErrValue, "cannot sample n_sample > prob_dist.size(-1) samples without replacement")
	case !replacement && n > positive:
		refuse(tensor.ErrValue, "invalid multinomial distribution (with replacement=False, not enough non-negative category to sample)")
	}
}

// drawWeighted draws with replacement: each number between 0 and 1 falls into the part of an index.
func drawWeighted(weights []float64, n int, g *tensor.Generator) []int {
	ends, sum := make([]float64, len(weights)), 0.0
	for i, w := range weights {
		sum += w
		ends[i] = sum
	}
	for i := range ends {
		ends[i] /= sum
	}
	ends[len(ends)-1] = 1
	order := make([]int, n)
	for at, u := range tensor.Values[float64](tensor.Place{}.As(dtype.Float64).With(g).Rand(n)) {
		order[at] = sort.SearchFloat64s(ends, u)
	}
	return order
}

// drawDistinct draws without replacement: the indices whose weights are the largest over numbers of an exponential distribution.
func drawDistinct(weights []float64, n int, g *tensor.Generator) []int {
	keys := tensor.Values[float64](tensor.Place{}.As(dtype.Float64).Empty(len(weights)).ExponentialInPlace(1, g))
	for i, w := range weights {
		keys[i] = w / keys[i]
	}
	order := firstIndices(len(weights))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(keys[b], keys[a]) })
	return order[:n]
}
