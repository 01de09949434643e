package data

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// openFile opens path, or else the same file with .gz added to its name or taken from it.
func openFile(path string) (*os.File, error) {
	f, err := os.Open(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	other, gz := strings.CutSuffix(path, ".gz")
	if !gz {
		other = path + ".gz"
	}
	if f, otherErr := os.Open(other); otherErr == nil {
		return f, nil
	}
	return nil, err
}

// source reads one file, decompressed if need be, and knows how far it has come.
type source struct {
	name   string
	r      io.Reader
	offset int64
}

// newSource returns the decompressed contents of r: gzip is known by its first two bytes, never by a name.
func newSource(r io.Reader, name string) (*source, error) {
	s := &source{name: name}
	buffered := bufio.NewReader(r)
	s.r = buffered
	if head, _ := buffered.Peek(2); !bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return s, nil
	}
	unzipped, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, s.fail("broken gzip header", err)
	}
	s.r = unzipped
	return s, nil
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.offset += int64(n)
	return n, err
}

// firstChunk bounds what a header alone can make us allocate.
const firstChunk = 1 << 20

// next returns the next n bytes. Its buffer grows with what arrives, because n is only what a header claims.
func (s *source) next(n int) ([]byte, error) {
	start := s.offset
	buf := make([]byte, min(n, firstChunk))
	for filled := 0; ; {
		got, err := io.ReadFull(s, buf[filled:])
		filled += got
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return nil, s.fail(fmt.Sprintf("the file ends %d bytes short of the %d expected from offset %d", n-filled, n, start), nil)
		case err != nil:
			return nil, s.fail("cannot read on", err)
		case filled == n:
			return buf, nil
		}
		grown := make([]byte, min(n, 2*filled))
		copy(grown, buf)
		buf = grown
	}
}

// end fails unless everything has been read; for gzip this is also what checks the sum.
func (s *source) end() error {
	at := s.offset
	var extra [1]byte
	switch _, err := io.ReadFull(s, extra[:]); {
	case err == io.EOF:
		return nil
	case err != nil:
		return s.fail("cannot read on", err)
	}
	return &FormatError{File: s.name, Offset: at, Reason: "the data should end here, but more bytes follow"}
}

// fail returns a FormatError for bad bytes, and what the disk or the network said as it is.
func (s *source) fail(reason string, err error) error {
	var corrupt flate.CorruptInputError
	bad := err == nil || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.As(err, &corrupt)
	if bad {
		return &FormatError{File: s.name, Offset: s.offset, Reason: reason, Err: err}
	}
	return err
}

// skipBOM drops the byte order mark that some programs write before UTF-8 text.
func skipBOM(r io.Reader) io.Reader {
	buffered := bufio.NewReader(r)
	if head, _ := buffered.Peek(3); bytes.Equal(head, []byte{0xef, 0xbb, 0xbf}) {
		buffered.Discard(3)
	}
	return buffered
}
