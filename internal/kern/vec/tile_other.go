//go:build noasm || !(amd64 || arm64)

package vec

import (
	"unsafe"

	"cresset/dtype"
)

func runTile[T dtype.Float](_, _ int, _ unsafe.Pointer) { panic(noTiles) }

func runDot[T dtype.Float](_, _ int, _ unsafe.Pointer) { panic(noTiles) }

func runTaps[T dtype.Float](_, _ int, _ unsafe.Pointer) { panic(noTiles) }

func runGather[T dtype.Float](unsafe.Pointer) { panic(noTiles) }

func runTranspose[T dtype.Float](unsafe.Pointer) { panic(noTiles) }

func runAddRows[T dtype.Float](unsafe.Pointer) { panic(noTiles) }

func runPeak(unsafe.Pointer) { panic(noTiles) }
