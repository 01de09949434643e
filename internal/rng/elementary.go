package rng

import "math"

// The functions below serve boxMuller32 alone, for its narrow ranges: they
// compute in float64, without branches, to about 1e-10, so that the result is
// nearly always the nearest float32. Products are converted explicitly, which
// keeps a compiler from fusing them: every machine gets the same bits.

// log32 returns ln x for a positive normal x.
func log32(x float32) float32 {
	// x = 2**k * m with m in [√½, √2), and ln m = 2 artanh((m-1)/(m+1)).
	const sqrtHalf = 0x3f3504f3
	bits := math.Float32bits(x)
	k := int32(bits-sqrtHalf) >> 23
	m := float64(math.Float32frombits(bits - uint32(k)<<23))
	s := (m - 1) / (m + 1)
	z := s * s
	p := float64(z*(1./11)) + 1./9
	p = float64(z*p) + 1./7
	p = float64(z*p) + 1./5
	p = float64(z*p) + 1./3
	p = float64(z*p) + 1
	return float32(float64(2*s*p) + float64(float64(k)*math.Ln2))
}

// sincos32 returns the sine and the cosine of x, which is in [0, 7).
func sincos32(x float32) (sin, cos float32) {
	// x = q*π/2 + r with r in [-π/4, π/4], where Taylor's series are short.
	q := uint64(float64(float64(x)*(2/math.Pi)) + 0.5)
	r := float64(x) - float64(float64(q)*(math.Pi/2))
	z := r * r
	s := float64(z*(-1./39916800)) + 1./362880
	s = float64(z*s) - 1./5040
	s = float64(z*s) + 1./120
	s = float64(z*s) - 1./6
	s = r + float64(float64(r*z)*s)
	c := float64(z*(-1./3628800)) + 1./40320
	c = float64(z*c) - 1./720
	c = float64(z*c) + 1./24
	c = float64(z*c) - 1./2
	c = float64(z*c) + 1

	// An odd q swaps the two; quarters 2 and 3 turn the sine's sign, 1 and 2
	// the cosine's.
	sb, cb := math.Float64bits(s), math.Float64bits(c)
	swap := (sb ^ cb) & -(q & 1)
	sb ^= swap ^ (q&2)<<62
	cb ^= swap ^ ((q+1)&2)<<62
	return float32(math.Float64frombits(sb)), float32(math.Float64frombits(cb))
}
