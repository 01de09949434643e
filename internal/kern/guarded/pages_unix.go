//go:build unix

package guarded

import (
	"testing"

	"golang.org/x/sys/unix"
)

// pages returns whole pages for so many bytes between two that may be neither read nor written.
func pages(t testing.TB, bytes int) []byte {
	t.Helper()
	page := unix.Getpagesize()
	inner := (bytes + page - 1) / page * page
	b, err := unix.Mmap(-1, 0, inner+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(b) }) // the process ends soon
	for _, guard := range [][]byte{b[:page], b[page+inner:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return b[page : page+inner]
}
