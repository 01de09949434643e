package kern

import (
	"unsafe"

	"cresset/dtype"
)

// Indexing kernels see an operand as rows of inner elements each. Values that are added to the same row are added in the order of the
// index, whatever the number of threads: threads share the columns, never the rows.

// FindOutside returns the first index that is not in 0 … n-1, if there is one.
func FindOutside(index []int64, n int) (bad int64, found bool) {
	for _, i := range index {
		if uint64(i) >= uint64(n) {
			return i, true
		}
	}
	return 0, false
}

// FindBeyond returns the first index that is not in -n … n-1, if there is one.
func FindBeyond(index []int64, n int) (bad int64, found bool) {
	for _, i := range index {
		if i < -int64(n) || i >= int64(n) {
			return i, true
		}
	}
	return 0, false
}

// Ravel is dst[i] = dst[i]·extent + index[i], where a negative index counts from the end.
func Ravel(dst, index []int64, extent int) {
	n := int64(extent)
	index = index[:len(dst)]
	for i, at := range index {
		if at < 0 {
			at += n
		}
		dst[i] = dst[i]*n + at
	}
}

// TakeRows copies row index[i] of src to row i of dst.
func TakeRows[T dtype.Element](dst, src []T, index []int64, inner int) {
	if inner == 1 {
		dst = dst[:len(index)]
		for i, at := range index {
			dst[i] = src[at]
		}
		return
	}
	for i, at := range index {
		copy(dst[i*inner:(i+1)*inner], src[int(at)*inner:])
	}
}

// AddRows adds columns lo to hi of row i of src to row index[i] of dst.
func AddRows[T dtype.Number](dst, src []T, index []int64, inner, lo, hi int) {
	if inner == 1 {
		AddAt(dst, src, index, 1, 0)
		return
	}
	for i, at := range index {
		d := dst[int(at)*inner+lo : int(at)*inner+hi]
		Add(d, d, src[i*inner+lo:i*inner+hi])
	}
}

// TakeAt is dst[k] = src[index[k]·step + k·skip]: of one line where skip is 0, else across lines with stride skip. It
// stops at an index that is not in 0 … n-1 and returns whether there was none.
func TakeAt[T dtype.Element](dst, src []T, index []int64, n, step, skip int) bool {
	index = index[:len(dst)]
	if step == 1 && skip == 0 { // gather/1024x1024 takes a third less time so
		src, dst = src[:n], dst[:len(index)]
		for k, at := range index {
			if uint64(at) >= uint64(len(src)) {
				return false
			}
			dst[k] = src[at]
		}
		return true
	}
	from := 0
	for k, at := range index {
		if uint64(at) >= uint64(n) {
			return false
		}
		dst[k] = src[int(at)*step+from]
		from += skip
	}
	return true
}

// AddAt is dst[index[k]·step + k·skip] += src[k].
func AddAt[T dtype.Number](dst, src []T, index []int64, step, skip int) {
	src = src[:len(index)]
	to := 0
	for k, at := range index {
		dst[int(at)*step+to] += src[k]
		to += skip
	}
}

// TakeLine is dst[i·dstStep] = src[index[i·indexStep]·srcStep] for i < n: one line of a Gather.
func TakeLine[T dtype.Element](dst, src []T, index []int64, n, dstStep, srcStep, indexStep int) {
	for i := range n {
		dst[i*dstStep] = src[int(index[i*indexStep])*srcStep]
	}
}

// AddLine is dst[index[i·indexStep]·dstStep] += src[i·srcStep] for i < n: one line of a ScatterAdd.
func AddLine[T dtype.Number](dst, src []T, index []int64, n, dstStep, srcStep, indexStep int) {
	for i := range n {
		dst[int(index[i*indexStep])*dstStep] += src[i*srcStep]
	}
}

// PutRows copies columns lo to hi of row i of src to row index[i] of dst: of those that meet the last stays.
func PutRows[T dtype.Element](dst, src []T, index []int64, inner, lo, hi int) {
	for i, at := range index {
		copy(dst[int(at)*inner+lo:int(at)*inner+hi], src[i*inner+lo:i*inner+hi])
	}
}

