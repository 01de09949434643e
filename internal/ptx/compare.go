package ptx

// test compares two registers and returns a mask.
type test[T word] func(a, b *[32]T) uint32

func bit(v bool) uint32 {
	if v {
		return 1
	}
	return 0
}

//go:norace
func equal[T word, N number](a, b *[32]T) (m uint32) {
	for i := range a {
		m |= bit(N(a[i]) == N(b[i])) << i
	}
	return m
}

//go:norace
func less[T word, N number](a, b *[32]T) (m uint32) {
	for i := range a {
		m |= bit(N(a[i]) < N(b[i])) << i
	}
	return m
}

//go:norace
func equalFloat[F floating, T word](a, b *[32]T) (m uint32) {
	for i := range a {
		m |= bit(floatOf[F](a[i]) == floatOf[F](b[i])) << i
	}
	return m
}

//go:norace
func lessFloat[F floating, T word](a, b *[32]T) (m uint32) {
	for i := range a {
		m |= bit(floatOf[F](a[i]) < floatOf[F](b[i])) << i
	}
	return m
}

func lessEqualFloat[F floating, T word](a, b *[32]T) (m uint32) {
	for i := range a {
		m |= bit(floatOf[F](a[i]) <= floatOf[F](b[i])) << i
	}
	return m
}

func unordered[F floating, T word](a, b *[32]T) (m uint32) {
	for i := range a {
		x, y := floatOf[F](a[i]), floatOf[F](b[i])
		m |= bit(x != x || y != y) << i
	}
	return m
}

// tests are what all comparisons of a type are made of, by the first part of their names; le and nan are of floats.
type tests[T word] map[string]test[T]

var tests32 = map[string]tests[uint32]{
	"b16": {"eq": equal[uint32, uint16]},
	"u16": {"eq": equal[uint32, uint16], "lt": less[uint32, uint16]},
	"s16": {"eq": equal[uint32, uint16], "lt": less[uint32, int16]},
	"b32": {"eq": equal[uint32, uint32]},
	"u32": {"eq": equal[uint32, uint32], "lt": less[uint32, uint32]},
	"s32": {"eq": equal[uint32, uint32], "lt": less[uint32, int32]},
	"f32": floatTests[float32, uint32](),
	"f16": halfTests(formatF16), "bf16": halfTests(formatBF16),
}

var tests64 = map[string]tests[uint64]{
	"b64": {"eq": equal[uint64, uint64]},
	"u64": {"eq": equal[uint64, uint64], "lt": less[uint64, uint64]},
	"s64": {"eq": equal[uint64, uint64], "lt": less[uint64, int64]},
	"f64": floatTests[float64, uint64](),
}

func floatTests[F floating, T word]() tests[T] {
	return tests[T]{
		"eq": equalFloat[F, T], "lt": lessFloat[F, T], "le": lessEqualFloat[F, T], "nan": unordered[F, T],
		"ne": func(a, b *[32]T) uint32 { return ^(equalFloat[F](a, b) | unordered[F](a, b)) },
	}
}

// halfTests compares halves as float32, which is exact.
func halfTests(f halfFormat) tests[uint32] {
	all := floatTests[float32, uint32]()
	for name, test := range all {
		all[name] = func(a, b *lanes32) uint32 {
			var x, y lanes32
			for i := range x {
				x[i], y[i] = u32(f.value(uint16(a[i]))), u32(f.value(uint16(b[i])))
			}
			return test(&x, &y)
		}
	}
	return all
}

// comparison is a test, its operands in order or swapped, and its negation.
type comparison struct {
	test      string
	swap, not bool
}

var wholeComparisons = map[string]comparison{
	"eq": {"eq", false, false}, "ne": {"eq", false, true},
	"lt": {"lt", false, false}, "ge": {"lt", false, true}, "gt": {"lt", true, false}, "le": {"lt", true, true},
}

// The ordered comparisons of floats are false with a NaN, those that end in u true; each of the latter is another's
// negation.
var floatComparisons = map[string]comparison{
	"eq": {"eq", false, false}, "neu": {"eq", false, true},
	"lt": {"lt", false, false}, "geu": {"lt", false, true},
	"gt": {"lt", true, false}, "leu": {"lt", true, true},
	"le": {"le", false, false}, "gtu": {"le", false, true},
	"ge": {"le", true, false}, "ltu": {"le", true, true},
	"nan": {"nan", false, false}, "num": {"nan", false, true},
	"ne": {"ne", false, false}, "equ": {"ne", false, true},
}

// comparisonOf returns setp: the comparison of values of type t.
func comparisonOf(name string, t dataType) (exec, bool) {
	all := wholeComparisons
	if t.kind == float {
		all = floatComparisons
	}
	c, ok := all[name]
	var flip uint32
	if c.not {
		flip = allLanes
	}
	if test := testOf(lanes.tests64, tests64, t.name, c.test); ok && test != nil {
		return func(w *warp, in *instr, mask uint32) *Fault {
			a, b := in.a, in.b
			if c.swap {
				a, b = b, a
			}
			w.keepP(in.d, test(&w.r64[a], &w.r64[b])^flip, mask)
			return nil
		}, true
	}
	test := testOf(lanes.tests32, tests32, t.name, c.test)
	return func(w *warp, in *instr, mask uint32) *Fault {
		a, b := in.a, in.b
		if c.swap {
			a, b = b, a
		}
		w.keepP(in.d, test(&w.r32[a], &w.r32[b])^flip, mask)
		return nil
	}, ok && test != nil
}

// choose is selp: d = p ? a : b.
//
//go:norace
func choose[T word](d, a, b *[32]T, p uint32) {
	for i := range d {
		v := b[i]
		if p>>i&1 != 0 {
			v = a[i]
		}
		d[i] = v
	}
}

func choosing32(not uint32) exec {
	return func(w *warp, in *instr, mask uint32) *Fault {
		lanes.choose32(w.to32(in.d, mask), &w.r32[in.a], &w.r32[in.b], w.preds[in.c]^not)
		w.keep32(in.d, mask)
		return nil
	}
}

func choosing64(not uint32) exec {
	return func(w *warp, in *instr, mask uint32) *Fault {
		lanes.choose64(w.to64(in.d, mask), &w.r64[in.a], &w.r64[in.b], w.preds[in.c]^not)
		w.keep64(in.d, mask)
		return nil
	}
}

// predicateOps is the logic of predicates, which works on whole masks.
var predicateOps = map[string]func(a, b uint32) uint32{
	"and": func(a, b uint32) uint32 { return a & b },
	"or":  func(a, b uint32) uint32 { return a | b },
	"xor": func(a, b uint32) uint32 { return a ^ b },
	"not": func(a, _ uint32) uint32 { return ^a },
	"mov": func(a, _ uint32) uint32 { return a },
}

func predicate2(op func(a, b uint32) uint32, notA, notB uint32) exec {
	return func(w *warp, in *instr, mask uint32) *Fault {
		w.keepP(in.d, op(w.preds[in.a]^notA, w.preds[in.b]^notB), mask)
		return nil
	}
}
