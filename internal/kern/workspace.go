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
	if count <= 0 {
		return nil
	}
	threads := 1
	if !par.Inline(count, grain) {
		threads = min(par.NumThreads(), count/max(grain, 1))
	}
	l, err := newWorkspace[E, F](threads, n)
	if err != nil {
		return err
	}
	defer l.block.Free()
	if par.Inline(count, grain) {
		x, y := l.part(0)
		body(0, count, x, y)
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
		x, y := l.part(i)
		body(lo, hi, x, y)
	})
	return nil
}

// workspace is working memory for several threads, n elements of each type for each.
type workspace[E, F any] struct {
	block *mem.Block
	n     int
	first int // where a part's elements of type E start: those of F, which may have no size, lie before them
	bytes int // of a part
}

func newWorkspace[E, F any](threads, n int) (l workspace[E, F], err error) {
	var x E
	var y F
	lines := n/mem.Alignment + 1 // so many elements of any type fill whole cache lines, which threads do not share
	l.n = n
	l.bytes = volume(lines, mem.Alignment, int(unsafe.Sizeof(x)+unsafe.Sizeof(y)))
	l.first = volume(lines, mem.Alignment, int(unsafe.Sizeof(y)))
	l.block, err = mem.Alloc(volume(threads, l.bytes))
	return l, err
}

// part returns the memory of one thread. It is sound: both slices are aligned, lie within the block, which outlives the
// loop, and hold no pointers.
func (l *workspace[E, F]) part(i int) ([]E, []F) {
	at := unsafe.Add(l.block.Pointer(), i*l.bytes)
	return unsafe.Slice((*E)(unsafe.Add(at, l.first)), l.n), unsafe.Slice((*F)(at), l.n)
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
