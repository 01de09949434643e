package kern

import (
	"unsafe"

	"cresset/dtype"
)

// CastFunc converts n contiguous elements from src to dst, which must not
// overlap. Both must hold n elements of the types that the function was made
// for; a bool is a byte that is 0 or 1.
type CastFunc func(dst, src unsafe.Pointer, n int)

// Cast returns the loop that converts src elements to dst elements, nil where
// either is Undefined. Its values are those that PyTorch gives on x86-64 with
// AVX-512, on every machine:
//
//   - a float to an integer drops the fraction. What is out of range, and NaN,
//     becomes the least int64, or for the narrower types the low bits of the
//     least int32; what an int32 holds and a narrower type does not wraps.
//   - an integer to a narrower integer wraps.
//   - anything to bool is whether it is nonzero; NaN is.
//   - to a float rounds to nearest even; the half types by way of float32.
func Cast(dst, src dtype.DType) CastFunc {
	if dst == src {
		return copies[dst.Size()]
	}
	return vectorCasts[dst][src]
}

// copies has the loops that keep the type, by its size in bytes.
var copies = [9]CastFunc{
	1: copyElements[uint8],
	2: copyElements[uint16],
	4: copyElements[uint32],
	8: copyElements[uint64],
}

// casts has the loops by destination and source. A bool source reads as
// uint8; what the generic rows have on the diagonal is never asked for.
var casts = [dtype.Count][dtype.Count]CastFunc{
	dtype.Bool: {
		dtype.Uint8:    castNonzero[uint8],
		dtype.Int8:     castNonzero[int8],
		dtype.Int16:    castNonzero[int16],
		dtype.Int32:    castNonzero[int32],
		dtype.Int64:    castNonzero[int64],
		dtype.Float16:  castHalfNonzero,
		dtype.BFloat16: castHalfNonzero,
		dtype.Float32:  castNonzero[float32],
		dtype.Float64:  castNonzero[float64],
	},
	dtype.Uint8:    narrowCasts[uint8](),
	dtype.Int8:     narrowCasts[int8](),
	dtype.Int16:    narrowCasts[int16](),
	dtype.Int32:    narrowCasts[int32](),
	dtype.Int64:    int64Casts,
	dtype.Float16:  f16Casts,
	dtype.BFloat16: bf16Casts,
	dtype.Float32:  floatCasts[float32](),
	dtype.Float64:  floatCasts[float64](),
}

// narrowCasts has the loops to an integer type of at most 32 bits.
func narrowCasts[D uint8 | int8 | int16 | int32]() [dtype.Count]CastFunc {
	return [dtype.Count]CastFunc{
		dtype.Bool:     castNumber[D, uint8],
		dtype.Uint8:    castNumber[D, uint8],
		dtype.Int8:     castNumber[D, int8],
		dtype.Int16:    castNumber[D, int16],
		dtype.Int32:    castNumber[D, int32],
		dtype.Int64:    castNumber[D, int64],
		dtype.Float16:  castF16ToNarrow[D],
		dtype.BFloat16: castBF16ToNarrow[D],
		dtype.Float32:  castToNarrow[D, float32],
		dtype.Float64:  castToNarrow[D, float64],
	}
}

var int64Casts = [dtype.Count]CastFunc{
	dtype.Bool:     castNumber[int64, uint8],
	dtype.Uint8:    castNumber[int64, uint8],
	dtype.Int8:     castNumber[int64, int8],
	dtype.Int16:    castNumber[int64, int16],
	dtype.Int32:    castNumber[int64, int32],
	dtype.Float16:  castF16ToInt64,
	dtype.BFloat16: castBF16ToInt64,
	dtype.Float32:  castToInt64[float32],
	dtype.Float64:  castToInt64[float64],
}

var f16Casts = [dtype.Count]CastFunc{
	dtype.Bool:     castToF16[uint8],
	dtype.Uint8:    castToF16[uint8],
	dtype.Int8:     castToF16[int8],
	dtype.Int16:    castToF16[int16],
	dtype.Int32:    castToF16[int32],
	dtype.Int64:    castToF16[int64],
	dtype.BFloat16: castBF16ToF16,
	dtype.Float32:  castToF16[float32],
	dtype.Float64:  castToF16[float64],
}

var bf16Casts = [dtype.Count]CastFunc{
	dtype.Bool:    castToBF16[uint8],
	dtype.Uint8:   castToBF16[uint8],
	dtype.Int8:    castToBF16[int8],
	dtype.Int16:   castToBF16[int16],
	dtype.Int32:   castToBF16[int32],
	dtype.Int64:   castToBF16[int64],
	dtype.Float16: castF16ToBF16,
	dtype.Float32: castToBF16[float32],
	dtype.Float64: castToBF16[float64],
}

func floatCasts[D dtype.Float]() [dtype.Count]CastFunc {
	return [dtype.Count]CastFunc{
		dtype.Bool:     castNumber[D, uint8],
		dtype.Uint8:    castNumber[D, uint8],
		dtype.Int8:     castNumber[D, int8],
		dtype.Int16:    castNumber[D, int16],
		dtype.Int32:    castNumber[D, int32],
		dtype.Int64:    castNumber[D, int64],
		dtype.Float16:  castF16ToFloat[D],
		dtype.BFloat16: castBF16ToFloat[D],
		dtype.Float32:  castNumber[D, float32],
		dtype.Float64:  castNumber[D, float64],
	}
}

// elements returns both sides of a cast as slices of equal length. It is sound
// because a CastFunc's caller vouches for n elements of these types. With
// n = 0 the pointers may lead nowhere, and must not be converted.
func elements[D, S any](dst, src unsafe.Pointer, n int) ([]D, []S) {
	if n == 0 {
		dst, src = nil, nil
	}
	return unsafe.Slice((*D)(dst), n), unsafe.Slice((*S)(src), n)
}
