package ptx

// test32 and test64 compare two registers and return a mask.
type (
	test32 func(a, b *lanes32) uint32
	test64 func(a, b *lanes64) uint32
)

func bit(v bool) uint32 {
	if v {
		return 1
	}
	return 0
}

func equal[T word, N number](a, b *[32]T) (m uint32) {
	for i := range a {
		m |= bit(N(a[i]) == N(b[i])) << i
	}
	return m
}

func less[T word, N number](a, b *[32]T) (m uint32) {
	for i := range a {
		m |= bit(N(a[i]) < N(b[i])) << i
	}
	return m
}

func equalF32(a, b *lanes32) (m uint32) {
	for i := range a {
		m |= bit(f32(a[i]) == f32(b[i])) << i
	}
	return m
}

func lessF32(a, b *lanes32) (m uint32) {
	for i := range a {
		m |= bit(f32(a[i]) < f32(b[i])) << i
	}
	return m
}

func lessEqualF32(a, b *lanes32) (m uint32) {
	for i := range a {
		m |= bit(f32(a[i]) <= f32(b[i])) << i
	}
	return m
}

func unorderedF32(a, b *lanes32) (m uint32) {
	for i := range a {
		x, y := f32(a[i]), f32(b[i])
		m |= bit(x != x || y != y) << i
	}
	return m
}

func equalF64(a, b *lanes64) (m uint32) {
	for i := range a {
		m |= bit(f64(a[i]) == f64(b[i])) << i
	}
	return m
}

func lessF64(a, b *lanes64) (m uint32) {
	for i := range a {
		m |= bit(f64(a[i]) < f64(b[i])) << i
	}
	return m
}

func lessEqualF64(a, b *lanes64) (m uint32) {
	for i := range a {
		m |= bit(f64(a[i]) <= f64(b[i])) << i
	}
	return m
}

func unorderedF64(a, b *lanes64) (m uint32) {
	for i := range a {
		x, y := f64(a[i]), f64(b[i])
		m |= bit(x != x || y != y) << i
	}
	return m
}

// half widens a test of float32 to float16, whose values it holds exactly.
func half(test test32) test32 {
	return func(a, b *lanes32) uint32 {
		var x, y lanes32
		for i := range x {
			x[i], y[i] = u32(float32(fromHalf(uint16(a[i])))), u32(float32(fromHalf(uint16(b[i]))))
		}
		return test(&x, &y)
	}
}

// tests are the three tests of a type that all comparisons are made of.
type tests struct {
	eq32, lt32, le32, nan32 test32
	eq64, lt64, le64, nan64 test64
}

var testsOf = map[string]tests{
	"b16": {eq32: equal[uint32, uint16]},
	"u16": {eq32: equal[uint32, uint16], lt32: less[uint32, uint16]},
	"s16": {eq32: equal[uint32, uint16], lt32: less[uint32, int16]},
	"b32": {eq32: equal[uint32, uint32]},
	"u32": {eq32: equal[uint32, uint32], lt32: less[uint32, uint32]},
	"s32": {eq32: equal[uint32, uint32], lt32: less[uint32, int32]},
	"b64": {eq64: equal[uint64, uint64]},
	"u64": {eq64: equal[uint64, uint64], lt64: less[uint64, uint64]},
	"s64": {eq64: equal[uint64, uint64], lt64: less[uint64, int64]},
	"f16": {eq32: half(equalF32), lt32: half(lessF32), le32: half(lessEqualF32), nan32: half(unorderedF32)},
	"f32": {eq32: equalF32, lt32: lessF32, le32: lessEqualF32, nan32: unorderedF32},
	"f64": {eq64: equalF64, lt64: lessF64, le64: lessEqualF64, nan64: unorderedF64},
}

// comparison is a test, its operands in order or swapped, and its negation.
type comparison struct {
	test      string // eq, lt, le or nan
	swap, not bool
}

