//go:build noasm || !amd64

package vec

import (
	"unsafe"

	"cresset/dtype"
)

func runWindows[T dtype.Float](windowFold, int, unsafe.Pointer) { panic(noTiles) }
