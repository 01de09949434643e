package checkpoint

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"cresset/dtype"
	"cresset/tensor"
)

// changed returns the contents as options ask for them to be written: other names, another dtype, other metadata. Elements are
// converted as they are written.
func (c *contents) changed(path string, o options) (*contents, error) {
	out := *c
	if o.metadata != nil {
		out.metadata = o.metadata
	}
	if o.prefix != "" || o.rename != nil {
		if err := out.rename(path, o); err != nil {
			return nil, err
		}
	}
	if o.dtype != dtype.Undefined {
		return &out, out.convert(path, o.dtype)
	}
	return &out, nil
}

// rename gives entries other names. The values around them, whose names would no longer be true, are left out.
func (c *contents) rename(path string, o options) error {
	entries, by := make([]Entry, 0, len(c.entries)), map[string]string{}
	for _, e := range c.entries {
		old := e.Name
		if o.rename != nil {
			if e.Name = o.rename(old); e.Name == "" {
				continue
			}
		}
		e.Name = o.prefix + e.Name
		if other, twice := by[e.Name]; twice {
			return fmt.Errorf("write %s: %q and %q both became %q", path, other, old, e.Name)
		}
		by[e.Name] = old
		entries = append(entries, e)
	}
	c.entries, c.tree, c.moved = entries, nil, nil
	return nil
}

// convert makes the elements of floating tensors elements of another dtype.
func (c *contents) convert(path string, to dtype.DType) error {
	if !to.IsFloat() {
		return fmt.Errorf("write %s: floating tensors cannot become %s", path, to)
	}
	c.entries, c.stores = slices.Clone(c.entries), slices.Clone(c.stores)
	from := make([]dtype.DType, len(c.stores))
	for i := range c.entries {
		e := &c.entries[i]
		if !e.Type.IsFloat() || e.Type == to {
			continue
		}
		if old := from[e.Storage]; old == dtype.Undefined {
			from[e.Storage] = e.Type
			c.stores[e.Storage] = c.stores[e.Storage].as(e.Type, to)
		} else if old != e.Type {
			return fmt.Errorf("write %s: tensor %q of %s shares its memory with others of %s", path, e.Name, e.Type, old)
		}
		e.Bytes = e.Bytes / int64(e.Type.Size()) * int64(to.Size())
		e.Type, e.DType = to, to.Name()
	}
	return nil
}

// as returns a storage whose elements are converted as they are read.
func (s store) as(from, to dtype.DType) store {
	n := s.bytes / int64(from.Size())
	return store{bytes: n * int64(to.Size()), open: func() (io.ReadCloser, error) {
		in, err := s.from(0)
		if err != nil {
			return nil, err
		}
		return &converted{in: in, from: from, to: to, left: int(n)}, nil
	}}
}

// converted reads the elements of a storage as those of another dtype.
type converted struct {
	in       *input
	from, to dtype.DType
	left     int          // elements that are still to be read
	ready    bytes.Buffer // of elements that are converted
}

// Read converts elements where none are ready.
func (c *converted) Read(p []byte) (int, error) {
	if c.ready.Len() == 0 && c.left > 0 {
		if err := try(c.next); err != nil {
			return 0, err
		}
	}
	return c.ready.Read(p)
}

// next converts the next part.
func (c *converted) next() error {
	part := tensor.Place{}.As(c.from).Empty(min(c.left, stagingBytes/c.from.Size()))
	defer part.Release()
	if err := fillMemory(part, c.in, c.in.store.big); err != nil {
		return err
	}
	c.left -= part.NumEl()
	other := part.To(c.to)
	defer other.Release()
	return tensors.ReadMemory(other, func(bytes []byte) error {
		_, err := c.ready.Write(bytes)
		return err
	})
}

func (c *converted) Close() error { return c.in.Close() }
