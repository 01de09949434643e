package asm

import "cresset/internal/kgen/recipe"

// Files returns the files of the package vec by their names: the loops of every instruction set, their declarations,
// their names, and the functions that run them by name.
func Files(loops []*recipe.Loop) (map[string][]byte, error) {
	avx512, avx2, neon := AVX512(loops), AVX2(loops), NEON(loops)
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
	text, e = Switch("vec", "amd64", "runAVX2", loops, "AVX2", 32)
	add("avx2_amd64_gen.go", text, e)
	text, e = Switch("vec", "arm64", "runNEON", loops, "NEON", 16)
	add("neon_arm64_gen.go", text, e)
	return files, err
}

// RowFiles returns the files of the package vec for loops over rows, by their names.
func RowFiles(loops []*recipe.Loop) (map[string][]byte, error) {
	avx512, avx2 := AVX512(loops), AVX2(loops)
	table, err := RowSwitch("vec", "amd64", loops, "AVX512", "AVX2")
	if err != nil {
		return nil, err
	}
	names, err := RowNames("vec", loops)
	return map[string][]byte{
		"rows_avx512_amd64.s":     avx512.Assembly(),
		"rows_avx2_amd64.s":       avx2.Assembly(),
		"rows_gen.go":             names,
		"rows_amd64_gen.go":       table,
		"stubs_rows_amd64_gen.go": Stubs("vec", "amd64", avx512, avx2),
	}, err
}
