package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"cresset/internal/par"
)

// store is memory that one tensor lies in, or several as views of it.
type store struct {
	bytes int64
	big   bool // elements are big-endian
	// at has the bytes from byte first on; any goroutine may read any part of them. It is nil where they are compressed.
	at    io.ReaderAt
	first int64
	// open returns the bytes in order, where at is nil.
	open func() (io.ReadCloser, error)
	tell func(bytes int) error // of each part that was read, whose error ends it; may be nil
	sum  *checksum             // nil where the format has none; compressed bytes have one
}

// checksum is the CRC-32 of a storage and of what stands before it.
type checksum struct {
	before uint32
	member *member // which tells that of all
	source *source
}

// fault returns a FormatError about what was found in place of the member's bytes.
func (c *checksum) fault(found string) error {
	return c.source.fault(fmt.Sprintf("member %q", c.member.name), fmt.Sprintf("bytes with the CRC-32 %08x", c.member.sum), "%s", found)
}

// input yields the bytes of a storage in order.
type input struct {
	store  *store
	at     int64         // in the storage
	stream io.ReadCloser // where the storage is compressed
	whole  bool          // it was read from the start
	sum    uint32
}

// from returns the storage's bytes from an offset on.
func (s *store) from(offset int64) (*input, error) {
	in := &input{store: s, at: offset, whole: offset == 0 && s.sum != nil}
	if in.whole {
		in.sum = s.sum.before
	}
	if s.at != nil {
		return in, nil
	}
	var err error
	if in.stream, err = s.open(); err != nil {
		return nil, err
	}
	if _, err = io.CopyN(io.Discard, in.stream, offset); err != nil {
		return nil, errors.Join(err, in.stream.Close())
	}
	return in, nil
}

// told tells of so many bytes more.
func (s *store) told(bytes int) error {
	if s.tell == nil {
		return nil
	}
	return s.tell(bytes)
}

// next fills memory, in parts where somebody is told of them.
func (in *input) next(memory []byte) error {
	most := max(len(memory), 1)
	if in.store.tell != nil {
		most = min(most, stagingBytes)
	}
	for part := range slices.Chunk(memory, most) {
		if err := in.part(part); err != nil {
			return err
		}
		if err := in.store.told(len(part)); err != nil {
			return err
		}
	}
	return nil
}

// part fills memory. Having read all that the checksum is about, it compares that.
func (in *input) part(memory []byte) (err error) {
	if in.stream != nil {
		if _, err = io.ReadFull(in.stream, memory); err == io.EOF || err == io.ErrUnexpectedEOF {
			err = in.store.sum.fault("fewer bytes than the directory tells")
		}
		in.add(memory)
	} else {
		err = in.read(memory)
	}
	if err != nil {
		return err
	}
	if in.at += int64(len(memory)); in.at < in.store.bytes {
		return nil
	}
	return in.end()
}

// end holds what was read to the end to the checksum and to the length that the file tells.
func (in *input) end() error {
	if in.whole && in.sum != in.store.sum.member.sum {
		return in.store.sum.fault(fmt.Sprintf("%08x", in.sum))
	}
	if in.stream != nil {
		if n, _ := io.ReadFull(in.stream, make([]byte, 1)); n > 0 {
			return in.store.sum.fault("more bytes than the directory tells")
		}
	}
	return nil
}

// add continues the checksum.
func (in *input) add(memory []byte) {
	if in.whole {
		in.sum = updateSum(in.sum, memory)
	}
}

// partBytes is how much of a file a thread copies at a time: a large page, in whose multiples the file is cut.
const partBytes = 2 << 20

// read fills memory from any place, on several threads.
func (in *input) read(memory []byte) error {
	offset := in.store.first + in.at
	if len(memory) < partBytes {
		err := readAt(in.store.at, memory, offset)
		in.add(memory)
		return err
	}
	pages := mapFile(in.store.at, offset, int64(len(memory)))
	defer pages.close()
	var failed failure
	skipped := int(offset % partBytes) // of the first part
	sums := make([]uint32, (skipped+len(memory)+partBytes-1)/partBytes)
	bounds := func(i int) (lo, hi int) {
		return max(i*partBytes-skipped, 0), min((i+1)*partBytes-skipped, len(memory))
	}
	par.Do(len(sums), func(i int) {
		lo, hi := bounds(i)
		part := memory[lo:hi]
		if !pages.copy(part, lo) {
			failed.set(readAt(in.store.at, part, offset+int64(lo)))
		}
		pages.drop(lo, hi-lo)
		if in.whole {
			sums[i] = updateSum(0, part)
		}
	})
	if in.whole {
		for i, sum := range sums {
			lo, hi := bounds(i)
			in.sum = joinSums(in.sum, sum, hi-lo)
		}
	}
	return failed.err
}

// readAt fills p; an io.EOF with the last byte is none.
func readAt(r io.ReaderAt, p []byte, offset int64) error {
	n, err := r.ReadAt(p, offset)
	if n == len(p) {
		return nil
	}
	return err
}

func (in *input) Close() error {
	if in.stream == nil {
		return nil
	}
	return in.stream.Close()
}

// failure keeps the first error of several goroutines.
type failure struct {
	once sync.Once
	err  error
}

func (f *failure) set(err error) {
	if err != nil {
		f.once.Do(func() { f.err = err })
	}
}
