package asm

import (
	"fmt"
	"slices"

	"cresset/internal/kgen/recipe"
)

// maxPerLine is how many instructions beside loads and stores a loop has at most for each cache line of its result if it has
// a second function, which writes by non-temporal stores. These save reading each line of the result before it is
// written, which a loop gains by that waits for memory: for ten million float32 under AVX2 a ReLU (1 instruction a vector)
// took 3.7 ms with them and 5.9 ms without, exp (20) 5.2 and 5.7, sigmoid (22) 5.9 and 6.5, and tanh (28), log (28), gelu (42)
// and sine (113) the same.
const maxPerLine = 44

// streams reports whether a loop has that function for a type of number: there is one result, of the type that the loop computes
// with, which is no operand and may be larger than the caches.
func (m *x86) streams(l *recipe.Loop, elem recipe.Elem) bool {
	if len(l.Dst) != 1 || l.Dst[0].Elem != recipe.Own || l.InPlace() || len(l.Folds) > 0 || l.Cached {
		return false
	}
	if !m.scales() {
		l = l.Expanded()
	}
	count := 0
	for _, in := range lower(m, l, elem, 0, 1).insts {
		if in.kind != load && in.kind != store {
			count++
		}
	}
	return count*lineBytes <= maxPerLine*m.bytes()
}

// stream adds that function. It takes a number of elements that 256 divides, as any number of chains does, at least one, and a
// result aligned to a vector.
func (m *x86) stream(f *File, l *recipe.Loop, elem recipe.Elem) {
	pl := newPlan(m, l, elem)
	fn := f.Func(streamName(l, elem, m.suffix()), comment(l)+", by non-temporal stores", params(l)...)
	m.begin(fn, pl)
	one := l.Src[:min(1, len(l.Src))] // to prefetch more operands gained nothing
	m.streamed(fn, pl, func() { m.prefetchOperands(fn, pl, pl.chains, one, nonTemporalAhead) })
	m.endStream(fn)
}

// endStream ends a function that wrote by non-temporal stores. Other threads see them no later than what is written after
// SFENCE, perhaps that this thread has finished.
func (m *x86) endStream(fn *Func) {
	fn.Op("SFENCE")
	fn.Op("VZEROUPPER")
	fn.Op("RET")
}

// streamed is the loop over n elements. It writes by non-temporal stores, with prefetches of prefetch's; or, where package vec
// has found a processor that is slow at those, by ordinary ones, with prefetches of each line that it will read or write.
func (m *x86) streamed(fn *Func, pl plan, prefetch func()) {
	fn.Op("PCALIGN", "$32")
	fn.Label("vectors")
	pl.streams = true
	results := pl.body(m, fn, 0, pl.chains, false).results
	write := func(name string) {
		for _, r := range results {
			fn.Op(name, r.register, r.address)
		}
		fn.Op("ADDQ", fmt.Sprintf("$%d", pl.chains*m.bytes()/pl.elem.Size()), "AX")
		fn.Op("CMPQ", "AX", "CX")
		fn.Op("JLT", "vectors")
	}
	fn.Op("CMPB", "·ordinaryStores(SB)", "$0")
	fn.Op("JNE", "ordinary")
	prefetch()
	write("VMOVNTPS")
	fn.Op("JMP", "written")
	fn.Label("ordinary")
	m.prefetch(fn, pl, pl.chains)
	m.prefetchOperands(fn, pl, pl.chains, pl.loop.Operands(), ordinaryAhead)
	write("VMOVUPS")
	fn.Label("written")
}

const (
	// nonTemporalAhead is how many bytes ahead of what it reads a loop with non-temporal stores prefetches: two pages, since
	// the hardware's prefetcher stops at the end of a page.
	nonTemporalAhead = 8 << 10

	// ordinaryAhead is how many bytes ahead a loop with ordinary stores prefetches what it reads and writes: 0.5, 1, 2, 4 and
	// 8 KiB ahead a ReLU of ten million elements took 7.2, 7.0, 6.8, 6.9 and 7.3 ms on Cascade Lake.
	ordinaryAhead = 2 << 10
)

// prefetchOperands prefetches what so many chains will read or write of operands.
func (m *x86) prefetchOperands(fn *Func, pl plan, chains int, operands []recipe.Operand, ahead int) {
	for n, o := range pl.loop.Operands() {
		if o.Same || !slices.Contains(operands, o) {
			continue
		}
		size := sizeIn(o.Elem, pl.elem)
		for at := 0; at < chains*m.bytes()/pl.elem.Size()*size; at += lineBytes {
			fn.Op("PREFETCHT0", fmt.Sprintf("%d(%s)(AX*%d)", ahead+at, x86Pointers[n], size))
		}
	}
}

// streamRows is stream for a loop over rows: each has a multiple of 64 elements, which any number of chains of floats divides.
// It prefetches what the caller reads next while it writes, since memory is read and written at the same time.
func (m *x86) streamRows(f *File, l *recipe.Loop, elem recipe.Elem) {
	l = fetching(l)
	pl := newPlan(m, l, elem)
	fn := f.Func(streamName(l, elem, m.suffix()), comment(l)+", by non-temporal stores", params(l)...)
	m.beginRows(fn, l)
	fn.Label("row")
	fn.Op("MOVQ", fn.Arg("n"), "CX")
	fn.Op("XORL", "AX", "AX")
	pl.fetchKept(m, fn)
	m.streamed(fn, pl, func() { m.prefetch(fn, pl, pl.chains) })
	m.nextRow(fn, pl)
	m.endStream(fn)
}

// fetching returns the loop as one that prefetches what will be read next.
func fetching(l *recipe.Loop) *recipe.Loop {
	more := *l
	more.Fetches = true
	return &more
}

func streamName(l *recipe.Loop, elem recipe.Elem, suffix string) string {
	return functionName(l, elem, "Stream"+suffix)
}
