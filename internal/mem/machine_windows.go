package mem

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

var globalMemoryStatusEx = windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

// memoryStatus is MEMORYSTATUSEX of sysinfoapi.h.
type memoryStatus struct {
	length, load                uint32
	totalPhysical, freePhysical uint64
	totalPageFile, freePageFile uint64
	totalVirtual, freeVirtual   uint64
	freeExtendedVirtual         uint64
}

// totalMemory returns the machine's memory in bytes.
func totalMemory() int64 {
	if s, ok := readStatus(); ok {
		return int64(s.totalPhysical)
	}
	return assumedMemory
}

// availableMemory returns how many bytes more this process can have now: Windows promises memory only as far as the page
// file covers it.
func availableMemory() int64 {
	if s, ok := readStatus(); ok {
		return int64(s.freePageFile)
	}
	return assumedMemory
}

func readStatus() (s memoryStatus, ok bool) {
	s.length = uint32(unsafe.Sizeof(s))
	// s is the structure that the call fills in, and lives until it returns.
	r, _, _ := globalMemoryStatusEx.Call(uintptr(unsafe.Pointer(&s)))
	return s, r != 0
}
