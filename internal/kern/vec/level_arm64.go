//go:build !noasm

package vec

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// detect returns NEON, which every arm64 has.
func detect() []Level {
	if cpu.ARM64.HasASIMDDP {
		return []Level{NEONDot, NEON}
	}
	return []Level{NEON}
}

func run(l Loop, n int, scalars unsafe.Pointer, p *[operands]unsafe.Pointer) int {
	if current == NEON {
		return runNEON(l, n, scalars, p)
	}
	missed(l, false)
	return 0
}

func runRows(l RowLoop, rows, n, step int, scalars, results, next unsafe.Pointer, p [operands]unsafe.Pointer) bool {
	if current == NEON {
		return runRowsNEON(l, rows, n, step, scalars, results, next, p)
	}
	missed(Loop(l), true)
	return false
}
