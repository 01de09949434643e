package vec

import (
	"unsafe"

	"cresset/dtype"
)

const (
	slideBytes   = 256
	tapsTogether = 3 // taps that Correlate takes at once
	sumVectors   = 4 // of sums that each tap has there
)

// SlideBlock is how many elements Slide, Correlate and Interleave take at a time: their operands are of whole blocks.
func SlideBlock[T dtype.Float]() int { return slideBytes / sizeOf[T]() }

// Slide computes
//
//	y[i] = bias + Σ w[t] * x[taps[t]+i]
//
// for all y, whole blocks of them. The products are added to the bias in order, each with one rounding. There is at least
// one tap, none of them is larger than last nor less than zero, and there is assembly: see TileRows.
func Slide[T dtype.Float](y, x, w []T, taps []int32, last int, bias T) {
	blocks := len(y) / SlideBlock[T]()
	if blocks == 0 {
		return
	}
	_, _ = w[len(taps)-1], x[last+len(y)-1] // These fail where an operand is too short.
	c := slideCall{pointer(x, 0), pointer(y, 0), pointer(w, 0), pointer(taps, 0), unsafe.Pointer(&bias), len(taps), blocks}
	runSlide[T](unsafe.Pointer(&c))
}

// CorrelateTaps returns how many taps there are to be of those that are needed: whole groups.
func CorrelateTaps(needed int) int { return (needed + tapsTogether - 1) / tapsTogether * tapsTogether }

// CorrelateSums returns how many sums Correlate has of each tap.
func CorrelateSums[T dtype.Float]() int { return sumVectors * Lanes[T]() }

// Correlate adds to CorrelateSums sums of each tap: all of tap t together
//
//	Σ y[i] * x[taps[t]+i]
//
// for all y, whole blocks of them. The taps are as many as CorrelateTaps says; none is larger than last.
func Correlate[T dtype.Float](sums, y, x []T, taps []int32, last int) {
	block := CorrelateSums[T]()
	if len(y) < block || len(taps) == 0 {
		return
	}
	_, _ = sums[len(taps)*block-1], x[last+len(y)-1] // These fail where an operand is too short.
	c := slideCall{pointer(x, 0), pointer(y, 0), pointer(sums, 0), pointer(taps, 0), nil, len(taps), len(y) / block}
	runCorrelate[T](unsafe.Pointer(&c))
}

// Interleave writes dst[2*i] = even[i] and dst[2*i+1] = odd[i] for all of even, whole blocks.
func Interleave[T dtype.Float](dst, even, odd []T) {
	vectors := len(even) / Lanes[T]()
	if vectors == 0 {
		return
	}
	_, _ = dst[2*len(even)-1], odd[len(even)-1] // These fail where an operand is too short.
	c := slideCall{x: pointer(even, 0), y: pointer(dst, 0), w: pointer(odd, 0), blocks: vectors}
	runInterleave[T](unsafe.Pointer(&c))
}
