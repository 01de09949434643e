//go:build noasm || !(amd64 || arm64)

package vec

import (
	"unsafe"

	"cresset/dtype"
)

func runWindows[T dtype.Float](windowFold, int, unsafe.Pointer) { panic(noTiles) }

func runHalving[T dtype.Float](bool, unsafe.Pointer) { panic(noTiles) }

func runLines[T dtype.Float](int, unsafe.Pointer) { panic(noTiles) }
