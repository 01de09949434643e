package sim

import "unsafe"

// addressOf returns where mapped memory lies, which does not move.
func addressOf(data []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(data)))) }

// contains reports whether part lies inside of whole. The addresses are only compared, which is sound as integers: neither
// slice is on a stack, for both came through the table's fields or the host's allocator.
func contains(whole, part []byte) bool {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(whole)))
	at := uintptr(unsafe.Pointer(unsafe.SliceData(part)))
	return at >= start && at+uintptr(len(part)) <= start+uintptr(len(whole))
}
