package checkpoint

import (
	"io"
	"slices"

	"cresset/dtype"
)

// elementBytes returns the size of an element, 0 where there is none to tell.
func (e *Entry) elementBytes() int {
	if e.Type != dtype.Undefined {
		return e.Type.Size()
	}
	if n := e.numel(); n > 0 {
		return int(e.Bytes) / n
	}
	return 0
}

// copyElements writes the elements of entry i in row-major order, little-endian; those of an unknown dtype as they are.
func (c *contents) copyElements(w io.Writer, i int) error {
	e := &c.entries[i]
	if e.Bytes == 0 {
		return nil
	}
	s := &c.stores[e.Storage]
	if swap := s.big && e.Type != dtype.Undefined; swap || !e.contiguous() {
		return c.copyTensor(w, i)
	}
	return s.copy(w, int64(e.Offset)*int64(e.elementBytes()), e.Bytes, 1)
}

// copy writes n bytes of the storage from an offset on, little-endian: numbers of the given size, which may be 1 to leave them.
func (s *store) copy(w io.Writer, offset, n int64, size int) error {
	if m, ok := s.at.(*memory); ok && m.tensor.Device().IsCPU() {
		return m.write(w, offset, n, s.told)
	}
	in, err := s.from(offset)
	if err != nil {
		return err
	}
	defer in.Close()
	buffer := make([]byte, min(n, stagingBytes))
	for left := n; left > 0; left -= int64(len(buffer)) {
		buffer = buffer[:min(left, int64(len(buffer)))]
		if err := in.next(buffer); err != nil {
			return err
		}
		if s.big {
			swapBytes(buffer, size)
		}
		if _, err := w.Write(buffer); err != nil {
			return err
		}
	}
	return nil
}

// copyTensor is copyElements for an entry whose elements have to be put in order.
func (c *contents) copyTensor(w io.Writer, i int) error {
	r := (&File{within: c}).newReading(options{}, 0)
	x, err := r.tensor(i)
	if err != nil {
		return err
	}
	s := &c.stores[c.entries[i].Storage]
	return try(func() error {
		return tensors.ReadMemory(x.Contiguous(), func(memory []byte) error {
			for part := range slices.Chunk(memory, stagingBytes) {
				if _, err := w.Write(part); err != nil {
					return err
				}
				if err := s.told(0); err != nil {
					return err
				}
			}
			return nil
		})
	})
}
