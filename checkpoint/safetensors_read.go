package checkpoint

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"cresset/dtype"
)

// A safetensors file is the length of its header in eight bytes, little-endian, the header in JSON, and the elements of all
// tensors, one after the other without gaps: {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}.

// safetensorsTypes are the names of dtypes, with the size of an element in bits.
var safetensorsTypes = map[string]struct {
	bits  int
	dtype dtype.DType
}{
	"BOOL": {8, dtype.Bool}, "U8": {8, dtype.Uint8}, "I8": {8, dtype.Int8}, "I16": {16, dtype.Int16}, "I32": {32, dtype.Int32},
	"I64": {64, dtype.Int64}, "F16": {16, dtype.Float16}, "BF16": {16, dtype.BFloat16}, "F32": {32, dtype.Float32},
	"F64": {64, dtype.Float64},

	"U16": {bits: 16}, "U32": {bits: 32}, "U64": {bits: 64}, "C64": {bits: 64},
	"F4": {bits: 4}, "F6_E2M3": {bits: 6}, "F6_E3M2": {bits: 6}, "F8_E8M0": {bits: 8},
	"F8_E4M3": {bits: 8}, "F8_E5M2": {bits: 8}, "F8_E4M3FNUZ": {bits: 8}, "F8_E5M2FNUZ": {bits: 8},
}

const (
	lengthBytes   = 8
	metadataKey   = "__metadata__"
	headerPlace   = "header"
	leastTensor   = len(`"":{"dtype":"F4","shape":[],"data_offsets":[0,0]}`)
	maxShapeWords = 64
)

// startsSafetensors reports whether a file begins as safetensors files do: a length below 2^32, then an object. JSON, with which
// an index begins, has no zero bytes.
func startsSafetensors(head []byte) bool {
	return len(head) >= lengthBytes && bytes.Equal(head[4:8], make([]byte, 4)) &&
		(len(head) == lengthBytes || bytes.IndexByte([]byte("{ \t\r\n"), head[lengthBytes]) >= 0)
}

// openSafetensors reads the header.
func openSafetensors(s *source) (*contents, error) {
	header, err := s.safetensorsHeader()
	if err != nil {
		return nil, err
	}
	t, err := newText(s, headerPlace, header)
	if err != nil {
		return nil, err
	}
	h := &safetensorsHeader{text: t, entries: make([]Entry, 0, min(bytes.Count(header, []byte(`"dtype"`)), s.limits.Tensors, len(header)/leastTensor))}
	if err := t.object(h.member); err != nil {
		return nil, err
	}
	if err := t.end(); err != nil {
		return nil, err
	}
	first := int64(lengthBytes + len(header))
	if err := h.arrange(s, first); err != nil {
		return nil, err
	}
	if _, err := sortNames(s, h.entries); err != nil { // before memory is allocated for storages
		return nil, err
	}
	c := &contents{format: Safetensors, metadata: h.metadata, entries: h.entries, stores: make([]store, len(h.entries))}
	for i := range c.entries {
		e := &c.entries[i]
		c.stores[i] = store{bytes: e.Bytes, at: s, first: first + int64(e.Offset)}
		e.Storage, e.Offset = i, 0
	}
	return c, nil
}

// safetensorsHeader returns the header's bytes.
func (s *source) safetensorsHeader() ([]byte, error) {
	var length [lengthBytes]byte
	if _, err := s.ReadAt(length[:], 0); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(length[:])
	if most := min(uint64(s.limits.Header), uint64(s.size-lengthBytes)); n > most {
		return nil, s.fault("byte 0", fmt.Sprintf("a header of at most %d bytes", most), "%d", n)
	}
	header := make([]byte, n)
	_, err := s.ReadAt(header, lengthBytes)
	return header, err
}

// safetensorsHeader is a header as it is read.
type safetensorsHeader struct {
	*text
	metadata map[string]string
	entries  []Entry // Offset is the begin in bytes
}

// member passes the value of a key of the header.
func (h *safetensorsHeader) member(key string) error {
	if key == metadataKey {
		return h.texts()
	}
	if len(h.entries) == h.source.limits.Tensors {
		return h.fault(fmt.Sprintf("at most %d tensors", h.source.limits.Tensors))
	}
	e, err := h.tensor(key)
	h.entries = append(h.entries, e)
	return err
}

// texts passes the metadata.
func (h *safetensorsHeader) texts() error {
	if h.metadata != nil {
		return h.fault(metadataKey + " once")
	}
	h.metadata = map[string]string{}
	return h.object(func(key string) (err error) {
		if _, twice := h.metadata[key]; twice {
			return h.fault(fmt.Sprintf("the metadata %q once", key))
		}
		h.metadata[key], err = h.str()
		return err
	})
}

// tensor passes what is said of a tensor.
func (h *safetensorsHeader) tensor(name string) (Entry, error) {
	e := Entry{Name: name}
	var shape, offsets []int
	err := h.object(func(key string) (err error) {
		switch {
		case key == "dtype" && e.DType == "":
			e.DType, err = h.str()
		case key == "shape" && shape == nil:
			shape, err = h.sizes(maxShapeWords)
		case key == "data_offsets" && offsets == nil:
			offsets, err = h.sizes(2)
		default:
			err = h.fault(fmt.Sprintf("dtype, shape and data_offsets of tensor %q once", name))
		}
		return err
	})
	if err != nil {
		return e, err
	}
	kind, known := safetensorsTypes[e.DType]
	place := func() string { return fmt.Sprintf("%s, tensor %q", headerPlace, name) }
	switch {
	case !known || shape == nil || len(offsets) != 2:
		return e, h.source.fault(place(), "a known dtype, a shape and two data_offsets", "dtype %q, shape %v, data_offsets %v", e.DType, shape, offsets)
	case offsets[1] < offsets[0]:
		return e, h.source.fault(place(), "an end that is not before the begin", "data_offsets %v", offsets)
	}
	n, ok := numelOf(shape, kind.bits)
	if !ok || n*kind.bits%8 != 0 || n*kind.bits/8 != offsets[1]-offsets[0] {
		return e, h.source.fault(place(), "as many bytes as the shape has", "shape %v of %s in %d bytes", shape, e.DType, offsets[1]-offsets[0])
	}
	e.Type, e.Shape, e.Offset, e.Bytes = kind.dtype, shape, offsets[0], int64(offsets[1]-offsets[0])
	return e, nil
}

// sizes passes an array of whole numbers, of which there are at most so many.
func (h *safetensorsHeader) sizes(most int) ([]int, error) {
	out := make([]int, 0, 2)
	err := h.sequence('[', ']', func() error {
		if len(out) == most {
			return h.fault(fmt.Sprintf("at most %d numbers", most))
		}
		n, err := h.size()
		out = append(out, n)
		return err
	})
	return out, err
}

// arrange puts tensors in the order of their elements, which must fill the rest of the file without gaps and overlaps.
func (h *safetensorsHeader) arrange(s *source, first int64) error {
	slices.SortStableFunc(h.entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Bytes, b.Bytes))
	})
	end := 0
	for i := range h.entries {
		e := &h.entries[i]
		if e.Offset != end {
			return s.fault(fmt.Sprintf("%s, tensor %q", headerPlace, e.Name), fmt.Sprintf("elements that begin at %d, where those before end", end), "%d", e.Offset)
		}
		end += int(e.Bytes)
	}
	if rest := s.size - first; int64(end) != rest {
		return s.fault("elements", fmt.Sprintf("%d bytes up to the end of the file", end), "%d", rest)
	}
	return nil
}
