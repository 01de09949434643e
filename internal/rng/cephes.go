package rng

import "math"

// The functions below are Cephes' logf, sinf and cosf as PyTorch's AVX2 kernel evaluates them: coefficients of the Cephes
// library (Moshier, 1992), a float32 rounding after every step, products fused with the sums that follow. So the draws have
// PyTorch's bits. Values are float64 that hold a float32, in which a fused step is cheapest, and nothing branches: the
// arguments are random.

// step returns x*y + z, of values that are float32, rounded to float32 once.
func step(x, y, z float64) float64 {
	p := x * y // exact: 48 bits
	s := p + z
	// A second rounding differs only where the first one landed on the middle between two float32, which has its lower 29
	// bits 1000...0.
	if math.Float64bits(s)&(1<<29-1) == 1<<28 {
		s = towardsSum(s, p, z)
	}
	return float64(float32(s))
}

// rounded returns x rounded to float32.
func rounded(x float64) float64 { return float64(float32(x)) }

// logf returns ln x of a positive normal x.
func logf(x float32) float64 {
	// x = 2**e * (1+f) with 1+f in [√½, √2).
	const sqrtHalf = 0x3f3504f3
	bits := math.Float32bits(x)
	exponent := int32(bits-sqrtHalf) >> 23
	e := float64(exponent)
	f := float64(math.Float32frombits(bits-uint32(exponent)<<23)) - 1
	z := rounded(f * f)
	y := step(f, log8, log7)
	y = step(f, y, log6)
	y = step(f, y, log5)
	y = step(f, y, log4)
	y = step(f, y, log3)
	y = step(f, y, log2)
	y = step(f, y, log1)
	y = step(f, y, log0)
	y = rounded(f * y)
	y = step(y, z, rounded(e*ln2Low))
	y = rounded(y - z*.5)
	return step(e, ln2High, rounded(f+y))
}

// sincosf returns the sine and the cosine of x, which is at least 0 and small.
func sincosf(x float32) (sin, cos float64) {
	// x = j*π/4 + r with j even and r in [-π/4, π/4].
	j := (int64(rounded(float64(x)*fourByPi)) + 1) &^ 1
	n := float64(j)
	r := step(n, -quarterPi0, float64(x))
	r = step(n, -quarterPi1, r)
	r = step(n, -quarterPi2, r)
	z := rounded(r * r)
	c := step(cos2, z, cos1)
	c = rounded(step(c, z, cos0) * z)
	c = rounded(step(c, z, -z*.5) + 1)
	s := step(sin2, z, sin1)
	s = rounded(step(s, z, sin0) * z)
	s = step(s, r, r)

	// In the second and the fourth quarter sine and cosine are exchanged; in the third and fourth the sine is negative, in
	// the second and third the cosine.
	q := uint64(j) >> 1
	sb, cb := math.Float64bits(s), math.Float64bits(c)
	swap := (sb ^ cb) & -(q & 1)
	sb ^= swap ^ (q&2)<<62
	cb ^= swap ^ ((q+1)&2)<<62
	return math.Float64frombits(sb), math.Float64frombits(cb)
}

// Each constant is a float32: Go rounds it once, here.
const (
	log0 = float64(float32(3.3333331174e-1))
	log1 = float64(float32(-2.4999993993e-1))
	log2 = float64(float32(2.0000714765e-1))
	log3 = float64(float32(-1.6668057665e-1))
	log4 = float64(float32(1.4249322787e-1))
	log5 = float64(float32(-1.2420140846e-1))
	log6 = float64(float32(1.1676998740e-1))
	log7 = float64(float32(-1.1514610310e-1))
	log8 = float64(float32(7.0376836292e-2))

	ln2High = 0.693359375 // with ln2Low, ln 2 in two parts
	ln2Low  = float64(float32(-2.12194440e-4))

	sin0 = float64(float32(-1.6666654611e-1))
	sin1 = float64(float32(8.3321608736e-3))
	sin2 = float64(float32(-1.9515295891e-4))
	cos0 = float64(float32(4.166664568298827e-2))
	cos1 = float64(float32(-1.388731625493765e-3))
	cos2 = float64(float32(2.443315711809948e-5))

	fourByPi   = float64(float32(1.27323954473516))
	quarterPi0 = 0.78515625 // with the next two, π/4 in three parts
	quarterPi1 = float64(float32(2.4187564849853515625e-4))
	quarterPi2 = float64(float32(3.77489497744594108e-8))
)
