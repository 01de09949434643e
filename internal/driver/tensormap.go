package driver

import (
	"runtime"
	"unsafe"

	"cresset/internal/dl"
)

// TensorMap describes a tensor in device memory to the TMA. Its content is the driver's affair. A kernel takes it as a part
// of its parameters, at an offset that 64 divides.
type TensorMap [128]byte

// TiledTensor is what a TensorMap says. Axes are innermost first; the elements of axis 0 lie side by side.
type TiledTensor struct {
	Type    TensorType
	Rank    uint32 // 1 to 5
	Address Ptr    // a multiple of 16
	Extents [5]uint64
	Strides [4]uint64 // in bytes, of the axes from 1 on: multiples of 16
	Box     [5]uint32 // what one copy takes: at most 256 of each axis
	Steps   [5]uint32 // between the elements that a copy takes; 1 for all

	Interleave uint32
	Swizzle    Swizzle
	L2         uint32 // bytes that are read into the L2 cache at once: 0, 1, 2, 3 for 0, 64, 128, 256
	NaNs       bool   // what lies outside of the tensor is read as NaN, not as 0
}

// TensorType is the type of a tensor's elements, with the numbers of CUtensorMapDataType.
type TensorType uint32

// Types of elements.
const (
	TensorU8   TensorType = 0
	TensorU16  TensorType = 1
	TensorI32  TensorType = 3
	TensorI64  TensorType = 5
	TensorF16  TensorType = 6
	TensorF32  TensorType = 7
	TensorF64  TensorType = 8
	TensorBF16 TensorType = 9
	TensorTF32 TensorType = 11 // float32 in memory, rounded as it is copied
)

// Swizzle says how 16-byte pieces of a box are interchanged in shared memory, with the numbers of CUtensorMapSwizzle.
type Swizzle uint32

// Swizzles, by the bytes of a row that they keep together.
const (
	SwizzleNone Swizzle = 0
	Swizzle32   Swizzle = 1
	Swizzle64   Swizzle = 2
	Swizzle128  Swizzle = 3
)

// Bytes returns how long a row of the box may be, and 0 for any length.
func (s Swizzle) Bytes() uint32 {
	if s == SwizzleNone {
		return 0
	}
	return 16 << s
}

// tensorFrame holds what the call reads and writes.
type tensorFrame struct {
	t   TiledTensor
	out [192]byte // 128 of them, from a multiple of 64 on
}

func encodeTiled(fn uintptr) func(*TiledTensor) (TensorMap, Result) {
	return func(t *TiledTensor) (TensorMap, Result) {
		var pinner runtime.Pinner
		defer pinner.Unpin()
		f := &tensorFrame{t: *t}
		pinner.Pin(f)
		at := uintptr(unsafe.Pointer(&f.out)) // sound as an integer: f is pinned
		skip := -at & 63
		var fill uintptr
		if t.NaNs {
			fill = 1
		}
		r := Result(dl.Call(fn, at+skip, uintptr(t.Type), uintptr(t.Rank), uintptr(t.Address),
			uintptr(unsafe.Pointer(&f.t.Extents)), uintptr(unsafe.Pointer(&f.t.Strides)), // sound: f is pinned
			uintptr(unsafe.Pointer(&f.t.Box)), uintptr(unsafe.Pointer(&f.t.Steps)), // sound: f is pinned
			uintptr(t.Interleave), uintptr(t.Swizzle), uintptr(t.L2), fill))
		return TensorMap(f.out[skip : skip+128]), r
	}
}
