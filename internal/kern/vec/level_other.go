//go:build noasm || !(amd64 || arm64)

package vec

import "unsafe"

func detect() []Level { return nil }

func run(l Loop, _ int, _ unsafe.Pointer, _ *[operands]unsafe.Pointer) int {
	missed(l, false)
	return 0
}

// slowAround does not matter: there is no loop that writes around the caches.
func slowAround() bool { return false }

// stream finds no loop: there are none for results that no cache holds.
func stream(_ Loop, _ int, _ unsafe.Pointer, _ [operands]unsafe.Pointer) bool { return false }

// streamRows finds no loop either.
func streamRows(_ RowLoop, _, _ int, _, _ unsafe.Pointer, _ [operands]unsafe.Pointer) bool {
	return false
}

func runRows(l RowLoop, _, _ int, _, _, _ unsafe.Pointer, _ [operands]unsafe.Pointer) bool {
	missed(Loop(l), true)
	return false
}
