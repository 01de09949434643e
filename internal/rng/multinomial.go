package rng

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"sort"
)

var (
	errBadWeight      = errors.New("probability tensor contains either `inf`, `nan` or element < 0")
	errNegativeWeight = errors.New("invalid multinomial distribution (encountering probability entry < 0)")
	errInfiniteWeight = errors.New("invalid multinomial distribution (encountering probability entry = infinity or NaN)")
	errNoWeight       = errors.New("invalid multinomial distribution (sum of probabilities <= 0)")
)

// Multinomial fills dst with different indices of weights, likelier where the
// weight is larger: those of the largest weights[i]/q[i] in descending order,
// where q is drawn from Exponential(1). PyTorch draws a single sample in this
// way even with replacement. Equal ratios come in the order of their indices.
// It panics where dst is longer than weights.
func Multinomial[T Real](g *MT19937, dst []int64, weights []T) error {
	value := widener[T]()
	total := 0.0
	for _, w := range weights {
		w := value(w)
		if !(w >= 0) || math.IsInf(w, 1) {
			return errBadWeight
		}
		total += w
	}
	if total == 0 {
		return errNoWeight
	}
	ratio := make([]T, len(weights))
	Exponential(g, ratio, 1)
	round := rounder[T]()
	for i, w := range weights {
		ratio[i] = round(value(w) / value(ratio[i]))
	}
	order := make([]int64, len(weights))
	for i := range order {
		order[i] = int64(i)
	}
	slices.SortStableFunc(order, func(a, b int64) int {
		return cmp.Compare(value(ratio[b]), value(ratio[a]))
	})
	copy(dst, order[:len(dst)])
	return nil
}

// MultinomialReplace fills dst with indices of weights, each with the
// probability weights[i]/Σ weights: the first whose cumulative probability
// reaches a uniform float64. PyTorch uses it for two samples and more.
func MultinomialReplace[T Real](g *MT19937, dst []int64, weights []T) error {
	// The half types accumulate in float32, as float32 does itself.
	round := func(x float64) float64 { return float64(float32(x)) }
	if _, ok := any(weights).([]float64); ok {
		round = func(x float64) float64 { return x }
	}
	value := widener[T]()
	cumulative := make([]float64, len(weights))
	sum := 0.0
	for i, w := range weights {
		w := value(w)
		if !(w >= 0) { // NaN too
			return errNegativeWeight
		}
		if math.IsInf(w, 1) {
			return errInfiniteWeight
		}
		sum = round(sum + w)
		cumulative[i] = sum
	}
	if !(sum > 0) {
		return errNoWeight
	}
	for i := range cumulative {
		cumulative[i] = round(cumulative[i] / sum)
	}
	cumulative[len(cumulative)-1] = 1
	for i := range dst {
		dst[i] = int64(sort.SearchFloat64s(cumulative, g.Float64()))
	}
	return nil
}
