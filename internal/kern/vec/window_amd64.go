//go:build !noasm

package vec

import (
	"unsafe"

	"cresset/dtype"
)

func runWindows[T dtype.Float](f windowFold, stride int, w unsafe.Pointer) {
	switch {
	case current == AVX512 && isDouble[T]():
		windowF64AVX512(f, stride, w)
	case current == AVX512:
		windowF32AVX512(f, stride, w)
	case isDouble[T]():
		windowF64AVX2(f, stride, w)
	default:
		windowF32AVX2(f, stride, w)
	}
}

func runHalving[T dtype.Float](before bool, h unsafe.Pointer) {
	form := 0
	if before {
		form = 1
	}
	switch {
	case current == AVX512 && isDouble[T]():
		halvingF64AVX512(form, h)
	case current == AVX512:
		halvingF32AVX512(form, h)
	case isDouble[T]():
		halvingF64AVX2(form, h)
	default:
		halvingF32AVX2(form, h)
	}
}

func runLines[T dtype.Float](stride int, l unsafe.Pointer) {
	switch {
	case current == AVX512 && isDouble[T]():
		linesF64AVX512(stride, l)
	case current == AVX512:
		linesF32AVX512(stride, l)
	case isDouble[T]():
		linesF64AVX2(stride, l)
	default:
		linesF32AVX2(stride, l)
	}
}
