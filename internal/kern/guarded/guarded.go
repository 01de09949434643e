// Package guarded gives tests memory whose neighbours must not be touched: a touch ends the test.
package guarded

import (
	"testing"
	"unsafe"

	"cresset/dtype"
)

// Slice returns n elements that end where a guarded page begins, or begin where one ends, until the test ends. Where the
// system has no such pages it is any memory.
func Slice[T dtype.Element](t testing.TB, n int, atEnd bool) []T {
	t.Helper()
	var zero T
	bytes := n * int(unsafe.Sizeof(zero))
	b := pages(t, max(bytes, 1))
	first := 0
	if atEnd {
		first = len(b) - bytes
	}
	// The pages hold n elements from first on, and first is a multiple of an element's size.
	return unsafe.Slice((*T)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), first)), n)
}

// Copy returns a guarded slice with the elements of x.
func Copy[T dtype.Element](t testing.TB, x []T, atEnd bool) []T {
	t.Helper()
	s := Slice[T](t, len(x), atEnd)
	copy(s, x)
	return s
}
