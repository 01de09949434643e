package ptx

import (
	"fmt"
	"math/bits"
)

type shuffleMode uint8

const (
	shuffleUp shuffleMode = iota
	shuffleDown
	shuffleButterfly
	shuffleIndex
)

var shuffleModes = map[string]shuffleMode{"up": shuffleUp, "down": shuffleDown, "bfly": shuffleButterfly, "idx": shuffleIndex}

// shuffle is shfl.sync: d = a of the lane that mode, b and c choose. c holds the last lane of a segment in its low five
// bits, and from bit 8 which bits of the lane's number choose the segment.
func (w *warp) shuffle(mode shuffleMode, in *instr, mask uint32) *Fault {
	a, b, c := w.r32[in.a], &w.r32[in.b], &w.r32[in.c]
	d := w.to32(in.d, mask)
	for i := range d {
		by, clamp, segment := int(b[i]&31), int(c[i]&31), int(c[i]>>8&31)
		last := i&segment | clamp&^segment
		j := i
		switch mode {
		case shuffleUp:
			if i-by >= last {
				j = i - by
			}
		case shuffleDown:
			j = i + by
		case shuffleButterfly:
			j = i ^ by
		case shuffleIndex:
			j = i&segment | by&^segment
		}
		if j > last && mode != shuffleUp {
			j = i
		}
		d[i] = a[j&31]
		if mask>>i&1 != 0 && mask>>j&1 == 0 && w.all>>j&1 != 0 {
			f := w.fault(UnconvergedShuffle, 1<<i)
			f.Detail = fmt.Sprintf("lane %d reads lane %d, which takes no part", i, j)
			return f
		}
	}
	w.keep32(in.d, mask)
	return nil
}

// trailing returns the first lane of a mask that is not empty.
func trailing(mask uint32) int { return bits.TrailingZeros32(mask) & 31 }

// truth is a predicate register with v in every lane.
func truth(v bool) uint32 {
	if v {
		return allLanes
	}
	return 0
}
