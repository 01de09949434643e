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

// Select moves the k elements of a line that Sort puts first to its front, in the order in which they stood; what follows them is any of the
// others. It counts digits from the highest byte down, each time among the elements that share the higher digits of the bound between the two.
// spare has the length of line.
func Select(line, spare []Ordered, k, bytes int) {
	var bound, known uint64 // the digits of the bound that are known, and the bits that they fill
	same, taken := line, k  // the elements with these digits, and how many of them are among the first
	for shift := 8 * (bytes - 1); shift >= 0; shift -= 8 {
		var count [256]int
		for i := range same {
			count[byte(same[i].Key>>shift)]++
		}
		digit := 0
		for ; count[digit] < taken; digit++ {
			taken -= count[digit]
		}
		bound |= uint64(digit) << shift
		known |= 0xff << shift
		if count[digit] == taken {
			break
		}
		same = withDigit(spare, same, shift, byte(digit))
	}
	to := 0
	for i := 0; to < k; i++ {
		digits := line[i].Key & known
		if digits > bound || digits == bound && taken == 0 {
			continue
		}
		if digits == bound {
			taken--
		}
		line[to] = line[i]
		to++
	}
}

// withDigit copies the elements that have a digit to dst, which may be where they are, and returns them.
func withDigit(dst, src []Ordered, shift int, digit byte) []Ordered {
	n := 0
	for _, s := range src {
		dst[n] = s
		has := 0 // a number in the place of a jump, which would be foretold badly
		if byte(s.Key>>shift) == digit {
			has = 1
		}
		n += has
	}
	return dst[:n]
}
