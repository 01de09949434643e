//go:build noasm || !(amd64 || arm64)

package vec

import "unsafe"

func detect() []Level { return nil }

func run(Loop, int, unsafe.Pointer, [operands]unsafe.Pointer) int { return 0 }
