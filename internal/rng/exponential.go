package rng

import "math"

// Exponential fills dst with draws of density λ e**(-λx): -ln(1-u)/λ of a uniform float64 u.
func Exponential[T Real](g *MT19937, dst []T, lambda float64) {
	round := rounder[T]()
	scale := -1 / lambda
	for i := range dst {
		dst[i] = round(scale * math.Log1p(-g.Float64()))
	}
}
