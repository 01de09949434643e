//go:build !noasm

package vec

import (
	"unsafe"

	"cresset/dtype"

	"golang.org/x/sys/cpu"
)

func runTile[T dtype.Float](rows, vectors int, t unsafe.Pointer) {
	switch {
	case current == AVX512 && isDouble[T]():
		tileF64AVX512(rows, vectors, t)
	case current == AVX512:
		tileF32AVX512(rows, vectors, t)
	case isDouble[T]():
		tileF64AVX2(rows, vectors, t)
	default:
		tileF32AVX2(rows, vectors, t)
	}
}

func runDot[T dtype.Float](rows, cols int, t unsafe.Pointer) {
	switch {
	case current == AVX512 && isDouble[T]():
		dotF64AVX512(rows, cols, t)
	case current == AVX512:
		dotF32AVX512(rows, cols, t)
	case isDouble[T]():
		dotF64AVX2(rows, cols, t)
	default:
		dotF32AVX2(rows, cols, t)
	}
}

func runTaps[T dtype.Float](rows, vectors int, t unsafe.Pointer) {
	switch {
	case current == AVX512 && isDouble[T]():
		tapF64AVX512(rows, vectors, t)
	case current == AVX512:
		tapF32AVX512(rows, vectors, t)
	case isDouble[T]():
		tapF64AVX2(rows, vectors, t)
	default:
		tapF32AVX2(rows, vectors, t)
	}
}

func runGather[T dtype.Float](t unsafe.Pointer) {
	switch {
	case current == AVX512 && isDouble[T]():
		gatherF64AVX512(t)
	case current == AVX512:
		gatherF32AVX512(t)
	case isDouble[T]():
		gatherF64AVX2(t)
	default:
		gatherF32AVX2(t)
	}
}

func runTranspose[T dtype.Float](t unsafe.Pointer) {
	switch {
	case current == AVX512 && isDouble[T]():
		transposeF64AVX512(t)
	case current == AVX512:
		transposeF32AVX512(t)
	case isDouble[T]():
		transposeF64AVX2(t)
	default:
		transposeF32AVX2(t)
	}
}

func runAddRows[T dtype.Float](t unsafe.Pointer) {
	switch {
	case current == AVX512 && isDouble[T]():
		addRowsF64AVX512(t)
	case current == AVX512:
		addRowsF32AVX512(t)
	case isDouble[T]():
		addRowsF64AVX2(t)
	default:
		addRowsF32AVX2(t)
	}
}

// HasPairs reports whether PairTile runs.
func HasPairs() bool { return current == AVX512 && cpu.X86.HasAVX512BF16 }

func runPairs(rows int, t unsafe.Pointer) { tileBF16AVX512(rows, t) }

func runPairRows(t unsafe.Pointer) { gatherBF16AVX512(t) }

func runPeak(t unsafe.Pointer) {
	if current == AVX512 {
		peakF32AVX512(t)
		return
	}
	peakF32AVX2(t)
}
