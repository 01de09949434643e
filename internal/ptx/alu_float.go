package ptx

import "math"

func f32(x uint32) float32 { return math.Float32frombits(x) }
func u32(x float32) uint32 { return math.Float32bits(x) }
func f64(x uint64) float64 { return math.Float64frombits(x) }
func u64(x float64) uint64 { return math.Float64bits(x) }

func addF32(d, a, b, _ *lanes32) {
	for i := 0; i < 32; i += 4 {
		d[i] = u32(f32(a[i]) + f32(b[i]))
		d[i+1] = u32(f32(a[i+1]) + f32(b[i+1]))
		d[i+2] = u32(f32(a[i+2]) + f32(b[i+2]))
		d[i+3] = u32(f32(a[i+3]) + f32(b[i+3]))
	}
}

func subF32(d, a, b, _ *lanes32) {
	for i := range d {
		d[i] = u32(f32(a[i]) - f32(b[i]))
	}
}

func mulF32(d, a, b, _ *lanes32) {
	for i := 0; i < 32; i += 4 {
		d[i] = u32(f32(a[i]) * f32(b[i]))
		d[i+1] = u32(f32(a[i+1]) * f32(b[i+1]))
		d[i+2] = u32(f32(a[i+2]) * f32(b[i+2]))
		d[i+3] = u32(f32(a[i+3]) * f32(b[i+3]))
	}
}

func divF32(d, a, b, _ *lanes32) {
	for i := range d {
		d[i] = u32(f32(a[i]) / f32(b[i]))
	}
}

func addF64(d, a, b, _ *lanes64) {
	for i := range d {
		d[i] = u64(f64(a[i]) + f64(b[i]))
	}
}

func subF64(d, a, b, _ *lanes64) {
	for i := range d {
		d[i] = u64(f64(a[i]) - f64(b[i]))
	}
}

func mulF64(d, a, b, _ *lanes64) {
	for i := range d {
		d[i] = u64(f64(a[i]) * f64(b[i]))
	}
}

func divF64(d, a, b, _ *lanes64) {
	for i := range d {
		d[i] = u64(f64(a[i]) / f64(b[i]))
	}
}

func fmaF64(d, a, b, c *lanes64) {
	for i := range d {
		d[i] = u64(math.FMA(f64(a[i]), f64(b[i]), f64(c[i])))
	}
}

func sqrtF32(d, a, _, _ *lanes32) {
	for i := range d {
		d[i] = u32(float32(math.Sqrt(float64(f32(a[i])))))
	}
}

func sqrtF64(d, a, _, _ *lanes64) {
	for i := range d {
		d[i] = u64(math.Sqrt(f64(a[i])))
	}
}

func rcpF32(d, a, _, _ *lanes32) {
	for i := range d {
		d[i] = u32(1 / f32(a[i]))
	}
}

func rcpF64(d, a, _, _ *lanes64) {
	for i := range d {
		d[i] = u64(1 / f64(a[i]))
	}
}

func absF32(d, a, _, _ *lanes32) {
	for i := range d {
		d[i] = a[i] &^ (1 << 31)
	}
}

func negF32(d, a, _, _ *lanes32) {
	for i := range d {
		d[i] = a[i] ^ 1<<31
	}
}

func absF64(d, a, _, _ *lanes64) {
	for i := range d {
		d[i] = a[i] &^ (1 << 63)
	}
}

func negF64(d, a, _, _ *lanes64) {
	for i := range d {
		d[i] = a[i] ^ 1<<63
	}
}

// copysign takes the sign of a and the rest of b: the order of PTX.
func copysignF32(d, a, b, _ *lanes32) {
	for i := range d {
		d[i] = a[i]&(1<<31) | b[i]&^(1<<31)
	}
}

func copysignF64(d, a, b, _ *lanes64) {
	for i := range d {
		d[i] = a[i]&(1<<63) | b[i]&^(1<<63)
	}
}

// The NaNs that instructions make which do not pass on that of an operand.
const (
	nan16 = 0x7fff
	nan32 = 0x7fffffff
	nan64 = 0x7fffffffffffffff
)

// minimum and maximum skip NaNs, and order -0 before 0.

func minF32(d, a, b, _ *lanes32) { extremeF32(d, a, b, false) }
func maxF32(d, a, b, _ *lanes32) { extremeF32(d, a, b, true) }

func extremeF32(d, a, b *lanes32, largest bool) {
	for i := range d {
		x, y := f32(a[i]), f32(b[i])
		switch {
		case x != x && y != y:
			d[i] = nan32
		case x != x:
			d[i] = b[i]
		case y != y:
			d[i] = a[i]
		case largest:
			d[i] = u32(max(x, y))
		default:
			d[i] = u32(min(x, y))
		}
	}
}

func minF64(d, a, b, _ *lanes64) { extremeF64(d, a, b, false) }
func maxF64(d, a, b, _ *lanes64) { extremeF64(d, a, b, true) }

func extremeF64(d, a, b *lanes64, largest bool) {
	for i := range d {
		x, y := f64(a[i]), f64(b[i])
		switch {
		case x != x && y != y:
			d[i] = nan64
		case x != x:
			d[i] = b[i]
		case y != y:
			d[i] = a[i]
		case largest:
			d[i] = u64(max(x, y))
		default:
			d[i] = u64(min(x, y))
		}
	}
}

// The NaN forms pass NaNs on.

func minNaNF32(d, a, b, _ *lanes32) {
	for i := range d {
		d[i] = canonical(min(f32(a[i]), f32(b[i])))
	}
}

func maxNaNF32(d, a, b, _ *lanes32) {
	for i := range d {
		d[i] = canonical(max(f32(a[i]), f32(b[i])))
	}
}

func canonical(x float32) uint32 {
	if x != x {
		return nan32
	}
	return u32(x)
}

// approximate makes an op of a float64 function. Hardware's results are a few
// ulp off; these are the nearest.
func approximate(f func(float64) float64) op32 {
	return func(d, a, _, _ *lanes32) {
		for i := range d {
			d[i] = u32(float32(f(float64(f32(a[i])))))
		}
	}
}

func reciprocalRoot(x float64) float64 { return 1 / math.Sqrt(x) }

// flush makes an op that takes subnormal operands for zeros and gives zeros for
// subnormal results, as .ftz asks.
func flush(op op32) op32 {
	return func(d, a, b, c *lanes32) {
		var x, y, z lanes32
		for i := range d {
			x[i], y[i], z[i] = flushed(a[i]), flushed(b[i]), flushed(c[i])
		}
		op(d, &x, &y, &z)
		for i := range d {
			d[i] = flushed(d[i])
		}
	}
}

func flushed(x uint32) uint32 {
	if x&0x7f800000 == 0 {
		return x & (1 << 31)
	}
	return x
}

// saturate makes an op whose result is brought into [0, 1]; a NaN becomes 0.
func saturate(op op32) op32 {
	return func(d, a, b, c *lanes32) {
		op(d, a, b, c)
		for i := range d {
			d[i] = u32(float32(unit(float64(f32(d[i])))))
		}
	}
}

func unit(x float64) float64 {
	switch {
	case !(x > 0):
		return 0
	case x > 1:
		return 1
	}
	return x
}
