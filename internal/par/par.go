// Package par runs the iterations of a loop on a thread pool that persists between calls.
//
// A loop is cut into chunks that threads claim one after the other, each from its own part of the loop before it takes those
// of others. Where the cuts fall depends on the loop alone and never on the number of threads, so a caller that combines
// per-chunk results in order gets the same bits on every machine.
package par

import (
	"runtime"
	"sync/atomic"
)

// maxChunks bounds the claims of one loop; at 256 a machine with 64 threads still has four chunks per thread to even out
// unequal work.
const maxChunks = 256

var (
	workers   = newPool()
	threadCap atomic.Int64 // 0: no cap but GOMAXPROCS
)

// For calls body(lo, hi) for consecutive chunks that cover [0, n), on several threads at once, and returns when all have
// ended.
//
// A chunk has at least grain elements unless n is smaller, and every boundary but n is a multiple of grain; a grain worth 2
// us of work or more pays for its claim. A panic of body reaches the caller of For with its value unchanged. Bodies may call
// For themselves, and goroutines may call it at the same time: while the pool runs a loop, another caller runs its own
// alone.
//
// For itself does not allocate, but body escapes: a caller for whom its closure is too dear asks [Inline] first.
func For(n, grain int, body func(lo, hi int)) {
	if n <= 0 {
		return
	}
	if Inline(n, grain) {
		body(0, n)
		return
	}
	workers.run(cut(n, grain), body)
}

// Do calls f(i) for every i in [0, n), on several threads at once, and returns when all have ended. It is For for tasks that
// are worth a thread each.
func Do(n int, f func(i int)) {
	For(n, 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f(i)
		}
	})
}

// Inline reports whether For(n, grain, body) is body(0, n) and nothing else.
func Inline(n, grain int) bool {
	return n/2 < max(grain, 1) // the product 2*grain could overflow
}

// NumThreads returns the number of threads that a loop may use: GOMAXPROCS as it is now, or less by SetNumThreads. Go keeps
// GOMAXPROCS within the CPU limit of the control group, also where that changes.
func NumThreads() int {
	procs := runtime.GOMAXPROCS(0)
	if c := int(threadCap.Load()); c > 0 {
		return min(c, procs)
	}
	return procs
}

// SetNumThreads lets loops that start from now on use at most n threads; 0 takes the limit away.
func SetNumThreads(n int) {
	threadCap.Store(int64(max(n, 0)))
}

// chunks is a cut of [0, n): count runs of whole grains, the last with what remains of n.
type chunks struct {
	n, grain    int
	count       int
	each, extra int // a run has each grains, the first extra runs one more
}

func cut(n, grain int) chunks {
	grain = max(grain, 1)
	grains := n / grain
	count := min(grains, maxChunks)
	return chunks{n: n, grain: grain, count: count, each: grains / count, extra: grains % count}
}

func (c *chunks) bounds(i int) (lo, hi int) {
	lo = (i*c.each + min(i, c.extra)) * c.grain
	if i == c.count-1 {
		return lo, c.n
	}
	i++
	return lo, (i*c.each + min(i, c.extra)) * c.grain
}
