package ptx

import "math"

// halfFormat is a float of 16 bits.
type halfFormat struct {
	fraction int // bits
	least    int // exponent of the smallest normal number
}

var (
	formatF16  = halfFormat{10, -14}
	formatBF16 = halfFormat{7, -126}
)

// halfToF32 is exact for both formats.
func (f halfFormat) value(x uint16) float32 {
	if f == formatBF16 {
		return math.Float32frombits(uint32(x) << 16)
	}
	return f16ToF32(x)
}

func f16ToF32(x uint16) float32 {
	sign, low := uint32(x&0x8000)<<16, uint32(x&0x7fff)<<13
	if x&0x7c00 == 0x7c00 {
		return math.Float32frombits(sign | low | 0x7f800000)
	}
	const scale = 1 << 112 // between the biases of both exponents
	return math.Float32frombits(sign | math.Float32bits(math.Float32frombits(low)*(scale)))
}

// nanOf16 is the NaN that instructions on halves make.
const nanOf16 = 0x7fff

// round returns v rounded to nearest even. It may be the float64 nearest to an exact value where that has been rounded to odd.
func (f halfFormat) round(v float64) uint16 {
	if v != v {
		return nanOf16
	}
	n := math.Float64bits(v)
	sign := uint16(n >> 48 & 0x8000)
	exponent := int(n>>52&0x7ff) - 1023
	drop := 52 - f.fraction
	if exponent < f.least {
		drop += f.least - exponent
	}
	if drop > 54 {
		return sign
	}
	significand := n&(1<<52-1) | 1<<52
	q := significand >> drop
	rest, half := significand-q<<drop, uint64(1)<<(drop-1)
	if rest > half || rest == half && q&1 != 0 {
		q++
	}
	if exponent >= f.least {
		q += uint64(exponent-f.least) << f.fraction
	}
	most := uint64(0x7c00)
	if f == formatBF16 {
		most = 0x7f80
	}
	return sign | uint16(min(q, most))
}

// truncate returns v rounded toward zero.
func (f halfFormat) truncate(v float64) uint16 {
	q := f.round(v)
	if got := float64(f.value(q)); math.Abs(got) > math.Abs(v) {
		q--
	}
	return q
}

// halfOp computes one element from float64 values of its operands.
type halfOp struct {
	name    string
	sources int
	f       func(a, b, c float64) float64
}

var halfOps = []halfOp{
	{"add.rn", 2, func(a, b, _ float64) float64 { return a + b }},
	{"sub.rn", 2, func(a, b, _ float64) float64 { return a - b }},
	{"mul.rn", 2, func(a, b, _ float64) float64 { return a * b }},
	{"add", 2, func(a, b, _ float64) float64 { return a + b }},
	{"sub", 2, func(a, b, _ float64) float64 { return a - b }},
	{"mul", 2, func(a, b, _ float64) float64 { return a * b }},
	{"fma.rn", 3, fmaOnce},
	{"fma.rn.relu", 3, func(a, b, c float64) float64 { return reluOf(fmaOnce(a, b, c)) }},
	{"min", 2, func(a, b, _ float64) float64 { return number2(a, b, math.Min) }},
	{"max", 2, func(a, b, _ float64) float64 { return number2(a, b, math.Max) }},
	{"min.NaN", 2, func(a, b, _ float64) float64 { return math.Min(a, b) }},
	{"max.NaN", 2, func(a, b, _ float64) float64 { return math.Max(a, b) }},
	{"tanh.approx", 1, func(a, _, _ float64) float64 { return math.Tanh(a) }},
	{"ex2.approx", 1, func(a, _, _ float64) float64 { return math.Exp2(a) }},
	{"ex2.approx.ftz", 1, func(a, _, _ float64) float64 { return math.Exp2(a) }},
}

// fmaOnce is the sum rounded to odd: every product of two halves is exact.
func fmaOnce(a, b, c float64) float64 { return addToOdd(a*b, c) }

// reluOf makes zero of what is negative, and leaves a NaN.
func reluOf(v float64) float64 {
	if v < 0 {
		return 0
	}
	return v
}

// number2 skips a NaN.
func number2(a, b float64, of func(a, b float64) float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return of(a, b)
}

// halves are the instructions on f16 and bf16, one or two in a register.
var halves = halfForms()

func halfForms() map[string]form {
	forms := map[string]form{}
	for format, f := range map[string]halfFormat{"f16": formatF16, "bf16": formatBF16} {
		for _, op := range halfOps {
			forms[op.name+"."+format] = form{op.sources, f.apply(op.f, 1), nil}
			forms[op.name+"."+format+"x2"] = form{op.sources, f.apply(op.f, 2), nil}
		}
		for name, op := range map[string]func(uint32) uint32{
			"neg": func(x uint32) uint32 { return x ^ 0x80008000 },
			"abs": func(x uint32) uint32 { return x &^ 0x80008000 },
		} {
			apply := func(d, a, _, _ *lanes32) {
				for i := range d {
					d[i] = op(a[i])
				}
			}
			forms[name+"."+format] = form{1, apply, nil}
			forms[name+"."+format+"x2"] = form{1, apply, nil}
		}
	}
	return forms
}

// apply makes an instruction on n elements in a register.
func (f halfFormat) apply(op func(a, b, c float64) float64, n int) op32 {
	return func(d, a, b, c *lanes32) {
		for i := range d {
			var v uint32
			for k := range n {
				s := 16 * k
				x, y, z := f.value(uint16(a[i]>>s)), f.value(uint16(b[i]>>s)), f.value(uint16(c[i]>>s))
				v |= uint32(f.round(op(float64(x), float64(y), float64(z)))) << s
			}
			d[i] = v
		}
	}
}

// addF16 is add.rn.f32.f16: a number of f16 and one of f32, rounded once.
func addF16(w *warp, in *instr, mask uint32) *Fault {
	d, a, b := w.to32(in.d, mask), &w.r32[in.a], &w.r32[in.b]
	for i := range d {
		d[i] = u32(f16ToF32(uint16(a[i])) + f32(b[i]))
	}
	w.keep32(in.d, mask)
	return nil
}
