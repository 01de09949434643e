package checkpoint

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"
	"strings"
)

// An NPZ file is a zip file of NPY files.

const npySuffix = ".npy"

// openNPZ reads the header of each array.
func openNPZ(s *source, members []member) (*contents, error) {
	if most := s.limits.Tensors; len(members) > most {
		return nil, s.fault("directory", fmt.Sprintf("at most %d tensors", most), "%d", len(members))
	}
	c := &contents{format: NPZ, entries: make([]Entry, len(members)), stores: make([]store, len(members))}
	buffer := bufio.NewReaderSize(nil, 256) // a header in one read
	for i := range members {
		m := &members[i]
		place := "member " + strconv.Quote(m.name)
		name, ok := strings.CutSuffix(m.name, npySuffix)
		if !ok {
			return nil, s.fault(place, "a name that ends in "+npySuffix, "another")
		}
		in := m.open(s)
		buffer.Reset(in)
		h, header, err := readNPYHeader(s, buffer, place)
		in.Close()
		if err != nil {
			return nil, err
		}
		store := m.store(s, header)
		if c.entries[i], store.big, err = h.entry(s, place, name, i, store.bytes); err != nil {
			return nil, err
		}
		c.stores[i] = store
	}
	return c, nil
}

// writeNPZ writes an NPY file for each tensor.
func writeNPZ(w io.Writer, path string, c *contents, o options) error {
	z := zip.NewWriter(w)
	method := zip.Store
	if o.compressed {
		method = zip.Deflate
	}
	for i, e := range c.entries {
		name := e.Name + npySuffix
		if !fs.ValidPath(name) || strings.ContainsAny(name, "\\:\x00") || len(name) > math.MaxUint16 {
			return fmt.Errorf("write %s: the name of tensor %.99q cannot be that of a file in a zip file", path, e.Name)
		}
		member, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			return err
		}
		if err := c.writeArray(member, path, i); err != nil {
			return err
		}
	}
	return z.Close()
}
