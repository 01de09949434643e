package ptx

import "math"

// form is an instruction that computes a register from registers of its own type.
type form struct {
	sources int
	op32    op32
	op64    op64
}

// integerForms are whole instructions, by their names.
var integerForms = map[string]form{
	"add.u16": {2, add[uint32, uint16], nil}, "add.s16": {2, add[uint32, int16], nil},
	"add.u32": {2, add[uint32, uint32], nil}, "add.s32": {2, add[uint32, uint32], nil},
	"add.u64": {2, nil, add[uint64, uint64]}, "add.s64": {2, nil, add[uint64, uint64]},
	"sub.u16": {2, sub[uint32, uint16], nil}, "sub.s16": {2, sub[uint32, int16], nil},
	"sub.u32": {2, sub[uint32, uint32], nil}, "sub.s32": {2, sub[uint32, uint32], nil},
	"sub.u64": {2, nil, sub[uint64, uint64]}, "sub.s64": {2, nil, sub[uint64, uint64]},

	"mul.lo.u16": {2, mul[uint32, uint16], nil}, "mul.lo.s16": {2, mul[uint32, int16], nil},
	"mul.lo.u32": {2, mul[uint32, uint32], nil}, "mul.lo.s32": {2, mul[uint32, uint32], nil},
	"mul.lo.u64": {2, nil, mul[uint64, uint64]}, "mul.lo.s64": {2, nil, mul[uint64, uint64]},
	"mul.hi.u16": {2, mulHigh16[uint16], nil}, "mul.hi.s16": {2, mulHigh16[int16], nil},
	"mul.hi.u32": {2, mulHigh32[uint32], nil}, "mul.hi.s32": {2, mulHigh32[int32], nil},
	"mul.hi.u64": {2, nil, mulHighU64}, "mul.hi.s64": {2, nil, mulHighS64},
	"mul.wide.u16": {2, mulWide16[uint16], nil}, "mul.wide.s16": {2, mulWide16[int16], nil},
	"mul24.lo.u32": {2, mul24U, nil}, "mul24.lo.s32": {2, mul24S, nil},

	"mad.lo.u16": {3, mad[uint32, uint16], nil}, "mad.lo.s16": {3, mad[uint32, int16], nil},
	"mad.lo.u32": {3, mad[uint32, uint32], nil}, "mad.lo.s32": {3, mad[uint32, uint32], nil},
	"mad.lo.u64": {3, nil, mad[uint64, uint64]}, "mad.lo.s64": {3, nil, mad[uint64, uint64]},
	"mad.hi.u32": {3, madHigh32[uint32], nil}, "mad.hi.s32": {3, madHigh32[int32], nil},
	"mad.hi.u64":   {3, nil, madHighU64},
	"mad.wide.u16": {3, madWide16[uint16], nil}, "mad.wide.s16": {3, madWide16[int16], nil},

	"div.u16": {2, divide[uint32, uint16], nil}, "div.s16": {2, divide[uint32, int16], nil},
	"div.u32": {2, divide[uint32, uint32], nil}, "div.s32": {2, divide[uint32, int32], nil},
	"div.u64": {2, nil, divide[uint64, uint64]}, "div.s64": {2, nil, divide[uint64, int64]},
	"rem.u16": {2, remainder[uint32, uint16], nil}, "rem.s16": {2, remainder[uint32, int16], nil},
	"rem.u32": {2, remainder[uint32, uint32], nil}, "rem.s32": {2, remainder[uint32, int32], nil},
	"rem.u64": {2, nil, remainder[uint64, uint64]}, "rem.s64": {2, nil, remainder[uint64, int64]},

	"min.u16": {2, smaller[uint32, uint16], nil}, "min.s16": {2, smaller[uint32, int16], nil},
	"min.u32": {2, smaller[uint32, uint32], nil}, "min.s32": {2, smaller[uint32, int32], nil},
	"min.u64": {2, nil, smaller[uint64, uint64]}, "min.s64": {2, nil, smaller[uint64, int64]},
	"max.u16": {2, larger[uint32, uint16], nil}, "max.s16": {2, larger[uint32, int16], nil},
	"max.u32": {2, larger[uint32, uint32], nil}, "max.s32": {2, larger[uint32, int32], nil},
	"max.u64": {2, nil, larger[uint64, uint64]}, "max.s64": {2, nil, larger[uint64, int64]},

	"abs.s16": {1, absolute[uint32, int16], nil}, "abs.s32": {1, absolute[uint32, int32], nil}, "abs.s64": {1, nil, absolute[uint64, int64]},
	"neg.s16": {1, negate[uint32, int16], nil}, "neg.s32": {1, negate[uint32, int32], nil}, "neg.s64": {1, nil, negate[uint64, int64]},
	"sad.u16": {3, sumOfDifferences[uint32, uint16], nil}, "sad.s16": {3, sumOfDifferences[uint32, int16], nil},
	"sad.u32": {3, sumOfDifferences[uint32, uint32], nil}, "sad.s32": {3, sumOfDifferences[uint32, int32], nil},
	"sad.u64": {3, nil, sumOfDifferences[uint64, uint64]}, "sad.s64": {3, nil, sumOfDifferences[uint64, int64]},

	"and.b16": {2, and[uint32], nil}, "and.b32": {2, and[uint32], nil}, "and.b64": {2, nil, and[uint64]},
	"or.b16": {2, or[uint32], nil}, "or.b32": {2, or[uint32], nil}, "or.b64": {2, nil, or[uint64]},
	"xor.b16": {2, xor[uint32], nil}, "xor.b32": {2, xor[uint32], nil}, "xor.b64": {2, nil, xor[uint64]},
	"not.b16": {1, not[uint32], nil}, "not.b32": {1, not[uint32], nil}, "not.b64": {1, nil, not[uint64]},
	"cnot.b32": {1, zeroNot[uint32], nil}, "cnot.b64": {1, nil, zeroNot[uint64]},

	"shl.b16": {2, shiftLeft[uint16], nil}, "shl.b32": {2, shiftLeft[uint32], nil},
	"shr.b16": {2, shiftRight[uint16], nil}, "shr.u16": {2, shiftRight[uint16], nil}, "shr.s16": {2, shiftRight[int16], nil},
	"shr.b32": {2, shiftRight[uint32], nil}, "shr.u32": {2, shiftRight[uint32], nil}, "shr.s32": {2, shiftRight[int32], nil},
	"shf.l.wrap.b32": {3, funnelLeftWrap, nil}, "shf.l.clamp.b32": {3, funnelLeftClamp, nil},
	"shf.r.wrap.b32": {3, funnelRightWrap, nil}, "shf.r.clamp.b32": {3, funnelRightClamp, nil},

	"popc.b32": {1, countOnes, nil}, "clz.b32": {1, leadingZeros, nil},
	"brev.b32": {1, reverse, nil}, "brev.b64": {1, nil, reverse64},
	"bfind.u32": {1, findU, nil}, "bfind.s32": {1, findS, nil},
	"bfe.u32": {3, extractU, nil}, "bfe.s32": {3, extractS, nil},
	"prmt.b32": {3, permute, nil},
}

