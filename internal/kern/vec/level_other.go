//go:build noasm || !(amd64 || arm64)

package vec

import "unsafe"

func detect() []Level { return nil }

func run(l Loop, _ int, _ unsafe.Pointer, _ *[operands]unsafe.Pointer) int {
	missed(l, false)
	return 0
}

func runRows(l RowLoop, _, _, _ int, _, _, _ unsafe.Pointer, _ [operands]unsafe.Pointer) bool {
	missed(Loop(l), true)
	return false
}
