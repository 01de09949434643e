package data

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"

	"cresset/dtype"
)

// IDX is the content of a file in the IDX format, in which MNIST is published (http://yann.lecun.com/exdb/mnist).
type IDX struct {
	Shape []int
	DType dtype.DType
	Data  any // []uint8, []int8, []int16, []int32, []float32 or []float64, in row-major order
}

// ReadIDX reads an IDX stream to its end, decompressing it if it is gzipped.
func ReadIDX(r io.Reader) (*IDX, error) { return readIDX(r, "") }

// ReadIDXFile reads an IDX file, gzipped or not; path may leave out .gz, or have it where the file does not.
func ReadIDXFile(path string) (*IDX, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readIDX(f, f.Name())
}

func readIDX(r io.Reader, name string) (*IDX, error) {
	s, err := newSource(r, name)
	if err != nil {
		return nil, err
	}
	x, elems, err := readIDXHeader(s)
	if err != nil {
		return nil, err
	}
	raw, err := s.next(elems * x.DType.Size())
	if err != nil {
		return nil, err
	}
	if err := s.end(); err != nil {
		return nil, err
	}
	x.Data = decodeIDX(raw, elems, x.DType)
	return x, nil
}

// readIDXHeader reads the magic number (two zeros, the element type, the number of axes) and the size of each axis.
func readIDXHeader(s *source) (x *IDX, elems int, err error) {
	magic, err := s.next(4)
	if err != nil {
		return nil, 0, err
	}
	bad := func(offset int, format string, args ...any) (*IDX, int, error) {
		return nil, 0, &FormatError{File: s.name, Offset: int64(offset), Reason: fmt.Sprintf(format, args...)}
	}
	if magic[0] != 0 || magic[1] != 0 {
		return bad(0, "not an IDX file: it begins with % x, not 00 00", magic)
	}
	x = &IDX{DType: idxDTypes[magic[2]], Shape: make([]int, magic[3])}
	if x.DType == dtype.Undefined {
		return bad(2, "unknown element type 0x%02x", magic[2])
	}
	if len(x.Shape) == 0 {
		return bad(3, "the number of axes is 0")
	}
	sizes, err := s.next(4 * len(x.Shape))
	if err != nil {
		return nil, 0, err
	}
	bytes := uint64(x.DType.Size())
	for axis := range x.Shape {
		size := binary.BigEndian.Uint32(sizes[4*axis:])
		high, low := bits.Mul64(bytes, uint64(size))
		switch {
		case size == 0:
			return bad(4+4*axis, "axis %d has size 0", axis)
		case high != 0 || low > math.MaxInt || size > math.MaxInt32:
			return bad(4+4*axis, "axis %d has size %d: too many elements", axis, size)
		}
		bytes, x.Shape[axis] = low, int(size)
	}
	return x, int(bytes) / x.DType.Size(), nil
}

// idxDTypes has the types of IDX codes.
var idxDTypes = map[byte]dtype.DType{
	0x08: dtype.Uint8, 0x09: dtype.Int8, 0x0b: dtype.Int16, 0x0c: dtype.Int32, 0x0d: dtype.Float32, 0x0e: dtype.Float64,
}

// decodeIDX turns big-endian bytes into elements; unsigned bytes stay where they are.
func decodeIDX(raw []byte, elems int, d dtype.DType) any {
	switch d {
	case dtype.Int8:
		return decode(raw, elems, func(b []byte) int8 { return int8(b[0]) })
	case dtype.Int16:
		return decode(raw, elems, func(b []byte) int16 { return int16(binary.BigEndian.Uint16(b)) })
	case dtype.Int32:
		return decode(raw, elems, func(b []byte) int32 { return int32(binary.BigEndian.Uint32(b)) })
	case dtype.Float32:
		return decode(raw, elems, func(b []byte) float32 { return math.Float32frombits(binary.BigEndian.Uint32(b)) })
	case dtype.Float64:
		return decode(raw, elems, func(b []byte) float64 { return math.Float64frombits(binary.BigEndian.Uint64(b)) })
	}
	return raw
}

func decode[T any](raw []byte, elems int, element func([]byte) T) []T {
	out := make([]T, elems)
	size := len(raw) / elems
	for i := range out {
		out[i] = element(raw[i*size:])
	}
	return out
}
