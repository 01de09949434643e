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
