//go:build !noasm

package vec

import "unsafe"

// detect returns NEON, which every arm64 has.
func detect() []Level { return []Level{NEON} }

// HasPairs reports whether PairTile runs.
func HasPairs() bool { return false }

func run(l Loop, n int, scalars unsafe.Pointer, p *[operands]unsafe.Pointer) int {
	if current == NEON {
		return runNEON(l, n, scalars, p)
	}
	missed(l, false)
	return 0
}

// slowNonTemporal does not matter: there is no loop with non-temporal stores.
func slowNonTemporal() bool { return false }

// stream finds no loop: there are none with non-temporal stores.
func stream(_ Loop, _ int, _ unsafe.Pointer, _ [operands]unsafe.Pointer) bool { return false }

// streamRows finds no loop either.
func streamRows(_ RowLoop, _, _ int, _, _ unsafe.Pointer, _ [operands]unsafe.Pointer) bool {
	return false
}

func runRows(l RowLoop, rows, n int, scalars, results, next unsafe.Pointer, p [operands]unsafe.Pointer) bool {
	if current == NEON {
		return runRowsNEON(l, rows, n, scalars, results, next, p)
	}
	missed(Loop(l), true)
	return false
}
