package rng

import (
	"fmt"
	"math"
	"math/bits"

	"cresset/dtype"
)

// RandInt fills dst with integers from lo to hi-1. For a floating-point T, bounds that T cannot hold move inwards to ones
// that it can. It fails where no integer is left, and where T's range does not reach the bounds.
func RandInt[T dtype.Element](g *MT19937, dst []T, lo, hi int64) error {
	d := dtype.Of[T]()
	lo, hi, err := bounds(d, lo, hi)
	if err == nil {
		fillMod(g, dst, uint64(hi)-uint64(lo), lo, drawsWide(d))
	}
	return err
}

// bounds returns the bounds of integers that a dtype holds.
func bounds(d dtype.DType, lo, hi int64) (int64, int64, error) {
	if lo >= hi {
		return 0, 0, fmt.Errorf("random_ expects 'from' to be less than 'to', but got from=%d >= to=%d", lo, hi)
	}
	if d.IsFloat() {
		lo, hi = raiseLow(d, lo), dropHigh(d, hi)
		if lo >= hi {
			return 0, 0, fmt.Errorf("random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got from=%d >= to=%d", lo, hi)
		}
	}
	least, most := intRange(d)
	if v := float64(lo); v < least || v > most {
		return 0, 0, fmt.Errorf("from is out of bounds for %s", d.CppName())
	}
	if v := float64(hi - 1); v < least || v > most {
		return 0, 0, fmt.Errorf("to - 1 is out of bounds for %s", d.CppName())
	}
	return lo, hi, nil
}

// Random fills dst from T's whole range of non-negative integers: up to the largest for an integer type, up to 2**digits for
// a floating-point one, both inclusive.
func Random[T dtype.Element](g *MT19937, dst []T) {
	switch d := dtype.Of[T](); d {
	case dtype.Int64:
		fillMod(g, dst, 1<<63, 0, true)
	case dtype.Float64:
		fillMod(g, dst, 1<<53+1, 0, true)
	case dtype.Float32, dtype.Float16, dtype.BFloat16:
		fillMod(g, dst, 1<<digits(d)+1, 0, false)
	default:
		_, most := intRange(d)
		fillMod(g, dst, uint64(most)+1, 0, false)
	}
}

// fillMod fills dst with base plus a draw mod span. Where span needs more than 32 bits, wide tells whether the draw has 64.
func fillMod[T dtype.Element](g *MT19937, dst []T, span uint64, base int64, wide bool) {
	convert := fromInt[T]()
	if wide && span >= 1<<32 {
		for i := range dst {
			dst[i] = convert(int64(g.Uint64()%span + uint64(base)))
		}
		return
	}
	if span > math.MaxUint32 {
		for i := range dst {
			dst[i] = convert(int64(uint64(g.Uint32())%span + uint64(base)))
		}
		return
	}
	// The remainder without a division (Lemire, Kaser and Kurz, 2019): exact for 32 bits.
	inverse := math.MaxUint64/span + 1
	for len(dst) > 0 {
		words := g.take(len(dst))
		for i, w := range words {
			mod, _ := bits.Mul64(inverse*uint64(temper(w)), span)
			dst[i] = convert(int64(mod + uint64(base)))
		}
		dst = dst[len(words):]
	}
}

// drawsWide reports whether PyTorch draws 64 bits for a range of d's that needs more than 32: not for half, which cannot
// hold one.
func drawsWide(d dtype.DType) bool {
	return d == dtype.Int64 || d.IsFloat() && d != dtype.Float16
}

// digits returns the number of mantissa bits of the floating-point type d, the hidden one included.
func digits(d dtype.DType) int {
	switch d {
	case dtype.Float16:
		return 11
	case dtype.BFloat16:
		return 8
	case dtype.Float32:
		return 24
	}
	return 53
}

// intRange returns the least and the largest number of d, as float64.
func intRange(d dtype.DType) (least, most float64) {
	switch d {
	case dtype.Bool:
		return 0, 1
	case dtype.Uint8:
		return 0, math.MaxUint8
	case dtype.Int8:
		return math.MinInt8, math.MaxInt8
	case dtype.Int16:
		return math.MinInt16, math.MaxInt16
	case dtype.Int32:
		return math.MinInt32, math.MaxInt32
	case dtype.Float16:
		return -65504, 65504
	}
	return math.Inf(-1), math.Inf(1) // an int64 never lies outside
}

// raiseLow returns lo, or the next integer above that d can hold.
func raiseLow(d dtype.DType, lo int64) int64 {
	rounded := throughFloat(d, lo+1)
	if rounded >= lo {
		return lo
	}
	return rounded + gap(d, lo+1)
}

// dropHigh returns hi, or the next integer below that d can hold.
func dropHigh(d dtype.DType, hi int64) int64 {
	rounded := throughFloat(d, hi-1)
	if rounded < hi {
		return hi
	}
	return rounded - gap(d, hi-1)
}

// gap returns the distance between the numbers of d around v.
func gap(d dtype.DType, v int64) int64 {
	return 1 << max(bits.Len64(uint64(max(v, -v)))-digits(d), 0)
}

// throughFloat rounds v to the floating-point type d. What is too large for int64 becomes its least number, as the
// conversion of x86 does it.
func throughFloat(d dtype.DType, v int64) int64 {
	f := float64(v)
	switch d {
	case dtype.Float16:
		f = float64(dtype.ToF16(float32(v)).Float32())
	case dtype.BFloat16:
		f = float64(dtype.ToBF16(float32(v)).Float32())
	case dtype.Float32:
		f = float64(float32(v))
	}
	if f >= 1<<63 || f < -1<<63 {
		return math.MinInt64
	}
	return int64(f)
}
