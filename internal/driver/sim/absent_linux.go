package sim

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// absent returns how many of the bytes have no memory of the host behind them yet.
func absent(data []byte) int64 {
	if len(data) == 0 {
		return 0
	}
	page := os.Getpagesize()
	start := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	first := start &^ uintptr(page-1)
	pages := (int(start-first) + len(data) + page - 1) / page
	resident := make([]byte, pages)
	// The address is only looked up, and data keeps it alive until the call returns.
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, first, uintptr(pages*page), uintptr(unsafe.Pointer(&resident[0])))
	if errno != 0 {
		return int64(len(data))
	}
	missing := 0
	for _, r := range resident {
		missing += int(^r & 1)
	}
	return min(int64(missing*page), int64(len(data)))
}
