package checkpoint

import (
	"os"
	"syscall"
)

// mapPages maps n bytes of a file from the start of a page on; nil where the system refuses.
func mapPages(f *os.File, offset int64, n int) (pages []byte) {
	raw, err := f.SyscallConn()
	if err != nil {
		return nil
	}
	if raw.Control(func(fd uintptr) { pages, err = syscall.Mmap(int(fd), offset, n, syscall.PROT_READ, syscall.MAP_SHARED) }) != nil || err != nil {
		return nil
	}
	return pages
}

func dropPages(pages []byte, at, n int) {
	at -= at % os.Getpagesize()
	_ = syscall.Madvise(pages[at:min(at+n, len(pages))], syscall.MADV_DONTNEED)
}

func unmapPages(pages []byte) { _ = syscall.Munmap(pages) }
