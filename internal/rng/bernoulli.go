package rng

import "cresset/dtype"

// Bernoulli fills dst with ones of probability p and zeros: one where a
// uniform float64 is below p.
func Bernoulli[T dtype.Element](g *MT19937, dst []T, p float64) {
	zero, one := bit[T](false), bit[T](true)
	for i := range dst {
		dst[i] = zero
		if g.Float64() < p {
			dst[i] = one
		}
	}
}

// BernoulliEach sets dst[i] to one with probability p[i] and to zero
// otherwise. It draws a float64 each where p is float64, and a float32 where
// it is narrower. It panics where dst is shorter than p.
func BernoulliEach[T dtype.Element, P Real](g *MT19937, dst []T, p []P) {
	zero, one := bit[T](false), bit[T](true)
	_, wide := any(p).([]float64)
	value := widener[P]()
	for i, p := range p {
		var u float64
		if wide {
			u = g.Float64()
		} else {
			u = float64(g.Float32())
		}
		dst[i] = zero
		if u < value(p) {
			dst[i] = one
		}
	}
}

// bit returns T's one where set, and its zero otherwise.
func bit[T dtype.Element](set bool) T {
	if !set {
		return *new(T)
	}
	return fromInt[T]()(1)
}
