package sim

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// mapped returns zeroed memory whose pages the host backs when they are first written. Windows counts them against its page
// file at once.
func mapped(bytes int) (data []byte, release func(), err error) {
	address, err := windows.VirtualAlloc(0, uintptr(bytes), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, nil, err
	}
	// The address is the system's memory, which Go's collector neither moves nor frees; it goes through memory because it
	// was never a pointer of Go.
	data = unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&address))), bytes)
	return data, func() { windows.VirtualFree(address, 0, windows.MEM_RELEASE) }, nil
}
