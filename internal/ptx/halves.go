package ptx

import "math"

// format is a short float format.
type format struct {
	fraction int // bits
	bias     int
	nan      uint16
}

var (
	halfFormat  = format{10, 15, nan16}
	brainFormat = format{7, 127, nan16}
)

// fromHalf returns the value of a float16.
func fromHalf(h uint16) float64 { return halfFormat.value(h) }

// value returns what bits of the format stand for.
func (f format) value(h uint16) float64 {
	sign, rest := float64(1), int(h&0x7fff)
	if h&0x8000 != 0 {
		sign = -1
	}
	fraction, exponent := rest&(1<<f.fraction-1), rest>>f.fraction
	switch {
	case exponent == 2*f.bias+1 && fraction != 0:
		return math.Float64frombits(uint64(h&0x8000)<<48 | 0x7ff8<<48 | uint64(fraction)<<(52-f.fraction))
	case exponent == 2*f.bias+1:
		return math.Inf(int(sign))
	case exponent == 0:
		return sign * math.Ldexp(float64(fraction), 1-f.bias-f.fraction)
	}
	return sign * math.Ldexp(float64(fraction|1<<f.fraction), exponent-f.bias-f.fraction)
}

// round returns the number of the format that is nearest to x.
func (f format) round(x float64) uint16 {
	sign := uint16(math.Float64bits(x) >> 48 & 0x8000)
	x = math.Abs(x)
	infinity := uint16(2*f.bias+1) << f.fraction
	switch {
	case x != x:
		return f.nan
	case math.IsInf(x, 0):
		return sign | infinity
	case x == 0:
		return sign
	}
	_, exponent := math.Frexp(x) // x in [2**(exponent-1), 2**exponent)
	ulp := max(exponent-1, 1-f.bias) - f.fraction
	scaled := math.Ldexp(x, -ulp) // exact: at most fraction+1 bits before the point
	whole := math.Floor(scaled)
	rest := scaled - whole
	n := int(whole)
	if rest > 0.5 || rest == 0.5 && n&1 != 0 {
		n++
	}
	// A fraction that overflows carries into the exponent, as the format means it to.
	out := max(ulp+f.fraction+f.bias-1, 0)<<f.fraction + n
	if ulp+f.fraction+f.bias == 1 && n < 1<<f.fraction { // subnormal
		out = n
	}
	if out >= int(infinity) {
		return sign | infinity
	}
	return sign | uint16(out)
}

// halfOp makes an op of float16 from one of float64. Sums are rounded to odd
// first, so that a second rounding does no harm.
func halfOp(f func(a, b, c float64) float64) op32 {
	return func(d, a, b, c *lanes32) {
		for i := range d {
			d[i] = uint32(halfFormat.round(f(fromHalf(uint16(a[i])), fromHalf(uint16(b[i])), fromHalf(uint16(c[i])))))
		}
	}
}

// halfPair does an op of float16 on both halves of a register.
func halfPair(op op32) op32 {
	return func(d, a, b, c *lanes32) {
		var low, high, x, y, z lanes32
		op(&low, a, b, c)
		for i := range d {
			x[i], y[i], z[i] = a[i]>>16, b[i]>>16, c[i]>>16
		}
		op(&high, &x, &y, &z)
		for i := range d {
			d[i] = low[i]&0xffff | high[i]<<16
		}
	}
}

func absHalf(d, a, _, _ *lanes32) {
	for i := range d {
		d[i] = a[i] &^ 0x8000
	}
}

func negHalf(d, a, _, _ *lanes32) {
	for i := range d {
		d[i] = a[i] ^ 0x8000
	}
}

func lesser(a, b, _ float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return min(a, b)
}

func greater(a, b, _ float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return max(a, b)
}
