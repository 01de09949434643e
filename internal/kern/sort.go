package kern

import (
	"math"
	"slices"
	"unsafe"

	"cresset/dtype"
)

// Ordered stands for an element of a line: its key, and where it was. Keys are ordered as sorted elements are, and equal elements
// have equal keys.
type Ordered struct {
	Key  uint64
	From int64
}

// Keys writes the elements of a line, so far apart in src, to line. A key has as many bytes as an element. NaN counts as the
// largest number, zeros of both signs as equal.
func Keys[T dtype.Number](line []Ordered, src []T, step int, descending bool) {
	var space [keyBlock]uint64
	for lo := 0; lo < len(line); lo += keyBlock {
		block := line[lo:min(lo+keyBlock, len(line))]
		for i, key := range keys(space[:len(block)], src[lo*step:], step, descending) {
			block[i] = Ordered{key, int64(lo + i)}
		}
	}
}

const keyBlock = 64 // keys that are computed at a time

// keys fills dst with the keys of elements so far apart.
func keys[T dtype.Number](dst []uint64, src []T, step int, descending bool) []uint64 {
	var flip uint64 // of all bits of a key turns the order round
	if descending {
		flip = math.MaxUint64 >> (64 - 8*int(unsafe.Sizeof(src[0]))) // a constant
	}
	switch src := any(src).(type) {
	case []float32:
		for i, at := 0, 0; i < len(dst); i, at = i+1, at+step {
			dst[i] = uint64(keyOfFloat32(src[at])) ^ flip
		}
	case []float64:
		for i, at := 0, 0; i < len(dst); i, at = i+1, at+step {
			dst[i] = keyOfFloat64(src[at]) ^ flip
		}
	default:
		keysOfIntegers(dst, src.([]T), step, flip)
	}
	return dst
}

// keyOfFloat32 has the bits of v for v >= 0 with the sign bit set, and their complement for v < 0.
func keyOfFloat32(v float32) uint32 {
	if v != v {
		return math.MaxUint32
	}
	b := math.Float32bits(v + 0) // -0 + 0 is 0
	return b ^ (uint32(int32(b)>>31) | 1<<31)
}

func keyOfFloat64(v float64) uint64 {
	if v != v {
		return math.MaxUint64
	}
	b := math.Float64bits(v + 0)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// keysOfIntegers shifts the range of the type so that it begins at 0.
func keysOfIntegers[T dtype.Number](dst []uint64, src []T, step int, flip uint64) {
	all := uint64(math.MaxUint64) >> (64 - 8*int(unsafe.Sizeof(src[0])))
	var least uint64
	if zero := T(0); zero-1 < zero {
		least = all/2 + 1
	}
	for i := range dst {
		dst[i] = (uint64(int64(src[i*step]))+least)&all ^ flip
	}
}

// fewKeys is how many keys are sorted by comparisons, which takes lines of 16 elements half the time; 32 take as long either way.
const fewKeys = 16

// Sort orders line by keys of so many bytes, equal ones by where they were: a radix sort from the lowest byte up. spare has
// the length of line.
func Sort(line, spare []Ordered, bytes int) {
	if len(line) <= fewKeys {
		slices.SortStableFunc(line, compareKeys)
		return
	}
	from, to := line, spare[:len(line)]
	for shift := 0; shift < 8*bytes; shift += 8 {
		var count [256]int
		for i := range from {
			count[byte(from[i].Key>>shift)]++
		}
		if count[byte(from[0].Key>>shift)] == len(from) {
			continue // the byte is the same everywhere
		}
		at := 0
		for digit, n := range count {
			count[digit] = at
			at += n
		}
		for _, s := range from {
			digit := byte(s.Key >> shift)
			to[count[digit]] = s
			count[digit]++
		}
		from, to = to, from
	}
	if &from[0] != &line[0] {
		copy(line, from)
	}
}

func compareKeys(a, b Ordered) int {
	switch {
	case a.Key < b.Key:
		return -1
	case a.Key > b.Key:
		return 1
	}
	return 0
}

// Top writes the first elements of a line of n, so far apart in src, in the order of Sort, to best; it is for a best that is short, and
// holds each element against the last of them.
func Top[T dtype.Number](best []Ordered, src []T, n, step int, descending bool) {
	var space [keyBlock]uint64
	found := 0
	for lo := 0; lo < n; lo += keyBlock {
		for i, key := range keys(space[:min(keyBlock, n-lo)], src[lo*step:], step, descending) {
			if found == len(best) {
				if key >= best[found-1].Key {
					continue
				}
				found--
			}
			at := found
			for ; at > 0 && key < best[at-1].Key; at-- {
				best[at] = best[at-1]
			}
			best[at] = Ordered{key, int64(lo + i)}
			found++
		}
	}
}
