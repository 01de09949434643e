package kern

import (
	"math"
	"unsafe"

	"cresset/dtype"
)

func copyElements[T any](dst, src unsafe.Pointer, n int) {
	d, s := elements[T, T](dst, src, n)
	copy(d, s)
}

// castNumber converts as Go does, where Go defines the result: integers wrap, what becomes a float is rounded once.
func castNumber[D, S dtype.Number](dst, src unsafe.Pointer, n int) {
	d, s := elements[D, S](dst, src, n)
	for i, v := range s {
		d[i] = D(v)
	}
}

// castToNarrow converts floats to an integer type of at most 32 bits.
func castToNarrow[D dtype.Integer, S dtype.Float](dst, src unsafe.Pointer, n int) {
	d, s := elements[D, S](dst, src, n)
	for i, v := range s {
		d[i] = D(truncate32(v))
	}
}

func castToInt64[S dtype.Float](dst, src unsafe.Pointer, n int) {
	d, s := elements[int64, S](dst, src, n)
	for i, v := range s {
		d[i] = truncate64(v)
	}
}

func castNonzero[S dtype.Number](dst, src unsafe.Pointer, n int) {
	d, s := elements[bool, S](dst, src, n)
	for i, v := range s {
		d[i] = v != 0
	}
}

// truncate32 returns x without its fraction, or the least int32 where that is out of range or x is NaN. In float32 the lower limit
// rounds to the least int32, which the second return gives as well.
func truncate32[S dtype.Float](x S) int32 {
	if x > math.MinInt32-1 && x < math.MaxInt32+1 {
		return int32(x)
	}
	return math.MinInt32
}

// truncate64 is truncate32 for int64; its lower limit is exact.
func truncate64[S dtype.Float](x S) int64 {
	if x >= math.MinInt64 && x < math.MaxInt64+1 {
		return int64(x)
	}
	return math.MinInt64
}
