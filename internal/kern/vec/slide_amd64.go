//go:build !noasm

package vec

import (
	"unsafe"

	"cresset/dtype"
)

func runSlide[T dtype.Float](s unsafe.Pointer) {
	switch {
	case current == AVX512 && isDouble[T]():
		slideF64AVX512(s)
	case current == AVX512:
		slideF32AVX512(s)
	case isDouble[T]():
		slideF64AVX2(s)
	default:
		slideF32AVX2(s)
	}
}

func runCorrelate[T dtype.Float](s unsafe.Pointer) {
	switch {
	case current == AVX512 && isDouble[T]():
		correlateF64AVX512(s)
	case current == AVX512:
		correlateF32AVX512(s)
	case isDouble[T]():
		correlateF64AVX2(s)
	default:
		correlateF32AVX2(s)
	}
}

func runZip[T dtype.Float](s unsafe.Pointer) {
	switch {
	case current == AVX512 && isDouble[T]():
		zipF64AVX512(s)
	case current == AVX512:
		zipF32AVX512(s)
	case isDouble[T]():
		zipF64AVX2(s)
	default:
		zipF32AVX2(s)
	}
}
