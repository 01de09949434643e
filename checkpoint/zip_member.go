package checkpoint

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
)

// open returns the decompressed bytes of a member.
func (m *member) open(s *source) io.ReadCloser {
	raw := io.NewSectionReader(s, m.at, m.packed)
	if m.method == stored {
		return io.NopCloser(raw)
	}
	return &inflated{flate.NewReader(raw), s, m}
}

// inflated says of which member what deflate cannot read is.
type inflated struct {
	io.ReadCloser
	source *source
	member *member
}

func (r *inflated) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = &FormatError{File: r.source.path, Place: fmt.Sprintf("member %q", r.member.name), Expected: "deflated bytes", Found: "others", Err: err}
	}
	return n, err
}

// store returns the bytes of a member as a storage, but for those of a header before it.
func (m *member) store(s *source, header []byte) store {
	n := int64(len(header))
	out := store{bytes: m.size - n}
	if !m.noSum {
		out.sum = &checksum{updateSum(0, header), m, s}
	}
	if m.method == stored {
		out.at, out.first = s, m.at+n
		return out
	}
	out.open = func() (io.ReadCloser, error) {
		in := m.open(s)
		_, err := io.CopyN(io.Discard, in, n)
		return in, err
	}
	return out
}

// bytes returns all of a small member, of at most the given size.
func (m *member) bytes(s *source, most int64) ([]byte, error) {
	if m.size > most {
		return nil, s.fault(fmt.Sprintf("member %q", m.name), fmt.Sprintf("at most %d bytes", most), "%d", m.size)
	}
	whole := m.store(s, nil)
	in, err := whole.from(0)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var out bytes.Buffer // grows as bytes come, since a compressed size is only a claim
	for at := int64(0); at < m.size; {
		piece := make([]byte, min(m.size-at, stagingBytes))
		if err := in.next(piece); err != nil {
			return nil, err
		}
		out.Write(piece)
		at += int64(len(piece))
	}
	return out.Bytes(), nil
}
