//go:build noasm || !(amd64 || arm64)

package vec

import (
	"unsafe"

	"cresset/dtype"
)

func runSlide[T dtype.Float](unsafe.Pointer) { panic(noTiles) }

func runCorrelate[T dtype.Float](unsafe.Pointer) { panic(noTiles) }

func runZip[T dtype.Float](unsafe.Pointer) { panic(noTiles) }
