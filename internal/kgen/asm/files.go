package asm

import (
	"slices"

	"cresset/internal/kgen/recipe"
)

// Files returns the files of the package vec by their names: the loops of every instruction set, their declarations,
// their names, and the functions that run them by name.
func Files(loops []*recipe.Loop) (map[string][]byte, error) {
	narrow := withoutLongs(loops)
	onNEON := without(narrow, narrowsFloats)
	avx512, avx2, neon := AVX512(loops), AVX2(narrow), NEON(onNEON)
	files := map[string][]byte{
		"loops_avx512_amd64.s": avx512.Assembly(),
		"loops_avx2_amd64.s":   avx2.Assembly(),
		"loops_arm64.s":        neon.Assembly(),
		"stubs_arm64_gen.go":   Stubs("vec", "arm64", neon),
		"stubs_amd64_gen.go":   Stubs("vec", "amd64", avx512, avx2),
	}
	var err error
	add := func(name string, text []byte, e error) {
		files[name] = text
		if err == nil {
			err = e
		}
	}
	text, e := Names("vec", loops)
	add("loops_gen.go", text, e)
	text, e = Switch("vec", "amd64", "runAVX512", loops, "AVX512", 0)
	add("avx512_amd64_gen.go", text, e)
	text, e = Switch("vec", "amd64", "runAVX2", narrow, "AVX2", 32)
	add("avx2_amd64_gen.go", text, e)
	text, e = StreamSwitch("vec", "amd64", loops, narrow)
	add("stream_amd64_gen.go", text, e)
	text, e = Switch("vec", "arm64", "runNEON", onNEON, "NEON", 16)
	add("neon_arm64_gen.go", text, e)
	return files, err
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

// RowFiles returns the files of the package vec for loops over rows, by their names.
func RowFiles(loops []*recipe.Loop) (map[string][]byte, error) {
	onNEON := slices.DeleteFunc(slices.Clone(loops), (*recipe.Loop).Finds) // NEON has no cheap way from a mask to a place
	avx512, avx2, neon := AVX512(loops), AVX2(loops), NEON(onNEON)
	files := map[string][]byte{
		"rows_avx512_amd64.s":     avx512.Assembly(),
		"rows_avx2_amd64.s":       avx2.Assembly(),
		"rows_arm64.s":            neon.Assembly(),
		"stubs_rows_amd64_gen.go": Stubs("vec", "amd64", avx512, avx2),
		"stubs_rows_arm64_gen.go": Stubs("vec", "arm64", neon),
	}
	var err error
	if files["rows_gen.go"], err = RowNames("vec", loops); err != nil {
		return nil, err
	}
	if files["rows_amd64_gen.go"], err = RowSwitch("vec", "amd64", loops, "AVX512", "AVX2"); err != nil {
		return nil, err
	}
	if files["stream_rows_amd64_gen.go"], err = RowStreamSwitch("vec", "amd64", loops); err != nil {
		return nil, err
	}
	files["rows_arm64_gen.go"], err = RowSwitch("vec", "arm64", onNEON, "NEON")
	return files, err
}
