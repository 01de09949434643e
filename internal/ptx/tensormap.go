package ptx

import (
	"encoding/binary"
	"errors"
)

// TensorMap describes a tensor in global memory to the copies of boxes (cp.async.bulk.tensor). Axes are innermost first; the
// elements of axis 0 lie side by side. A copy of the box at some coordinates takes Box[i] elements of each axis, every Steps[i]-th;
// what lies outside of the tensor is read as 0, or as NaN, and not written.
type TensorMap struct {
	Type       TensorMapType
	Rank       int // 1 to 5
	Address    uint64
	Extents    [5]uint64
	Strides    [4]uint64 // in bytes, of the axes from 1 on
	Box        [5]uint32
	Steps      [5]uint32
	Interleave uint32 // 0 none, 1 by 16 bytes, 2 by 32
	Swizzle    uint32 // 0 none; 1, 2, 3: rows of 32, 64, 128 bytes
	L2         uint32 // 0, 1, 2, 3: 0, 64, 128, 256 bytes are read into the L2 cache at once
	NaNs       bool   // what lies outside is NaN
}

// TensorMapType is the type of a tensor's elements, with the numbers of CUtensorMapDataType.
type TensorMapType uint32

// tensorMapSizes are the bytes of an element of each type: u8, u16, u32, i32, u64, i64, f16, f32, f64, bf16, f32 that flushes,
// tf32, tf32 that flushes.
var tensorMapSizes = [...]int{1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4}

// Size returns the bytes of an element, 0 for a type that there is not.
func (t TensorMapType) Size() int {
	if int(t) < len(tensorMapSizes) {
		return tensorMapSizes[t]
	}
	return 0
}

// tensorMapMark begins a map that Encode has written. The form is this package's: NVIDIA's is not documented.
const tensorMapMark = 0x70616d726f736e65

// Encode returns the 128 bytes that kernels are given. From byte 0, in little endian: a mark (8 bytes), the address (8), five
// extents of 4 bytes, each less 1, four strides (8 bytes each), five extents of the box less 1 (2 bytes each), five steps (1 byte
// each); then type, rank, interleave, swizzle, L2 and NaNs (1 byte each). The rest is 0.
func (m *TensorMap) Encode() (b [128]byte) {
	out := binary.LittleEndian.AppendUint64(b[:0], tensorMapMark)
	out = binary.LittleEndian.AppendUint64(out, m.Address)
	for _, n := range m.Extents {
		out = binary.LittleEndian.AppendUint32(out, uint32(n-1))
	}
	for _, n := range m.Strides {
		out = binary.LittleEndian.AppendUint64(out, n)
	}
	for _, n := range m.Box {
		out = binary.LittleEndian.AppendUint16(out, uint16(n-1))
	}
	for _, n := range m.Steps {
		out = append(out, byte(n))
	}
	out = append(out, byte(m.Type), byte(m.Rank), byte(m.Interleave), byte(m.Swizzle), byte(m.L2), 0)
	if m.NaNs {
		out[len(out)-1] = 1
	}
	return b
}

var errTensorMap = errors.New("the bytes are no tensor map")

// DecodeTensorMap reads what Encode wrote; b has 128 bytes.
func DecodeTensorMap(b []byte) (*TensorMap, error) {
	if len(b) != 128 || binary.LittleEndian.Uint64(b) != tensorMapMark {
		return nil, errTensorMap
	}
	m := &TensorMap{Address: binary.LittleEndian.Uint64(b[8:])}
	for i := range m.Extents {
		m.Extents[i] = uint64(binary.LittleEndian.Uint32(b[16+4*i:])) + 1
	}
	for i := range m.Strides {
		m.Strides[i] = binary.LittleEndian.Uint64(b[36+8*i:])
	}
	for i := range m.Box {
		m.Box[i] = uint32(binary.LittleEndian.Uint16(b[68+2*i:])) + 1
		m.Steps[i] = uint32(b[78+i])
	}
	m.Type, m.Rank = TensorMapType(b[83]), int(b[84])
	m.Interleave, m.Swizzle, m.L2, m.NaNs = uint32(b[85]), uint32(b[86]), uint32(b[87]), b[88] != 0
	if m.Type.Size() == 0 || m.Rank < 1 || m.Rank > 5 {
		return nil, errTensorMap
	}
	return m, nil
}