// A ScatterLine joins src[i·srcStep] to dst[index[i·indexStep]·dstStep] for i < n, in that order.
type ScatterLine[T dtype.Element] = func(dst, src []T, index []int64, n, dstStep, srcStep, indexStep int)

// PutLine is the ScatterLine of which the last element that meets others stays.
func PutLine[T dtype.Element](dst, src []T, index []int64, n, dstStep, srcStep, indexStep int) {
	for i := range n {
		dst[int(index[i*indexStep])*dstStep] = src[i*srcStep]
	}
}

// MulLine is the ScatterLine of products.
func MulLine[T dtype.Number](dst, src []T, index []int64, n, dstStep, srcStep, indexStep int) {
	for i := range n {
		dst[int(index[i*indexStep])*dstStep] *= src[i*srcStep]
	}
}

// MaxLine is the ScatterLine of largest elements; NaN stays.
func MaxLine[T dtype.Number](dst, src []T, index []int64, n, dstStep, srcStep, indexStep int) {
	for i := range n {
		at := int(index[i*indexStep]) * dstStep
		if v := src[i*srcStep]; v > dst[at] || v != v {
			dst[at] = v
		}
	}
}

// MinLine is the ScatterLine of smallest elements; NaN stays.
func MinLine[T dtype.Number](dst, src []T, index []int64, n, dstStep, srcStep, indexStep int) {
	for i := range n {
		at := int(index[i*indexStep]) * dstStep
		if v := src[i*srcStep]; v < dst[at] || v != v {
			dst[at] = v
		}
	}
}

// Lower keeps of a matrix with the given columns diagonal k and what is below, and zeroes the rest; rows are counted
// from first.
func Lower[T dtype.Element](dst, src []T, cols, first, k int) {
	for r := 0; r*cols < len(dst); r++ {
		d, s := dst[r*cols:(r+1)*cols], src[r*cols:(r+1)*cols]
		n := min(max(first+r+k+1, 0), cols)
		copy(d[:n], s)
		clear(d[n:])
	}
}

// Upper keeps of a matrix with the given columns diagonal k and what is above, and zeroes the rest; rows are counted
// from first.
func Upper[T dtype.Element](dst, src []T, cols, first, k int) {
	for r := 0; r*cols < len(dst); r++ {
		d, s := dst[r*cols:(r+1)*cols], src[r*cols:(r+1)*cols]
		n := min(max(first+r+k, 0), cols)
		clear(d[:n])
		copy(d[n:], s[n:])
	}
}

// OneHot sets dst[i·classes + index[i]] to 1 and every other element to 0.
func OneHot(dst, index []int64, classes int) {
	clear(dst)
	for i, at := range index {
		dst[i*classes+int(at)] = 1
	}
}

// NonZero writes for each true element of mask, in row-major order, its index along every axis. An element that is false is
// written too, and the next one over it: a branch for each takes nonzero/1000x1000 several times as long, as none can be foreseen.
func NonZero(dst []int64, mask []bool, shape []int) {
	rank := len(shape)
	if rank == 0 || len(dst) == 0 {
		return
	}
	n := shape[rank-1]
	bits := unsafe.Slice((*uint8)(unsafe.Pointer(unsafe.SliceData(mask))), len(mask)) // a bool is a byte, 0 or 1
	at := 0
	for first := 0; first < len(bits) && at < len(dst); first += n {
		start, line := at, first/n
		for j, bit := range bits[first : first+n] {
			if at == len(dst) {
				break // none that follows is true
			}
			dst[at+rank-1] = int64(j)
			at += rank & -int(bit&1)
		}
		for axis := rank - 2; axis >= 0; axis-- {
			i := int64(line % shape[axis])
			line /= shape[axis]
			for k := start + axis; k < at; k += rank {
				dst[k] = i
			}
		}
	}
}
