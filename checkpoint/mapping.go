package checkpoint

import (
	"io"
	"math"
	"os"
	"runtime/debug"
)

// mapping is a part of a file as the system has it in its cache. Copying from there takes six tenths of the time of reading where the
// cache has large pages, as it has of files that were written or read in large parts: rows "read" of docs/benchmarks.md, Checkpoints.
type mapping struct {
	pages []byte // from the start of a page on; nil where nothing is mapped
	first int    // where the part begins
}

// mapFile maps n bytes of a file, if the system can: what cannot be mapped is read.
func mapFile(r io.ReaderAt, offset, n int64) mapping {
	s, ok := r.(*source)
	if !ok || n > math.MaxInt/2 {
		return mapping{}
	}
	f, ok := s.file.(*os.File)
	if !ok {
		return mapping{}
	}
	first := offset % int64(os.Getpagesize())
	return mapping{mapPages(f, offset-first, int(first+n)), int(first)}
}

// copy fills p with the bytes from index at on and reports whether all are there. A file that was cut off since it was opened has no pages
// behind its end, nor has a disk that fails: touching those is a fault of this goroutine alone, and reading tells why.
func (m mapping) copy(p []byte, at int) (ok bool) {
	if m.pages == nil {
		return false
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { ok = recover() == nil }()
	copy(p, m.pages[m.first+at:][:len(p)])
	return true
}

// drop takes n bytes out of the process, which stay in the system's cache: else they counted as memory of the process.
func (m mapping) drop(at, n int) {
	if m.pages != nil {
		dropPages(m.pages, m.first+at, n)
	}
}

func (m mapping) close() {
	if m.pages != nil {
		unmapPages(m.pages)
	}
}
