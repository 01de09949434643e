//go:build !noasm

package vec

import (
	"unsafe"

	"cresset/dtype"
)

func runWindows[T dtype.Float](f windowFold, stride int, w unsafe.Pointer) {
	if isDouble[T]() {
		windowF64NEON(f, stride, w)
		return
	}
	windowF32NEON(f, stride, w)
}

func runHalving[T dtype.Float](before bool, h unsafe.Pointer) {
	form := 0
	if before {
		form = 1
	}
	if isDouble[T]() {
		halvingF64NEON(form, h)
		return
	}
	halvingF32NEON(form, h)
}

func runLines[T dtype.Float](stride int, l unsafe.Pointer) {
	if isDouble[T]() {
		linesF64NEON(stride, l)
		return
	}
	linesF32NEON(stride, l)
}
