package kern

import (
	"math"
	"math/bits"
	"unsafe"

	"cresset/internal/mem"
	"cresset/internal/par"
)

// ForWithWorkspace is par.For whose body also gets n elements of working memory, of undefined content. Elements hold no
// pointers. The memory of all threads is allocated before the first call of body, so that a loop whose workspace the machine
// cannot hold returns the error having done nothing.
func ForWithWorkspace[E any](count, grain, n int, body func(lo, hi int, space []E)) error {
	return ForWithWorkspaces(count, grain, n, func(lo, hi int, space []E, _ []struct{}) { body(lo, hi, space) })
}

// ForWithWorkspaces is ForWithWorkspace with working memory for n elements of each of two types.
func ForWithWorkspaces[E, F any](count, grain, n int, body func(lo, hi int, x []E, y []F)) error {
	var x E
	var y F
	lines := n/mem.Alignment + 1 // so many elements of any type fill whole cache lines, which threads do not share
	second := volume(lines, mem.Alignment, int(unsafe.Sizeof(y)))
	bytes := volume(lines, mem.Alignment, int(unsafe.Sizeof(x)+unsafe.Sizeof(y)))
	return forWithParts(count, grain, bytes, func(lo, hi int, part unsafe.Pointer) {
		// Both slices are aligned and are within the part; y, whose elements may have no size, is before x.
		body(lo, hi, unsafe.Slice((*E)(unsafe.Add(part, second)), n), unsafe.Slice((*F)(part), n))
	})
}

// forWithParts is par.For whose body also gets so many bytes of working memory, which outlives the loop.
func forWithParts(count, grain, bytes int, body func(lo, hi int, part unsafe.Pointer)) error {
	if count <= 0 {
		return nil
	}
	inline, threads := par.Inline(count, grain), 1
	if !inline {
		threads = min(par.NumThreads(), count/max(grain, 1))
	}
	block, err := mem.Alloc(volume(threads, bytes))
	if err != nil {
		return err
	}
	defer block.Free()
	if inline {
		body(0, count, block.Pointer())
		return nil
	}
	// The number of threads may change meanwhile: one that finds no part waits for another's.
	parts := make(chan int, threads)
	for i := range threads {
		parts <- i
	}
	par.For(count, grain, func(lo, hi int) {
		i := <-parts
		defer func() { parts <- i }()
		body(lo, hi, unsafe.Add(block.Pointer(), i*bytes))
	})
	return nil
}

// volume returns the product of extents, or the largest int where that overflows.
func volume(extents ...int) int {
	product := uint(1)
	for _, n := range extents {
		over, low := bits.Mul(product, uint(n))
		if over != 0 || low > math.MaxInt {
			return math.MaxInt
		}
		product = low
	}
	return int(product)
}
