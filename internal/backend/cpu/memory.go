package cpu

import (
	"math/bits"
	"unsafe"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/mem"
)

// This file is where kernels leave Go's types: addresses of operands, and copies of elements whose size alone counts. An
// address is made from a view whose layout is within its buffer, which the tensors vouch for, and the running call keeps the
// buffer reachable. Buffers and scratch memory hold no pointers and are aligned for every dtype.

// maxOperands is how many operands, results included, an elementwise kernel has at most.
const maxOperands = layout.MaxOperands

// pointer is the address of elements of any dtype.
type pointer = unsafe.Pointer

// pointers are the addresses of a loop's operands, results first.
type pointers [maxOperands]pointer

// ahead returns the address so many bytes on, which the caller knows to be within the same memory.
func ahead(p pointer, bytes int) pointer { return unsafe.Add(p, bytes) }

// wordAt returns the address of a word, which has room for one element.
func wordAt(word *uint64) pointer { return unsafe.Pointer(word) }

// within returns the address of a byte of scratch memory.
func within(scratch []byte, at int) pointer { return unsafe.Pointer(&scratch[at]) }

// elements returns n elements from an address on. It is sound where memory has so many, as whoever calls a loop sees to.
func elements[T dtype.Element](at pointer, n int) []T { return unsafe.Slice((*T)(at), n) }

// addressOf returns the address of the elements of s.
func addressOf[T dtype.Element](s []T) pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// data returns all elements of the buffer that the view looks at; offsets of the view's layout index it.
//
//go:noinline
func data[T dtype.Element](v *backend.View) []T { return mem.Slice[T](v.Buf.(*mem.Block)) }

// dense returns the elements of a contiguous view.
//
//go:noinline
func dense[T dtype.Element](v *backend.View) []T { return elements[T](start(v), v.Layout.Size()) }

// alone returns the view as the only one of a call's results or operands.
func alone(v *backend.View) []backend.View { return unsafe.Slice(v, 1) }

// address returns the address of the first element of a view that is not empty.
func address(v *backend.View) pointer {
	if v.Layout.Offset == 0 {
		return bufferOf(v)
	}
	return ahead(bufferOf(v), v.Layout.Offset*v.DType.Size())
}

// start returns the address of a contiguous view's elements, nil for none: its offset may be beyond the buffer.
func start(v *backend.View) pointer {
	if v.Layout.Size() == 0 {
		return nil
	}
	return address(v)
}

// bufferOf returns where the buffer of a view starts.
func bufferOf(v *backend.View) pointer { return v.Buf.(*mem.Block).Pointer() }

// putConstant writes a scalar as an element of a dtype.
func putConstant(to pointer, dt dtype.DType, s backend.Scalar) {
	switch dt { // to has room for an element of the dtype
	case dtype.Bool:
		*(*bool)(to) = s.F != 0 || s.I != 0
	case dtype.Uint8, dtype.Int8:
		*(*uint8)(to) = uint8(s.Int())
	case dtype.Int16:
		*(*int16)(to) = int16(s.Int())
	case dtype.Int32:
		*(*int32)(to) = int32(s.Int())
	case dtype.Int64:
		*(*int64)(to) = s.Int()
	case dtype.Float16:
		*(*dtype.F16)(to) = dtype.F16FromFloat64(s.Float())
	case dtype.BFloat16:
		*(*dtype.BF16)(to) = dtype.BF16FromFloat64(s.Float())
	case dtype.Float32:
		if s.Kind == backend.FloatScalar {
			*(*float32)(to) = float32(s.F)
		} else {
			*(*float32)(to) = float32(s.I)
		}
	case dtype.Float64:
		*(*float64)(to) = s.Float()
	}
}

// strides are the distances between the rows of a matrix, and between the elements of a row, in elements.
type strides struct{ row, step int }

// copyMatrix copies rows · cols elements of a size in bytes between places that do not overlap: it gathers where to is
// contiguous, scatters where from is, and repeats an element or a row where a stride of from is 0.
func copyMatrix(size int, to pointer, ts strides, from pointer, fs strides, rows, cols int) {
	switch size {
	case 1:
		matrixAt[uint8](to, ts, rows, cols).copyFrom(matrixAt[uint8](from, fs, rows, cols), rows, cols)
	case 2:
		matrixAt[int16](to, ts, rows, cols).copyFrom(matrixAt[int16](from, fs, rows, cols), rows, cols)
	case 4:
		matrixAt[int32](to, ts, rows, cols).copyFrom(matrixAt[int32](from, fs, rows, cols), rows, cols)
	case 8:
		matrixAt[int64](to, ts, rows, cols).copyFrom(matrixAt[int64](from, fs, rows, cols), rows, cols)
	}
}

// matrix is elements in rows.
type matrix[T dtype.Element] struct {
	elems []T
	strides
}

// matrixAt returns the matrix of at least one element at an address, which ends with its last element.
func matrixAt[T dtype.Element](at pointer, s strides, rows, cols int) matrix[T] {
	return matrix[T]{elements[T](at, (rows-1)*s.row+(cols-1)*s.step+1), s}
}

// leastTransposed is the least extent of a matrix that is worth a transposition in blocks, which saves transpose/4000x2500 three
// quarters.
const leastTransposed = 8

// copyFrom copies from src, which does not overlap.
func (m matrix[T]) copyFrom(src matrix[T], rows, cols int) {
	if min(rows, cols) >= leastTransposed && m.step == 1 && src.row == 1 && src.step > 1 {
		kern.Transpose(m.elems, m.row, src.elems, src.step, cols, rows)
		return
	}
	for r := range rows {
		to, from := m.elems[r*m.row:], src.elems[r*src.row:]
		switch {
		case m.step == 1 && src.step == 1:
			copy(to[:cols], from[:cols])
		case m.step == 1 && src.step == 0:
			fill(to[:cols], from[0])
		default:
			for i := range cols {
				to[i*m.step] = from[i*src.step]
			}
		}
	}
}

// fill writes v to the first elements and copies those on, which the machine does in wide words: that halves full/1e5.
func fill[T dtype.Element](s []T, v T) {
	block := 16 << 10 / int(unsafe.Sizeof(v)) // elements that stay in the L1 cache
	n := min(len(s), 32)
	for i := range s[:n] {
		s[i] = v
	}
	for n < len(s) {
		n += copy(s[n:], s[:min(n, block)])
	}
}

// sizeClass returns the base-2 logarithm of the element's size.
func sizeClass(dt dtype.DType) int { return bits.TrailingZeros(uint(dt.Size())) }
