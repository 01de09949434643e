//go:build !linux

package mem

import "unsafe"

// wantHuge does nothing: other systems choose large pages themselves or not at all.
func wantHuge(unsafe.Pointer, int) {}
