package checkpoint

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"cresset/dtype"
)

// An NPY file is a magic string, a version, the length of a header, the header, which is a Python dict of three keys,
//
//	{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
//
// and the elements, the last axis first where fortran_order is True.

const (
	npyMagic       = "\x93NUMPY"
	maxNPYHeader   = 10_000 // bytes, as NumPy has it
	npyPrefixBytes = 8      // magic and version
)

// npyHeader is what an NPY header says.
type npyHeader struct {
	descr   string
	fortran bool
	shape   []int
}

// readNPYHeader reads a header from the start of r; place says where r is. The bytes are those that it has read.
func readNPYHeader(s *source, r io.Reader, place string) (h npyHeader, bytes []byte, err error) {
	b := make([]byte, npyPrefixBytes+4)
	read := func(from, to int) error {
		if to > len(b) {
			b = append(b, make([]byte, to-len(b))...)
		}
		if _, err := io.ReadFull(r, b[from:to]); err != nil {
			return &FormatError{File: s.path, Place: place, Expected: "a header", Found: "the end", Err: err}
		}
		return nil
	}
	if err := read(0, npyPrefixBytes); err != nil {
		return h, nil, err
	}
	if string(b[:6]) != npyMagic || b[6] < 1 || b[6] > 3 || b[7] != 0 {
		return h, nil, s.fault(place, "an array in version 1.0, 2.0 or 3.0 of NPY", "% x", b[:npyPrefixBytes])
	}
	lengthBytes := 4
	if b[6] == 1 {
		lengthBytes = 2
	}
	first := npyPrefixBytes + lengthBytes
	if err := read(npyPrefixBytes, first); err != nil {
		return h, nil, err
	}
	n := uint32(little.Uint16(b[npyPrefixBytes:]))
	if lengthBytes == 4 {
		n = little.Uint32(b[npyPrefixBytes:])
	}
	if n > maxNPYHeader {
		return h, nil, s.fault(place, fmt.Sprintf("a header of at most %d bytes", maxNPYHeader), "%d", n)
	}
	b = b[:first]
	if err := read(first, first+int(n)); err != nil {
		return h, nil, err
	}
	h, err = parseNPYHeader(s, string(b[first:]), place)
	return h, b, err
}

// parseNPYHeader reads the dict.
func parseNPYHeader(s *source, text, place string) (h npyHeader, err error) {
	t := &literal{text: text}
	var descr, order, shape bool // seen
	once := func(seen *bool) {
		t.failed = t.failed || *seen
		*seen = true
	}
	t.take('{')
	for !t.failed && t.peek() != '}' {
		key := t.str()
		t.take(':')
		switch key {
		case "descr":
			once(&descr)
			h.descr = t.descr()
		case "fortran_order":
			once(&order)
			h.fortran = t.boolean()
		case "shape":
			once(&shape)
			h.shape = t.tuple()
		default:
			t.failed = true
		}
		if t.peek() != '}' {
			t.take(',')
		}
	}
	t.take('}')
	if t.failed || t.peek() != 0 || !descr || !order || !shape {
		return h, s.fault(place, "a dict of descr, fortran_order and shape", "%.60q at byte %d", text, t.at)
	}
	return h, nil
}

// literal reads the few forms of Python's literals that headers have; what is none of them is refused, never evaluated.
type literal struct {
	text   string
	at     int
	failed bool
}

// peek returns the next byte that is no white space, 0 at the end.
func (t *literal) peek() byte {
	for ; t.at < len(t.text); t.at++ {
		if c := t.text[t.at]; c != ' ' && c != '\n' && c != '\t' {
			return c
		}
	}
	return 0
}

// take passes a byte.
func (t *literal) take(c byte) {
	if t.peek() != c {
		t.failed = true
		return
	}
	t.at++
}

// str passes a string without escapes.
func (t *literal) str() string {
	quote := t.peek()
	if quote != '\'' && quote != '"' {
		t.failed = true
		return ""
	}
	s, _, ok := strings.Cut(t.text[t.at+1:], string(quote))
	if !ok || strings.ContainsAny(s, "\\\n") {
		t.failed = true
		return ""
	}
	t.at += len(s) + 2
	return s
}

