package kern

import (
	"bytes"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

const (
	topBlock = 1024 // elements that are held against a bound at a time
	topLanes = 64   // groups of a block whose extremes give the first bound
	topFirst = 32   // so many elements of a line they give a bound for
)

// Top writes the first elements of a line of n, so far apart in src, in the order of Sort, to best; it is for a best that is short. A vector
// loop holds a block of elements against a bound, which few of them pass: top5/128x1000 takes a third of the time so.
func Top[T dtype.Number](best []Ordered, src []T, n, step int, descending bool) {
	if len(best) == 0 {
		return
	}
	t := top[T]{best: best, src: src, step: step, descending: descending}
	if step != 1 {
		t.gather(n)
		return
	}
	for lo := 0; lo < n; lo += topBlock {
		t.read(src[lo:min(lo+topBlock, n)], lo)
	}
}

// gather reads the blocks of a line whose elements are not contiguous.
func (t *top[T]) gather(n int) {
	var space [topBlock]T
	for lo := 0; lo < n; lo += topBlock {
		block := space[:min(topBlock, n-lo)]
		for i, at := 0, lo*t.step; i < len(block); i, at = i+1, at+t.step {
			block[i] = t.src[at]
		}
		t.read(block, lo)
	}
}

// top is what Top has found.
type top[T dtype.Number] struct {
	best       []Ordered
	found      int
	src        []T
	step       int
	descending bool
}

// read offers the elements of a block, of which the first is number lo of the line.
func (t *top[T]) read(block []T, lo int) {
	var space [topBlock]bool
	beyond := space[:len(block)]
	switch {
	case t.found == len(t.best):
		t.compare(beyond, block, t.last(), true) // an equal one is ordered after the last
	case t.found == 0 && len(block) >= 2*topLanes && len(t.best) <= topFirst:
		t.compare(beyond, block, t.bound(block), false)
	}
	var key [1]uint64
	marks := bytesOf(beyond)
	for i := 0; i < len(block); i++ {
		if marks[i] != 0 {
			next := bytes.IndexByte(marks[i:], 0)
			if next < 0 {
				return
			}
			i += next
		}
		t.offer(keys(key[:], block[i:], 1, t.descending)[0], lo+i)
	}
}

// last returns the last of the best.
func (t *top[T]) last() T { return t.src[int(t.best[t.found-1].From)*t.step] }

// bound returns an element of a block after which none of the best is ordered: the extremes of its groups are as many different elements.
func (t *top[T]) bound(block []T) T {
	extreme := Minimum[T]
	if t.descending {
		extreme = Maximum[T]
	}
	var lanes [topLanes]T
	copy(lanes[:], block)
	for block = block[topLanes:]; len(block) > 0; block = block[min(topLanes, len(block)):] {
		some := lanes[:min(topLanes, len(block))]
		extreme(some, some, block[:len(some)])
	}
	var space [topFirst]Ordered
	few := top[T]{best: space[:len(t.best)], src: lanes[:], step: 1, descending: t.descending}
	var orders [topLanes]uint64
	for i, key := range keys(orders[:], lanes[:], 1, t.descending) {
		few.offer(key, i)
	}
	return few.last()
}

// compare sets which elements of a block are ordered after a bound, or also those that equal it; NaN never is.
func (t *top[T]) compare(behind []bool, block []T, bound T, orEqual bool) {
	switch {
	case t.descending && orEqual:
		for i := vec.Unary(vec.Le+vec.Right, behind, block, bound); i < len(block); i++ {
			behind[i] = block[i] <= bound
		}
	case t.descending:
		for i := vec.Unary(vec.Lt+vec.Right, behind, block, bound); i < len(block); i++ {
			behind[i] = block[i] < bound
		}
	case orEqual:
		for i := vec.Unary(vec.Ge+vec.Right, behind, block, bound); i < len(block); i++ {
			behind[i] = block[i] >= bound
		}
	default:
		for i := vec.Unary(vec.Gt+vec.Right, behind, block, bound); i < len(block); i++ {
			behind[i] = block[i] > bound
		}
	}
}

// offer puts an element among the best if it is ordered before the last of them.
func (t *top[T]) offer(key uint64, from int) {
	if t.found == len(t.best) {
		if key >= t.best[t.found-1].Key {
			return
		}
		t.found--
	}
	at := t.found
	for ; at > 0 && key < t.best[at-1].Key; at-- {
		t.best[at] = t.best[at-1]
	}
	t.best[at] = Ordered{key, int64(from)}
	t.found++
}
