package asm

import (
	"fmt"

	"cresset/internal/kgen/recipe"
)

// streams tells whether a loop has a second function, whose results go to memory around the caches: there is one result, of
// the type that the loop computes with, and it is no operand.
func streams(l *recipe.Loop) bool {
	return len(l.Dst) == 1 && l.Dst[0].Elem == recipe.Own && !l.InPlace()
}

// stream adds that function. It takes a number of elements that 256 divides, as any number of chains does, at least one, and a
// result aligned to a vector.
func (m *x86) stream(f *File, l *recipe.Loop, elem recipe.Elem) {
	pl := newPlan(m, l, elem)
	pl.around = true
	fn := f.Func(streamName(l, elem, m.suffix()), comment(l)+", written around the caches", params(l)...)
	m.begin(fn, pl)
	fn.Op("PCALIGN", "$32")
	fn.Label("several")
	m.prefetchFirst(fn, pl)
	pl.body(m, fn, 0, pl.chains, false)
	fn.Op("ADDQ", fmt.Sprintf("$%d", pl.chains*m.bytes()/elem.Size()), "AX")
	fn.Op("CMPQ", "AX", "CX")
	fn.Op("JLT", "several")
	fn.Op("SFENCE") // what is written next, perhaps that this thread has ended, shall not be seen before
	fn.Op("VZEROUPPER")
	fn.Op("RET")
}

// streamAhead is how many bytes ahead of what is read a loop around the caches asks for: two pages, since what the machine
// fetches by itself ends with a page.
const streamAhead = 8 << 10

// prefetchFirst asks for what all chains will read of the first operand; to ask for that of others too gained nothing.
func (m *x86) prefetchFirst(fn *Func, pl plan) {
	if len(pl.loop.Src) == 0 {
		return
	}
	size := sizeIn(pl.loop.Src[0].Elem, pl.elem)
	for at := 0; at < pl.chains*m.bytes()/pl.elem.Size()*size; at += lineBytes {
		fn.Op("PREFETCHT0", fmt.Sprintf("%d(%s)(AX*%d)", streamAhead+at, x86Pointers[pl.loop.SrcPlace(0)], size))
	}
}

// streamsRows is streams for a loop over rows, which folds nothing.
func streamsRows(l *recipe.Loop) bool { return l.Rows && len(l.Folds) == 0 && streams(l) }

// streamRows is stream for a loop over rows: each has a multiple of 64 elements, which any number of chains of floats divides.
// While it writes it fetches what will be read next: memory can do both at once.
func (m *x86) streamRows(f *File, l *recipe.Loop, elem recipe.Elem) {
	l = fetching(l)
	pl := newPlan(m, l, elem)
	pl.around = true
	fn := f.Func(streamName(l, elem, m.suffix()), comment(l)+", written around the caches", params(l)...)
	m.beginRows(fn, l)
	fn.Label("row")
	fn.Op("MOVQ", fn.Arg("n"), "CX")
	fn.Op("XORL", "AX", "AX")
	pl.fetchKept(m, fn)
	fn.Label("several")
	m.prefetch(fn, pl)
	pl.body(m, fn, 0, pl.chains, false)
	fn.Op("ADDQ", fmt.Sprintf("$%d", pl.chains*m.bytes()/elem.Size()), "AX")
	fn.Op("CMPQ", "AX", "CX")
	fn.Op("JLT", "several")
	m.nextRow(fn, pl)
	fn.Op("SFENCE")
	fn.Op("VZEROUPPER")
	fn.Op("RET")
}

// fetching returns the loop as one that fetches, as all over rows do that write around the caches.
func fetching(l *recipe.Loop) *recipe.Loop {
	more := *l
	more.Fetches = true
	return &more
}

func streamName(l *recipe.Loop, elem recipe.Elem, suffix string) string {
	return functionName(l, elem, "Stream"+suffix)
}
