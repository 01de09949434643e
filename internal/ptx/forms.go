package ptx

// form is an instruction that computes a register from registers of its own type.
type form struct {
	sources int
	op32    op32
	op64    op64
}

// alike are integer instructions that do the same to signed, unsigned and untyped values: their names without type, and what
// they do in each register file.
var alike = map[string]form{
	"add": {2, add[uint32], add[uint64]}, "sub": {2, sub[uint32], sub[uint64]},
	"mul.lo": {2, mul[uint32], mul[uint64]}, "mad.lo": {3, mad[uint32], mad[uint64]},
	"neg": {1, negate[uint32], negate[uint64]}, "not": {1, not[uint32], not[uint64]},
	"and": {2, and[uint32], and[uint64]}, "or": {2, or[uint32], or[uint64]}, "xor": {2, xor[uint32], xor[uint64]},
	"shl": {2, shiftLeft, nil},
}

// integers are the integer instructions for which the type matters, by whole names.
var integers = map[string]form{
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
	"shr.b16": {2, shiftRight[uint16], nil}, "shr.u16": {2, shiftRight[uint16], nil}, "shr.s16": {2, shiftRight[int16], nil},
	"shr.b32": {2, shiftRight[uint32], nil}, "shr.u32": {2, shiftRight[uint32], nil}, "shr.s32": {2, shiftRight[int32], nil},
	"shf.l.wrap.b32": {3, funnelLeft, nil}, "shf.r.wrap.b32": {3, funnelRight, nil},
	"shf.l.clamp.b32": {3, funnelLeftClamped, nil}, "shf.r.clamp.b32": {3, funnelRightClamped, nil},
	"prmt.b32": {3, permute, nil}, "popc.b32": {1, population, nil}, "brev.b32": {1, reverse, nil},
	"bfe.s32": {3, extractSigned, nil}, "dp4a.s32.s32": {3, dotBytes, nil},

	"mul.hi.u16": {2, mulHigh16[uint16], nil}, "mul.hi.s16": {2, mulHigh16[int16], nil},
	"mul.hi.u32": {2, mulHigh32[uint32], nil}, "mul.hi.s32": {2, mulHigh32[int32], nil}, "mul.hi.u64": {2, nil, mulHigh64},
	"mul.wide.u16": {2, mulWide16[uint16], nil}, "mul.wide.s16": {2, mulWide16[int16], nil},
	"bfe.u32": {3, extract, nil}, "clz.b32": {1, leadingZeros, nil},

	// Global addresses are their own generic ones, shared ones lie in a window.
	"cvta.to.global.u64": {1, nil, move[uint64]}, "cvta.global.u64": {1, nil, move[uint64]},
	"cvta.to.shared.u64": {1, nil, fromWindow}, "cvta.shared.u64": {1, nil, toWindow},
	"cvta.to.param.u64": {1, nil, fromParamWindow}, "cvta.param.u64": {1, nil, toParamWindow},
}

// reals are the instructions on floats, with .rn where they round.
var reals = map[string]form{
	"add.rn": {2, addFloat[float32, uint32], addFloat[float64, uint64]},
	"sub.rn": {2, subFloat[float32, uint32], subFloat[float64, uint64]},
	"mul.rn": {2, mulFloat[float32, uint32], mulFloat[float64, uint64]},
	"div.rn": {2, divFloat[float32, uint32], divFloat[float64, uint64]},
	"fma.rn": {3, fmaF32, fmaF64}, "sqrt.rn": {1, sqrtFloat[float32, uint32], sqrtFloat[float64, uint64]},
	"rcp.rn": {1, reciprocal[float32, uint32], reciprocal[float64, uint64]},
	"min":    {2, minFloat[float32, uint32], minFloat[float64, uint64]},
	"max":    {2, maxFloat[float32, uint32], maxFloat[float64, uint64]},
	"abs":    {1, absFloat[uint32], absFloat[uint64]}, "neg": {1, negFloat[uint32], negFloat[uint64]},
	"copysign": {2, copysign[uint32], copysign[uint64]},
}

// formOf returns the form of an instruction whose name ends in a type.
func formOf(name string, t dataType) (form, bool) {
	if f, ok := integers[name]; ok {
		return f.fastest(name), true
	}
	if t.bits == 16 && t.kind == float || t.name == "f16x2" || t.name == "bf16x2" {
		f, ok := halves[name]
		return f, ok
	}
	if f, ok := approximations[name]; ok {
		return f, true
	}
	table := alike
	if t.kind == float {
		table = reals
	}
	key := name[:max(0, len(name)-len(t.name)-1)]
	f, ok := table[key]
	f = f.fastest(key)
	if t.file() == file64 {
		f.op32 = nil
	} else {
		f.op64 = nil
	}
	return f, ok && t.kind != predicate && t.bits > 8 && (f.op32 != nil || f.op64 != nil)
}

// mixed are instructions whose operands have different widths.
var mixed = map[string]mixedForm{
	"mul.wide.u32": {"u64", []string{"u32", "u32"}, widening(mulWide32[uint32])},
	"mul.wide.s32": {"s64", []string{"s32", "s32"}, widening(mulWide32[int32])},
	"shl.b64":      {"b64", []string{"b64", "u32"}, shifting(shiftLeft64)},
	"shr.b64":      {"b64", []string{"b64", "u32"}, shifting(shiftRight64[uint64])},
	"shr.u64":      {"b64", []string{"b64", "u32"}, shifting(shiftRight64[uint64])},
	"shr.s64":      {"b64", []string{"b64", "u32"}, shifting(shiftRight64[int64])},
	"clz.b64":      {"u32", []string{"b64"}, narrowing(leadingZeros64)},
	"bfe.u64":      {"u64", []string{"u64", "u32", "u32"}, extract64},
	"popc.b64":     {"u32", []string{"b64"}, narrowing(population64)},
	"mad.wide.u32": {"u64", []string{"u32", "u32", "u64"}, madWide(mulWideAdd[uint32])},
	"mad.wide.s32": {"s64", []string{"s32", "s32", "s64"}, madWide(mulWideAdd[int32])},
	"cvt.u64.u32":  {"u64", []string{"u32"}, widening(extendU32)},
	"cvt.s64.s32":  {"u64", []string{"u32"}, widening(extendS32)},
	"cvt.u32.u64":  {"u32", []string{"u64"}, narrowing(cut32)},
	"cvt.s32.s64":  {"u32", []string{"u64"}, narrowing(cut32)},

	"add.rn.f32.f16": {"f32", []string{"b16", "f32"}, addF16},
}

// mixedForm is a result and sources of the named types.
type mixedForm struct {
	to   string
	from []string
	exec exec
}

// quickConversions are conversions within a register file that have their own loops.
var quickConversions = map[string]op32{
	"cvt.rn.f32.s32": intToF32[int32], "cvt.rn.f32.u32": intToF32[uint32],
	"cvt.rzi.s32.f32": truncF32, "cvt.rni.f32.f32": roundF32,
	"cvt.u32.u16": cut16[uint16], "cvt.s32.s16": cut16[int16], "cvt.u16.u32": move[uint32],
}
