//go:build !noasm

package vec

import (
	"unsafe"

	"cresset/dtype"
)

func runSlide[T dtype.Float](s unsafe.Pointer) {
	if isDouble[T]() {
		slideF64NEON(s)
		return
	}
	slideF32NEON(s)
}

func runCorrelate[T dtype.Float](s unsafe.Pointer) {
	if isDouble[T]() {
		correlateF64NEON(s)
		return
	}
	correlateF32NEON(s)
}

func runZip[T dtype.Float](s unsafe.Pointer) {
	if isDouble[T]() {
		zipF64NEON(s)
		return
	}
	zipF32NEON(s)
}
