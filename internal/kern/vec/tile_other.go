//go:build noasm || !amd64

package vec

import (
	"unsafe"

	"cresset/dtype"
)

const noTiles = "vec: there are no tiles"

func runTile[T dtype.Float](_, _ int, _ unsafe.Pointer) { panic(noTiles) }

func runDot[T dtype.Float](_, _ int, _ unsafe.Pointer) { panic(noTiles) }

func runTaps[T dtype.Float](int, unsafe.Pointer) { panic(noTiles) }

func runGather[T dtype.Float](unsafe.Pointer) { panic(noTiles) }

func runTranspose[T dtype.Float](unsafe.Pointer) { panic(noTiles) }

// HasPairs reports whether PairTile runs.
func HasPairs() bool { return false }

func runPairs(int, unsafe.Pointer) { panic(noTiles) }

func runPairRows(unsafe.Pointer) { panic(noTiles) }

func runPeak(unsafe.Pointer) { panic(noTiles) }
