//go:build !noasm

package vec

import "unsafe"

// detect returns NEON, which every arm64 has.
func detect() []Level { return []Level{NEON} }

func run(l Loop, n int, scalars unsafe.Pointer, p [operands]unsafe.Pointer) int {
	if current == NEON {
		return runNEON(l, n, scalars, p)
	}
	return 0
}

func runRows(RowLoop, int, int, unsafe.Pointer, unsafe.Pointer, [operands]unsafe.Pointer) bool {
	return false
}
