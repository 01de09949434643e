package asm

import (
	"bytes"
	"slices"

	"cresset/internal/kgen/recipe"
)

// Files returns the files of the package vec by their names: the loops of every instruction set, their declarations,
// their names, and the functions that run them by name.
func Files(loops []*recipe.Loop) map[string][]byte {
	narrow := withoutLongs(loops)
	onNEON := without(narrow, narrowsFloats)
	avx512, avx2, neon := AVX512(loops), AVX2(narrow), NEON(onNEON)
	return map[string][]byte{
		"loops_avx512_amd64.s": avx512.Assembly(),
		"loops_avx2_amd64.s":   avx2.Assembly(),
		"loops_arm64.s":        neon.Assembly(),
		"stubs_arm64_gen.go":   Stubs("vec", "arm64", neon),
		"stubs_amd64_gen.go":   Stubs("vec", "amd64", avx512, avx2),
		"loops_gen.go":         names(loops, "Loop", "The loops, for float32 unless they say more; those of float64, int32, int64 and uint8 follow by one to four."),
		"avx512_amd64_gen.go":  runners("amd64", runs{runLoops("AVX512", 1), loops}),
		"avx2_amd64_gen.go":    runners("amd64", runs{runLoops("AVX2", 32), narrow}),
		"stream_amd64_gen.go":  runners("amd64", runs{streamLoops(wide), loops}, runs{streamLoops(half), narrow}),
		"neon_arm64_gen.go":    runners("arm64", runs{runLoops("NEON", neonBytes), onNEON}),
	}
}

// RowFiles returns the files of the package vec for loops over rows, by their names.
func RowFiles(loops []*recipe.Loop) map[string][]byte {
	onNEON := slices.DeleteFunc(slices.Clone(loops), (*recipe.Loop).Finds) // NEON has no cheap way from a mask to a place
	avx512, avx2, neon := AVX512(loops), AVX2(loops), NEON(onNEON)
	return map[string][]byte{
		"rows_avx512_amd64.s":      avx512.Assembly(),
		"rows_avx2_amd64.s":        avx2.Assembly(),
		"rows_arm64.s":             neon.Assembly(),
		"stubs_rows_amd64_gen.go":  Stubs("vec", "amd64", avx512, avx2),
		"stubs_rows_arm64_gen.go":  Stubs("vec", "arm64", neon),
		"rows_gen.go":              names(loops, "RowLoop", "The loops over rows, for float32 unless they say more; those of other types follow as loops' do."),
		"rows_amd64_gen.go":        runners("amd64", runs{runRows("AVX512"), loops}, runs{runRows("AVX2"), loops}),
		"stream_rows_amd64_gen.go": runners("amd64", runs{streamRows(wide), loops}, runs{streamRows(half), loops}),
		"rows_arm64_gen.go":        runners("arm64", runs{runRows("NEON"), onNEON}),
	}
}

// wide and half are AVX-512 and AVX2 where they are only asked which loops they have.
var wide, half = &x86{wide: true}, &x86{}

// runs is a runner and its loops.
type runs struct {
	runner
	loops []*recipe.Loop
}

// runners returns the Go file with runners of one architecture.
func runners(arch string, all ...runs) []byte {
	var out bytes.Buffer
	goHead(&out, "vec", arch)
	out.WriteString("\nimport \"unsafe\"\n")
	for _, r := range all {
		r.write(&out, r.loops)
	}
	return out.Bytes()
}

// withoutLongs returns the loops but those for which AVX-512 alone has instructions: products of int64, and conversions between
// int64 and floats.
func withoutLongs(loops []*recipe.Loop) []*recipe.Loop {
	return without(loops, func(l *recipe.Loop, e recipe.Elem) bool {
		return e == recipe.I64 && (slices.ContainsFunc(l.Steps, func(s recipe.Step) bool { return s.Op == recipe.IMul }) ||
			slices.ContainsFunc(l.Operands(), func(o recipe.Operand) bool { return o.Elem == recipe.F32 || o.Elem == recipe.F64 }))
	})
}

// without returns the loops but those that a machine lacks for a type.
func without(loops []*recipe.Loop, lacks func(l *recipe.Loop, e recipe.Elem) bool) []*recipe.Loop {
	var kept []*recipe.Loop
	for _, l := range loops {
		less := *l
		less.Elems = slices.DeleteFunc(slices.Clone(l.Elems), func(e recipe.Elem) bool { return lacks(l, e) })
		kept = append(kept, &less)
	}
	return kept
}

// narrowsFloats tells of float64 to int32, for which NEON would need a check of its range.
func narrowsFloats(l *recipe.Loop, e recipe.Elem) bool {
	return e == recipe.F64 && len(l.Dst) == 1 && l.Dst[0].Elem == recipe.I32 && len(l.Src) == 1 && l.Src[0].Elem == recipe.Own
}
