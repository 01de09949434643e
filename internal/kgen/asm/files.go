package asm

import (
	"slices"

	"cresset/internal/kgen/recipe"
)

// Files returns the files of the package vec by their names: the loops of every instruction set, their declarations,
// their names, and the functions that run them by name.
func Files(loops []*recipe.Loop) (map[string][]byte, error) {
	elementwise := slices.DeleteFunc(slices.Clone(loops), func(l *recipe.Loop) bool { return len(l.Folds) > 0 })
	avx512, avx2, neon := AVX512(loops), AVX2(loops), NEON(elementwise)
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
	text, e = Switch("vec", "arm64", "runNEON", elementwise, "NEON", 16)
	add("neon_arm64_gen.go", text, e)
	return files, err
}
