package checkpoint

import (
	"errors"
	"fmt"
	"io"
)

// source is a file that is being read.
type source struct {
	path   string
	file   readerAtCloser
	size   int64
	limits Limits
}

type readerAtCloser interface {
	io.ReaderAt
	io.Closer
}

// ReadAt reads bytes of the file; one that ends before is a FormatError.
func (s *source) ReadAt(p []byte, offset int64) (int, error) {
	n, err := s.file.ReadAt(p, offset)
	if n == len(p) {
		return n, nil
	}
	if errors.Is(err, io.EOF) {
		return n, &FormatError{File: s.path, Place: fmt.Sprintf("byte %d", offset+int64(n)),
			Expected: fmt.Sprintf("%d bytes more", len(p)-n), Found: "the end of the file", Err: io.ErrUnexpectedEOF}
	}
	return n, err
}

// fault returns a FormatError about the file.
func (s *source) fault(place, expected, found string, args ...any) error {
	return &FormatError{File: s.path, Place: place, Expected: expected, Found: fmt.Sprintf(found, args...)}
}
