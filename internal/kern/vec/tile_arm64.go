//go:build !noasm

package vec

import (
	"unsafe"

	"cresset/dtype"
)

func runTile[T dtype.Float](rows, vectors int, t unsafe.Pointer) {
	if isDouble[T]() {
		tileF64NEON(rows, vectors, t)
		return
	}
	tileF32NEON(rows, vectors, t)
}

func runDot[T dtype.Float](rows, cols int, t unsafe.Pointer) {
	if isDouble[T]() {
		dotF64NEON(rows, cols, t)
		return
	}
	dotF32NEON(rows, cols, t)
}

func runTaps[T dtype.Float](rows, vectors int, t unsafe.Pointer) {
	if isDouble[T]() {
		tapF64NEON(rows, vectors, t)
		return
	}
	tapF32NEON(rows, vectors, t)
}

func runGather[T dtype.Float](t unsafe.Pointer) {
	if isDouble[T]() {
		gatherF64NEON(t)
		return
	}
	gatherF32NEON(t)
}

func runTranspose[T dtype.Float](t unsafe.Pointer) {
	if isDouble[T]() {
		transposeF64NEON(t)
		return
	}
	transposeF32NEON(t)
}

func runAddRows[T dtype.Float](t unsafe.Pointer) {
	if isDouble[T]() {
		addRowsF64NEON(t)
		return
	}
	addRowsF32NEON(t)
}

func runPeak(t unsafe.Pointer) { peakF32NEON(t) }
