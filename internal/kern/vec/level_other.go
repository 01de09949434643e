//go:build noasm || !(amd64 || arm64)

package vec

import "unsafe"

func detect() []Level { return nil }

func run(Loop, int, unsafe.Pointer, [operands]unsafe.Pointer) int { return 0 }

func runRows(RowLoop, int, int, unsafe.Pointer, unsafe.Pointer, [operands]unsafe.Pointer) bool {
	return false
}
