package checkpoint

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"cresset/dtype"
)

// npyName is the name of the only tensor of an NPY file.
const npyName = "array"

// openNPY reads the header of an array.
func openNPY(s *source) (*contents, error) {
	h, header, err := readNPYHeader(s, io.NewSectionReader(s, 0, s.size), headerPlace)
	if err != nil {
		return nil, err
	}
	if isOpaque(h.descr) { // and there is nothing else to read
		return nil, h.unknown(s, headerPlace)
	}
	first := int64(len(header))
	e, big, err := h.entry(s, headerPlace, npyName, 0, s.size-first)
	if err != nil {
		return nil, err
	}
	return &contents{format: NPY, entries: []Entry{e}, stores: []store{{bytes: e.Bytes, big: big, at: s, first: first}}}, nil
}

// writeNPY writes the only tensor.
func writeNPY(w io.Writer, path string, c *contents, _ options) error {
	if len(c.entries) != 1 {
		return fmt.Errorf("write %s: an NPY file holds one tensor, not %d; NPZ holds several", path, len(c.entries))
	}
	return c.writeArray(w, path, 0)
}

// npyAlignment is the multiple of bytes at which the elements begin.
const npyAlignment = 64

// writeArray writes entry i as an NPY file, in version 1.0.
func (c *contents) writeArray(w io.Writer, path string, i int) error {
	e := &c.entries[i]
	descr, err := descrOf(path, e)
	if err != nil {
		return err
	}
	axes := make([]string, len(e.Shape))
	for k, n := range e.Shape {
		axes[k] = strconv.Itoa(n) + ","
	}
	shape := strings.Join(axes, " ")
	if len(axes) > 1 {
		shape = strings.TrimSuffix(shape, ",")
	}
	var b bytes.Buffer
	b.WriteString(npyMagic + "\x01\x00\x00\x00")
	fmt.Fprintf(&b, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape)
	for (b.Len()+1)%npyAlignment != 0 {
		b.WriteByte(' ')
	}
	b.WriteByte('\n')
	little.PutUint16(b.Bytes()[npyPrefixBytes:], uint16(b.Len()-npyPrefixBytes-2))
	if _, err := w.Write(b.Bytes()); err != nil {
		return err
	}
	return c.copyElements(w, i)
}

// descrOf returns NumPy's name of the entry's elements. Those of an array that cresset has no dtype for keep theirs.
func descrOf(path string, e *Entry) (string, error) {
	if _, _, _, ok := elementOf(e.DType); ok && e.Type == dtype.Undefined {
		return e.DType, nil
	}
	for code, dt := range npyTypes {
		switch {
		case dt != e.Type || dt == dtype.Undefined:
		case dt.Size() == 1:
			return "|" + code, nil
		default:
			return "<" + code, nil
		}
	}
	return "", &DTypeError{File: path, Tensor: e.Name, DType: e.DType}
}