// floatForm is an instruction on floats, which modifiers for rounding, flushing
// and saturation may follow.
type floatForm struct {
	form
	rounded  bool // takes .rn
	implicit bool // .rn may be left out
	flushes  bool // takes .ftz
	unit     bool // takes .sat
}

var floatForms = map[string]floatForm{
	"add.f32":  {form{2, addF32, nil}, true, true, true, true},
	"sub.f32":  {form{2, subF32, nil}, true, true, true, true},
	"mul.f32":  {form{2, mulF32, nil}, true, true, true, true},
	"fma.f32":  {form{3, fmaF32, nil}, true, false, true, true},
	"mad.f32":  {form{3, fmaF32, nil}, true, false, true, true},
	"div.f32":  {form{2, divF32, nil}, true, false, true, false},
	"sqrt.f32": {form{1, sqrtF32, nil}, true, false, true, false},
	"rcp.f32":  {form{1, rcpF32, nil}, true, false, true, false},

	"add.f64":  {form{2, nil, addF64}, true, true, false, false},
	"sub.f64":  {form{2, nil, subF64}, true, true, false, false},
	"mul.f64":  {form{2, nil, mulF64}, true, true, false, false},
	"fma.f64":  {form{3, nil, fmaF64}, true, false, false, false},
	"mad.f64":  {form{3, nil, fmaF64}, true, false, false, false},
	"div.f64":  {form{2, nil, divF64}, true, false, false, false},
	"sqrt.f64": {form{1, nil, sqrtF64}, true, false, false, false},
	"rcp.f64":  {form{1, nil, rcpF64}, true, false, false, false},

	"min.f32": plain(2, minF32, nil), "max.f32": plain(2, maxF32, nil),
	"min.NaN.f32": plain(2, minNaNF32, nil), "max.NaN.f32": plain(2, maxNaNF32, nil),
	"min.f64": plain(2, nil, minF64), "max.f64": plain(2, nil, maxF64),
	"abs.f32": plain(1, absF32, nil), "neg.f32": plain(1, negF32, nil), "copysign.f32": plain(2, copysignF32, nil),
	"abs.f64": plain(1, nil, absF64), "neg.f64": plain(1, nil, negF64), "copysign.f64": plain(2, nil, copysignF64),

	"ex2.approx.f32":   plain(1, approximate(math.Exp2), nil),
	"lg2.approx.f32":   plain(1, approximate(math.Log2), nil),
	"sin.approx.f32":   plain(1, approximate(math.Sin), nil),
	"cos.approx.f32":   plain(1, approximate(math.Cos), nil),
	"tanh.approx.f32":  plain(1, approximate(math.Tanh), nil),
	"rsqrt.approx.f32": plain(1, approximate(reciprocalRoot), nil),
	"sqrt.approx.f32":  plain(1, sqrtF32, nil),
	"rcp.approx.f32":   plain(1, rcpF32, nil),
	"div.approx.f32":   plain(2, divF32, nil),
	"div.full.f32":     plain(2, divF32, nil),

	"add.f16": halfForm(2, addHalf), "sub.f16": halfForm(2, subHalf), "mul.f16": halfForm(2, mulHalf),
	"fma.f16": halfForm(3, fmaHalf), "min.f16": halfForm(2, lesser), "max.f16": halfForm(2, greater),
	"abs.f16": plain(1, absHalf, nil), "neg.f16": plain(1, negHalf, nil),
	"add.f16x2": pairForm(2, addHalf), "sub.f16x2": pairForm(2, subHalf), "mul.f16x2": pairForm(2, mulHalf),
	"fma.f16x2": pairForm(3, fmaHalf), "min.f16x2": pairForm(2, lesser), "max.f16x2": pairForm(2, greater),
	"abs.f16x2": plain(1, halfPair(absHalf), nil), "neg.f16x2": plain(1, halfPair(negHalf), nil),
}

