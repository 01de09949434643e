//go:build noasm || !(amd64 || arm64)

package vec

import "unsafe"

func detect() []Level { return nil }

// HasPairs reports whether PairTile runs.
func HasPairs() bool { return false }

func run(l Loop, _ int, _ unsafe.Pointer, _ *[operands]unsafe.Pointer) int {
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

func runRows(l RowLoop, _, _ int, _, _, _ unsafe.Pointer, _ [operands]unsafe.Pointer) bool {
	missed(Loop(l), true)
	return false
}
