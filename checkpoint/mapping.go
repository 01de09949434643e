package checkpoint

import (
	"io"
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
func mapFile(r io.ReaderAt, offset int64, n int) mapping {
	s, ok := r.(*source)
	if !ok {
		return mapping{}
	}
	f, ok := s.file.(*os.File)
	if !ok {
		return mapping{}
	}
	first := int(offset % int64(os.Getpagesize()))
	return mapping{mapPages(f, offset-int64(first), first+n), first}
}

// copy fills p with the bytes from index at on and reports whether all are there. A file that was cut off since it was opened has no pages
// behind its end, nor has a disk that fails: touching those is a fault of this goroutine alone, and reading tells why.
func (m mapping) copy(p []byte, at int) (ok bool) {
	if m.pages == nil {
		return false
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { ok = recover() == nil }()
	from := m.pages[m.first+at:][:len(p)]
	copy(p, from)
	dropPages(m.pages, m.first+at, len(p))
	return true
}

func (m mapping) close() {
	if m.pages != nil {
		unmapPages(m.pages)
	}
}
