package kern

import (
	"unsafe"

	"cresset/dtype"
)

// A CastFunc converts n contiguous elements from src to dst, which must not overlap. Both must hold n elements of the types that the
// function was made for; a bool is a byte that is 0 or 1.
type CastFunc func(dst, src unsafe.Pointer, n int)

// Cast returns the loop that converts src elements to dst elements, nil where either is Undefined. Its values are those that PyTorch
// gives on x86-64 with AVX-512, on every machine:
//
//   - a float to an integer drops the fraction. What is out of range, and NaN, becomes the least int64, or for the narrower types
//     the low bits of the least int32; what an int32 holds and a narrower type does not wraps.
//   - an integer to a narrower integer wraps.
//   - anything to bool is whether it is nonzero; NaN is.
//   - to a float rounds to nearest even; the half types by way of float32.
func Cast(dst, src dtype.DType) CastFunc {
	if dst == src {
		return copies[dst.Size()]
	}
	return casts[dst][src]
}

// copies has the loops that keep the type, by its size in bytes.
var copies = [9]CastFunc{
	1: copyElements[uint8],
	2: copyElements[uint16],
	4: copyElements[uint32],
	8: copyElements[uint64],
}

// casts has the loops by destination and source.
var casts = allCasts()

func allCasts() (t [dtype.Count][dtype.Count]CastFunc) {
	t[dtype.Bool] = castsTo(castNonzero[uint8], castNonzero[int8], castNonzero[int16], castNonzero[int32], castNonzero[int64],
		castNonzero[float32], castNonzero[float64])
	t[dtype.Uint8], t[dtype.Int8], t[dtype.Int16], t[dtype.Int32] = narrowCasts[uint8](), narrowCasts[int8](), narrowCasts[int16](), narrowCasts[int32]()
	t[dtype.Int64] = castsTo(castNumber[int64, uint8], castNumber[int64, int8], castNumber[int64, int16], castNumber[int64, int32], nil,
		castToInt64[float32], castToInt64[float64])
	t[dtype.Float32], t[dtype.Float64] = floatCasts[float32](), floatCasts[float64]()
	t[dtype.Float16][dtype.Float32], t[dtype.Float32][dtype.Float16] = castToF16, castFromF16
	t[dtype.BFloat16][dtype.Float32], t[dtype.Float32][dtype.BFloat16] = castToBF16, castFromBF16
	addVectorCasts(&t)
	t[dtype.Uint8][dtype.Bool] = copyElements[uint8]
	addHalfCasts(&t)
	return t
}

// castsTo has loops to one type by source; a bool reads as uint8.
func castsTo(u8, i8, i16, i32, i64, f32, f64 CastFunc) [dtype.Count]CastFunc {
	return [dtype.Count]CastFunc{
		dtype.Bool: u8, dtype.Uint8: u8, dtype.Int8: i8, dtype.Int16: i16, dtype.Int32: i32, dtype.Int64: i64,
		dtype.Float32: f32, dtype.Float64: f64,
	}
}

// narrowCasts has the loops to an integer type of at most 32 bits.
func narrowCasts[D uint8 | int8 | int16 | int32]() [dtype.Count]CastFunc {
	return castsTo(castNumber[D, uint8], castNumber[D, int8], castNumber[D, int16], castNumber[D, int32], castNumber[D, int64],
		castToNarrow[D, float32], castToNarrow[D, float64])
}

func floatCasts[D dtype.Float]() [dtype.Count]CastFunc {
	return castsTo(castNumber[D, uint8], castNumber[D, int8], castNumber[D, int16], castNumber[D, int32], castNumber[D, int64],
		castNumber[D, float32], castNumber[D, float64])
}

// elements returns both sides of a cast as slices of equal length. It is sound because a CastFunc's caller vouches for n elements of
// these types. With n = 0 the pointers may lead nowhere, and must not be converted.
func elements[D, S any](dst, src unsafe.Pointer, n int) ([]D, []S) {
	if n == 0 {
		dst, src = nil, nil
	}
	return unsafe.Slice((*D)(dst), n), unsafe.Slice((*S)(src), n)
}
