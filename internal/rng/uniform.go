package rng

import (
	"math"

	"cresset/dtype"
)

// Uniform fills dst with draws from [from, to): x*(to-from) + from with one rounding, where x is uniform in [0, 1) and from,
// to and their difference are rounded to T first. Each draw has as many bits as T has digits: 24 for float32, 53 for
// float64, 11 for F16, 8 for BF16.
func Uniform[T Real](g *MT19937, dst []T, from, to float64) {
	switch d := any(dst).(type) {
	case []float32:
		g.uniform32(d, float32(from), float32(to))
	case []float64:
		g.uniform64(d, from, to)
	case []dtype.F16:
		uniformHalf(g, d, 11, dtype.ToF16, from, to)
	case []dtype.BF16:
		uniformHalf(g, d, 8, dtype.ToBF16, from, to)
	}
}

func (g *MT19937) uniform32(dst []float32, from, to float32) {
	span := to - from
	plain := from == 0 && span == 1
	for len(dst) > 0 {
		words := g.take(len(dst))
		out := dst[:len(words)]
		dst = dst[len(words):]
		if plain {
			for i, w := range words {
				out[i] = unit32(temper(w))
			}
			continue
		}
		for i, w := range words {
			out[i] = fma32(unit32(temper(w)), span, from)
		}
	}
}

func (g *MT19937) uniform64(dst []float64, from, to float64) {
	span := to - from
	plain := from == 0 && span == 1
	for len(dst) > 0 {
		words := g.takePairs(2 * len(dst))
		if words == nil {
			dst[0] = math.FMA(g.Float64(), span, from)
			dst = dst[1:]
			continue
		}
		n := len(words) / 2
		for i := range dst[:n] {
			x := unit64(uint64(temper(words[2*i]))<<32 | uint64(temper(words[2*i+1])))
			if !plain {
				x = math.FMA(x, span, from)
			}
			dst[i] = x
		}
		dst = dst[n:]
	}
}

// half is a 16-bit floating-point type.
type half interface {
	dtype.F16 | dtype.BF16
	Float32() float32
}

func uniformHalf[T half](g *MT19937, dst []T, digits int, round func(float32) T, from, to float64) {
	lo, hi := round(float32(from)).Float32(), round(float32(to)).Float32()
	span := round(hi - lo).Float32()
	scale := 1 / float32(int(1)<<digits)
	for i := range dst {
		x := float32(g.Uint32()&(1<<digits-1)) * scale
		dst[i] = round(fma32(x, span, lo))
	}
}

// fma32 returns x*y + z with one rounding.
func fma32(x, y, z float32) float32 { return float32(step(float64(x), float64(y), float64(z))) }

// towardsSum moves s, the rounded sum of p and z, one step towards the exact sum where it is not exact.
func towardsSum(s, p, z float64) float64 {
	q := s - p
	lost := (p - (s - q)) + (z - q) // Knuth's TwoSum: p + z = s + lost
	switch {
	case lost > 0:
		return math.Nextafter(s, math.Inf(1))
	case lost < 0:
		return math.Nextafter(s, math.Inf(-1))
	}
	return s
}
