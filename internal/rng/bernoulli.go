package rng

import (
	"math"

	"cresset/dtype"
)

// Bernoulli fills dst with ones of probability p and zeros: one where a uniform float64 is below p.
func Bernoulli[T dtype.Element](g *MT19937, dst []T, p float64) {
	levels := zeroOne[T]()
	// A draw is a whole number of 2**-53, so it is below p where that number is below this one.
	limit := uint64(math.Ceil(min(max(p, 0), 1) * (1 << 53)))
	for len(dst) > 0 {
		words := g.takePairs(2 * len(dst))
		if words == nil {
			dst[0] = levels[lower(g.Uint64(), limit)]
			dst = dst[1:]
			continue
		}
		n := len(words) / 2
		for i := range dst[:n] {
			w := words[2*i : 2*i+2 : 2*i+2]
			dst[i] = levels[lower(uint64(temper(w[0]))<<32|uint64(temper(w[1])), limit)]
		}
		dst = dst[n:]
	}
}

// lower returns 1 where the lower 53 bits of w are below limit, and otherwise 0.
func lower(w, limit uint64) uint8 {
	return uint8((w&(1<<53-1) - limit) >> 63)
}

// BernoulliEach sets dst[i] to one with probability p[i] and to zero otherwise. It draws a float64 each where T is float64,
// and a float32 where it is narrower. It panics where dst is shorter than p.
func BernoulliEach[T Real](g *MT19937, dst, p []T) {
	levels, value := zeroOne[T](), widener[T]()
	wide := dtype.Of[T]() == dtype.Float64
	for i, p := range p {
		var u float64
		if wide {
			u = g.Float64()
		} else {
			u = float64(g.Float32())
		}
		dst[i] = levels[below(u, value(p))]
	}
}

// zeroOne returns T's zero and its one. To choose between them by index is faster than by a branch, which nothing could
// predict.
func zeroOne[T dtype.Element]() [2]T {
	convert := fromInt[T]()
	return [2]T{convert(0), convert(1)}
}

// below returns 1 where u < p, and otherwise 0.
func below(u, p float64) (bit uint8) {
	if u < p {
		bit = 1
	}
	return bit & 1 // tells the compiler the range
}