var wholeComparisons = map[string]comparison{
	"eq": {"eq", false, false}, "ne": {"eq", false, true},
	"lt": {"lt", false, false}, "ge": {"lt", false, true}, "gt": {"lt", true, false}, "le": {"lt", true, true},
	"lo": {"lt", false, false}, "hs": {"lt", false, true}, "hi": {"lt", true, false}, "ls": {"lt", true, true},
}

// The ordered comparisons of floats are false with a NaN, those that end in u
// true; each of the latter is another's negation.
var floatComparisons = map[string]comparison{
	"eq": {"eq", false, false}, "neu": {"eq", false, true},
	"lt": {"lt", false, false}, "geu": {"lt", false, true},
	"gt": {"lt", true, false}, "leu": {"lt", true, true},
	"le": {"le", false, false}, "gtu": {"le", false, true},
	"ge": {"le", true, false}, "ltu": {"le", true, true},
	"nan": {"nan", false, false}, "num": {"nan", false, true},
	"ne": {"ne", false, false}, "equ": {"ne", false, true},
}

// comparisonOf returns the function that compares values of type t, as a mask.
func comparisonOf(name string, t dataType) (func(w *warp, a, b int32) uint32, bool) {
	all := wholeComparisons
	if t.kind == float {
		all = floatComparisons
	}
	c, ok := all[name]
	of, known := testsOf[t.name]
	if !ok || !known {
		return nil, false
	}
	var flip uint32
	if c.not {
		flip = allLanes
	}
	if t.bits == 64 {
		test := of.pick64(c.test)
		if test == nil {
			return nil, false
		}
		return func(w *warp, a, b int32) uint32 {
			if c.swap {
				a, b = b, a
			}
			return test(&w.r64[a], &w.r64[b]) ^ flip
		}, true
	}
	test := of.pick32(c.test)
	if test == nil {
		return nil, false
	}
	return func(w *warp, a, b int32) uint32 {
		if c.swap {
			a, b = b, a
		}
		return test(&w.r32[a], &w.r32[b]) ^ flip
	}, true
}

func (t tests) pick32(name string) test32 {
	switch name {
	case "eq":
		return t.eq32
	case "lt":
		return t.lt32
	case "le":
		return t.le32
	case "nan":
		return t.nan32
	}
	return func(a, b *lanes32) uint32 { return ^(t.eq32(a, b) | t.nan32(a, b)) }
}

func (t tests) pick64(name string) test64 {
	switch name {
	case "eq":
		return t.eq64
	case "lt":
		return t.lt64
	case "le":
		return t.le64
	case "nan":
		return t.nan64
	}
	return func(a, b *lanes64) uint32 { return ^(t.eq64(a, b) | t.nan64(a, b)) }
}

// choose is selp: d = p ? a : b.
func choose[T word](d, a, b *[32]T, p uint32) {
	for i := range d {
		v := b[i]
		if p>>i&1 != 0 {
			v = a[i]
		}
		d[i] = v
	}
}

func choose32(not uint32) exec {
	return func(w *warp, in *instr, mask uint32) *Fault {
		choose(w.to32(in.d, mask), &w.r32[in.a], &w.r32[in.b], w.preds[in.c]^not)
		w.keep32(in.d, mask)
		return nil
	}
}

func choose64(not uint32) exec {
	return func(w *warp, in *instr, mask uint32) *Fault {
		choose(w.to64(in.d, mask), &w.r64[in.a], &w.r64[in.b], w.preds[in.c]^not)
		w.keep64(in.d, mask)
		return nil
	}
}

// The logic of predicates works on whole masks.

func predicate2(op func(a, b uint32) uint32, notA, notB uint32) exec {
	return func(w *warp, in *instr, mask uint32) *Fault {
		w.keepP(in.d, op(w.preds[in.a]^notA, w.preds[in.b]^notB), mask)
		return nil
	}
}

var predicateOps = map[string]func(a, b uint32) uint32{
	"and": func(a, b uint32) uint32 { return a & b },
	"or":  func(a, b uint32) uint32 { return a | b },
	"xor": func(a, b uint32) uint32 { return a ^ b },
	"not": func(a, _ uint32) uint32 { return ^a },
	"mov": func(a, _ uint32) uint32 { return a },
}
