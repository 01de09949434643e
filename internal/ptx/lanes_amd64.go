//go:build !noasm

package ptx

import (
	"cresset/internal/kern/vec"
	"cresset/internal/race"
)

func fastestLoops() loops {
	if vec.Current() == vec.NoAsm {
		return inGo
	}
	l := loops{
		forms: avx2Forms, tests32: avx2Tests32, tests64: avx2Tests64,
		choose32: chooseU32AVX2, choose64: chooseU64AVX2, addresses32: addresses32AVX2, addresses64: addresses64AVX2, within: withinAVX2,
		addBlock: addBlockAVX2,
	}
	if !race.Enabled { // the race detector watches loads and stores in Go alone
		l.moves32, l.moves64 = allMoves32, allMoves64
	}
	return l
}

var allMoves32 = map[movement]moves[lanes32]{
	{2, 1}: {loadHalves1, storeHalves1}, {4, 1}: {loadWords1, storeWords1}, {4, 2}: {loadWords2, storeWords2}, {4, 4}: {loadWords4, storeWords4},
}

var allMoves64 = map[movement]moves[lanes64]{
	{8, 1}: {loadLongs1, storeLongs1}, {8, 2}: {loadLongs2, storeLongs2},
}

var avx2Forms = map[string]form{
	"add": {2, addU32AVX2, addU64AVX2}, "sub": {2, subU32AVX2, subU64AVX2}, "mul.lo": {2, mulU32AVX2, mulU64AVX2}, "mad.lo": {3, madU32AVX2, nil},
	"and": {2, andU32AVX2, andU64AVX2}, "or": {2, orU32AVX2, orU64AVX2}, "xor": {2, xorU32AVX2, xorU64AVX2}, "shl": {2, shlU32AVX2, nil},
	"shr.b32": {2, shrU32AVX2, nil}, "shr.u32": {2, shrU32AVX2, nil}, "shr.s32": {2, shrS32AVX2, nil},
	"min.u32": {2, minU32AVX2, nil}, "max.u32": {2, maxU32AVX2, nil}, "min.s32": {2, minS32AVX2, nil}, "max.s32": {2, maxS32AVX2, nil},
	"add.rn": {2, addF32AVX2, addF64AVX2}, "sub.rn": {2, subF32AVX2, subF64AVX2}, "mul.rn": {2, mulF32AVX2, mulF64AVX2},
	"div.rn": {2, divF32AVX2, divF64AVX2}, "fma.rn": {3, fmaF32AVX2, fmaF64AVX2},
	"cvt.rn.f32.s32": {1, intToF32AVX2, nil},
}

// fastestMixed returns the vectors' exec of a mixed form, or nil. It is apart from the other loops, which the execs use.
func fastestMixed(name string) exec {
	if vec.Current() == vec.NoAsm {
		return nil
	}
	return avx2Mixed[name]
}

var avx2Mixed = map[string]exec{
	"mul.wide.u32": widening(mulWideU32AVX2), "mul.wide.s32": widening(mulWideS32AVX2),
	"mad.wide.u32": madWide(madWideU32AVX2), "mad.wide.s32": madWide(madWideS32AVX2),
	"cvt.u64.u32": widening(extendU32AVX2), "cvt.s64.s32": widening(extendS32AVX2),
	"cvt.u32.u64": narrowing(cutAVX2), "cvt.s32.s64": narrowing(cutAVX2),
	"shl.b64": shifting(shlU64AVX2), "shr.b64": shifting(shrU64AVX2), "shr.u64": shifting(shrU64AVX2),
}

var avx2Tests32 = map[string]tests[uint32]{
	"b32": {"eq": equalU32AVX2}, "u32": {"eq": equalU32AVX2, "lt": lessU32AVX2}, "s32": {"eq": equalU32AVX2, "lt": lessS32AVX2},
	"f32": {"eq": equalF32AVX2, "lt": lessF32AVX2, "le": lessEqualF32AVX2, "nan": unorderedF32AVX2},
}

var avx2Tests64 = map[string]tests[uint64]{
	"b64": {"eq": equalU64AVX2}, "u64": {"eq": equalU64AVX2, "lt": lessU64AVX2}, "s64": {"eq": equalU64AVX2, "lt": lessS64AVX2},
	"f64": {"eq": equalF64AVX2, "lt": lessF64AVX2, "le": lessEqualF64AVX2, "nan": unorderedF64AVX2},
}