// descr passes a string, or a list that describes the fields of records, and returns its text.
func (t *literal) descr() string {
	if t.peek() != '[' {
		return t.str()
	}
	start, depth := t.at, 0
	for !t.failed {
		switch c := t.peek(); c {
		case 0:
			t.failed = true
			continue
		case '\'', '"':
			t.str()
			continue
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		}
		if t.at++; depth == 0 {
			return t.text[start:t.at]
		}
	}
	return ""
}

// boolean passes True or False.
func (t *literal) boolean() bool {
	t.peek()
	rest := t.text[t.at:]
	for _, word := range [...]string{"True", "False"} {
		if strings.HasPrefix(rest, word) {
			t.at += len(word)
			return word == "True"
		}
	}
	t.failed = true
	return false
}

// tuple passes whole numbers: (), (2,) or (2, 3). Python 2 wrote an L behind each.
func (t *literal) tuple() []int {
	out := []int{}
	t.take('(')
	for !t.failed && t.peek() != ')' {
		end := t.at
		for end < len(t.text) && t.text[end] >= '0' && t.text[end] <= '9' {
			end++
		}
		n, err := strconv.Atoi(t.text[t.at:end])
		if err != nil || len(out) == maxShapeWords {
			t.failed = true
			return nil
		}
		out = append(out, n)
		t.at = end
		if t.at < len(t.text) && t.text[t.at] == 'L' {
			t.at++
		}
		if t.peek() != ')' || len(out) == 1 {
			t.take(',')
		}
	}
	t.take(')')
	return out
}

// npyTypes are dtypes by the letter of their kind and the size of an element.
var npyTypes = map[string]dtype.DType{
	"b1": dtype.Bool, "u1": dtype.Uint8, "i1": dtype.Int8, "i2": dtype.Int16, "i4": dtype.Int32, "i8": dtype.Int64,
	"f2": dtype.Float16, "f4": dtype.Float32, "f8": dtype.Float64,
}

// elementOf returns the dtype of elements, Undefined where cresset has none, their size in bytes and whether they are big-endian.
func elementOf(descr string) (dt dtype.DType, size int, big, ok bool) {
	if len(descr) < 3 || strings.IndexByte("<>|=", descr[0]) < 0 {
		return 0, 0, false, false
	}
	digits, _, _ := strings.Cut(descr[2:], "[") // of a time its unit
	size, err := strconv.Atoi(digits)
	if err != nil || size < 0 || size > 1<<20 || strings.IndexByte("biufcUSVMm", descr[1]) < 0 {
		return 0, 0, false, false
	}
	if descr[1] == 'U' {
		size *= 4
	}
	return npyTypes[descr[1:]], size, descr[0] == '>', true
}

// isOpaque reports whether elements are Python's objects, which would have to be unpickled, or records: both are listed, not read.
func isOpaque(descr string) bool {
	return strings.HasPrefix(descr, "[") || slices.Contains([]string{"O", "O4", "O8"}, strings.TrimLeft(descr, "<>|="))
}

// unknown is the error of elements that nothing is known of.
func (h *npyHeader) unknown(s *source, place string) error {
	return s.fault(place, "numbers, or text of a fixed length", "elements of type %.99q", h.descr)
}

// maxDescr is how much is kept of a type's name, bytes; only lists of fields are longer.
const maxDescr = 256

// entry returns what the header says as an entry of storage i, whose elements take bytes.
func (h *npyHeader) entry(s *source, place, name string, i int, bytes int64) (e Entry, big bool, err error) {
	opaque := isOpaque(h.descr)
	dt, size, big, ok := elementOf(h.descr)
	if !ok && !opaque {
		return e, false, h.unknown(s, place)
	}
	n, ok := numelOf(h.shape, size)
	if !ok || !opaque && int64(n)*int64(size) != bytes {
		return e, false, s.fault(place, "as many bytes as the shape has", "shape %v of %s in %d bytes", h.shape, h.descr, bytes)
	}
	descr := strings.Clone(strings.ToValidUTF8(h.descr[:min(len(h.descr), maxDescr)], "")) // which does not keep the header
	e = Entry{Name: name, DType: descr, Type: dt, Shape: h.shape, Storage: i, Bytes: bytes}
	if h.fortran {
		e.Stride = columnMajor(h.shape)
	}
	return e, big, nil
}

// columnMajor returns the strides of elements whose first axis is the innermost.
func columnMajor(shape []int) []int {
	stride, step := make([]int, len(shape)), 1
	for i, n := range shape {
		stride[i] = step
		step *= max(n, 1)
	}
	return stride
}