// plain makes the form of an instruction that does not round.
func plain(sources int, o32 op32, o64 op64) floatForm {
	return floatForm{form: form{sources, o32, o64}, flushes: o32 != nil}
}

func halfForm(sources int, f func(a, b, c float64) float64) floatForm {
	return floatForm{form: form{sources, halfOp(f), nil}, rounded: true, implicit: sources < 3}
}

func pairForm(sources int, f func(a, b, c float64) float64) floatForm {
	return floatForm{form: form{sources, halfPair(halfOp(f)), nil}, rounded: true, implicit: sources < 3}
}

// Sums and products of float16 in float64: exact, or rounded to odd.

func addHalf(a, b, _ float64) float64 { return a + b }
func subHalf(a, b, _ float64) float64 { return a - b }
func mulHalf(a, b, _ float64) float64 { return a * b }
func fmaHalf(a, b, c float64) float64 { return addToOdd(float64(a*b), c) }

// mixedForms are instructions whose operands have different widths.
var mixedForms = map[string]mixedForm{
	"mul.wide.u32": {"u64", []string{"u32", "u32"}, widening(mulWide32[uint32])},
	"mul.wide.s32": {"s64", []string{"s32", "s32"}, widening(mulWide32[int32])},
	"mad.wide.u32": {"u64", []string{"u32", "u32", "u64"}, widening(madWide32[uint32])},
	"mad.wide.s32": {"s64", []string{"s32", "s32", "s64"}, widening(madWide32[int32])},
	"shl.b64":      {"b64", []string{"b64", "u32"}, shifting(shiftLeft64)},
	"shr.b64":      {"b64", []string{"b64", "u32"}, shifting(shiftRight64[uint64])},
	"shr.u64":      {"b64", []string{"b64", "u32"}, shifting(shiftRight64[uint64])},
	"shr.s64":      {"b64", []string{"b64", "u32"}, shifting(shiftRight64[int64])},
	"bfe.u64":      {"b64", []string{"b64", "u32", "u32"}, shifting(extractU64)},
	"bfe.s64":      {"b64", []string{"b64", "u32", "u32"}, shifting(extractS64)},
	"popc.b64":     {"u32", []string{"b64"}, narrowing(countOnes64)},
	"clz.b64":      {"u32", []string{"b64"}, narrowing(leadingZeros64)},
	"bfind.u64":    {"u32", []string{"b64"}, narrowing(findU64)},
	"bfind.s64":    {"u32", []string{"b64"}, narrowing(findS64)},
	"cvt.u64.u32":  {"u64", []string{"u32"}, widening(extendU32)},
	"cvt.s64.u32":  {"u64", []string{"u32"}, widening(extendU32)},
	"cvt.s64.s32":  {"u64", []string{"u32"}, widening(extendS32)},
	"cvt.u64.s32":  {"u64", []string{"u32"}, widening(extendS32)},
	"cvt.u32.u64":  {"u32", []string{"u64"}, narrowing(cut32)},
	"cvt.s32.s64":  {"u32", []string{"u64"}, narrowing(cut32)},
	"cvt.u32.s64":  {"u32", []string{"u64"}, narrowing(cut32)},
	"cvt.s32.u64":  {"u32", []string{"u64"}, narrowing(cut32)},
}

// mixedForm is a result and sources of the named types.
type mixedForm struct {
	to   string
	from []string
	exec exec
}

// quickConversions are conversions within a register file that have their own loops.
var quickConversions = map[string]op32{
	"cvt.rn.f32.s32": s32ToF32, "cvt.rn.f32.u32": u32ToF32,
	"cvt.rzi.s32.f32": truncF32, "cvt.rni.f32.f32": roundF32,
	"cvt.u32.u16": move16[uint16], "cvt.s32.s16": move16[int16], "cvt.u16.u32": move[uint32],
}

func move16[N int16 | uint16](d, a, _, _ *lanes32) {
	for i := range d {
		d[i] = uint32(N(a[i]))
	}
}
