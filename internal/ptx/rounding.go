package ptx

import (
	"math"
	"math/big"
)

// rounding is a direction for results that have no exact form.
type rounding uint8

const (
	nearest rounding = iota
	towardZero
	down
	up
)

var roundings = map[string]rounding{"rn": nearest, "rz": towardZero, "rm": down, "rp": up}

// directed64 moves a nearest result to the one that the direction asks for.
// order is the sign of exact - r.
func directed64(r float64, order int, to rounding) float64 {
	switch {
	case order < 0 && (to == down || to == towardZero && r > 0):
		return math.Nextafter(r, math.Inf(-1))
	case order > 0 && (to == up || to == towardZero && r < 0):
		return math.Nextafter(r, math.Inf(1))
	}
	return r
}

func directed32(r float32, order int, to rounding) float32 {
	switch {
	case order < 0 && (to == down || to == towardZero && r > 0):
		return math.Nextafter32(r, float32(math.Inf(-1)))
	case order > 0 && (to == up || to == towardZero && r < 0):
		return math.Nextafter32(r, float32(math.Inf(1)))
	}
	return r
}

// computation is an operation of which directed forms exist: its exact value,
// compared with a result.
type computation uint8

const (
	summing computation = iota
	subtracting
	multiplying
	fusing
	dividing
	rooting
	inverting
)

// operands is how many operands a computation reads.
var operands = [...]int{summing: 2, subtracting: 2, multiplying: 2, fusing: 3, dividing: 2, rooting: 1, inverting: 1}

// only clears the operands that the computation does not read.
func (c computation) only(x, y, z float64) (float64, float64, float64) {
	if operands[c] < 2 {
		y = 0
	}
	if operands[c] < 3 {
		z = 0
	}
	return x, y, z
}

// exactBits holds any sum of a product and a number of float64 exactly.
const exactBits = 6400

// precisely returns a number with room for exact results.
func precisely(x float64) *big.Float { return new(big.Float).SetPrec(exactBits).SetFloat64(x) }

// order returns the sign of exact - r for finite operands. r may be infinite.
func (c computation) order(r, x, y, z float64) int {
	for _, v := range [...]float64{x, y, z} {
		if math.IsInf(v, 0) || v != v {
			return 0
		}
	}
	if r != r || c == dividing && y == 0 || c == inverting && x == 0 {
		return 0
	}
	if math.IsInf(r, 0) { // overflow: the exact value is finite
		return -int(math.Copysign(1, r))
	}
	exact := precisely(0)
	switch c {
	case summing:
		exact.Add(precisely(x), precisely(y))
	case subtracting:
		exact.Sub(precisely(x), precisely(y))
	case multiplying:
		exact.Mul(precisely(x), precisely(y))
	case fusing:
		exact.Add(exact.Mul(precisely(x), precisely(y)), precisely(z))
	case inverting:
		return c.quotient(r, 1, x)
	case dividing:
		return c.quotient(r, x, y)
	case rooting: // x - r*r has the sign of sqrt(x) - r
		square := precisely(0).Mul(precisely(r), precisely(r))
		return precisely(x).Cmp(square)
	}
	return exact.Cmp(precisely(r))
}

// quotient returns the sign of x/y - r, which is that of (x - r*y)/y.
func (computation) quotient(r, x, y float64) int {
	n := precisely(x).Cmp(precisely(0).Mul(precisely(r), precisely(y)))
	if y < 0 {
		return -n
	}
	return n
}

// zero returns the sum of opposite numbers, which is -0 where rounding goes down.
func (c computation) zero(r, x, y, z float64, to rounding) float64 {
	if r != 0 || to != down {
		return r
	}
	a, b := x, y
	switch c {
	case subtracting:
		b = -y
	case fusing:
		a, b = math.Copysign(1, x)*math.Copysign(1, y), z
		if x == 0 || y == 0 {
			a = math.Copysign(0, a)
		}
	case summing:
	default:
		return r
	}
	if math.Signbit(a) != math.Signbit(b) {
		return math.Copysign(0, -1)
	}
	return r
}

// rounded32 gives an op the direction to. The op computes nearest results.
func rounded32(op op32, c computation, to rounding) op32 {
	return func(d, a, b, z *lanes32) {
		var r lanes32
		op(&r, a, b, z)
		for i := range d {
			x, y, w := c.only(float64(f32(a[i])), float64(f32(b[i])), float64(f32(z[i])))
			v := f32(r[i])
			order := c.order(float64(v), x, y, w)
			if order == 0 {
				d[i] = u32(float32(c.zero(float64(v), x, y, w, to)))
				continue
			}
			d[i] = u32(directed32(v, order, to))
		}
	}
}

// rounded64 is rounded32 for float64.
func rounded64(op op64, c computation, to rounding) op64 {
	return func(d, a, b, z *lanes64) {
		var r lanes64
		op(&r, a, b, z)
		for i := range d {
			x, y, w := c.only(f64(a[i]), f64(b[i]), f64(z[i]))
			v := f64(r[i])
			order := c.order(v, x, y, w)
			if order == 0 {
				d[i] = u64(c.zero(v, x, y, w, to))
				continue
			}
			d[i] = u64(directed64(v, order, to))
		}
	}
}
