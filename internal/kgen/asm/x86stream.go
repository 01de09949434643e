package asm

import (
	"fmt"
	"slices"

	"cresset/internal/kgen/recipe"
)

// streams tells whether a loop has a second function, for results that no cache holds: there is one result, of the type that
// the loop computes with, and it is no operand.
func streams(l *recipe.Loop) bool {
	return len(l.Dst) == 1 && l.Dst[0].Elem == recipe.Own && !l.InPlace()
}

// stream adds that function. It takes a number of elements that 256 divides, as any number of chains does, at least one, and a
// result aligned to a vector.
func (m *x86) stream(f *File, l *recipe.Loop, elem recipe.Elem) {
	pl := newPlan(m, l, elem)
	fn := f.Func(streamName(l, elem, m.suffix()), comment(l)+", of a result that no cache holds", params(l)...)
	m.begin(fn, pl)
	one := l.Src[:min(1, len(l.Src))] // to ask for more operands gained nothing
	m.streamed(fn, pl, func() { m.askFor(fn, pl, pl.chains, one, aroundAhead) })
	fn.Op("SFENCE") // what is written next, perhaps that this thread has ended, shall not be seen before
	fn.Op("VZEROUPPER")
	fn.Op("RET")
}

// streamed is the loop over n elements, twice: one writes around the caches, which saves reading each line of the result
// first; the other, for machines that would wait for each such line to reach memory, writes through them, and asks early for
// every line that it will read or write. Fetch is what the former asks for.
func (m *x86) streamed(fn *Func, pl plan, fetch func()) {
	pass := func(label string, ask func()) {
		fn.Op("PCALIGN", "$32")
		fn.Label(label)
		ask()
		pl.body(m, fn, 0, pl.chains, false)
		fn.Op("ADDQ", fmt.Sprintf("$%d", pl.chains*m.bytes()/pl.elem.Size()), "AX")
		fn.Op("CMPQ", "AX", "CX")
		fn.Op("JLT", label)
	}
	fn.Op("CMPB", "·writesThrough(SB)", "$0")
	fn.Op("JNE", "through")
	pl.around = true
	pass("around", fetch)
	fn.Op("JMP", "written")
	pl.around = false
	pass("through", func() {
		m.prefetch(fn, pl, pl.chains)
		m.askFor(fn, pl, pl.chains, pl.loop.Operands(), throughAhead)
	})
	fn.Label("written")
}

const (
	// aroundAhead is how many bytes ahead of what is read a loop around the caches asks for: two pages, since what the machine
	// fetches by itself ends with a page.
	aroundAhead = 8 << 10

	// throughAhead is how many a loop through the caches asks for of what it reads and writes: 0.5, 1, 2, 4 and 8 KiB ahead
	// a ReLU of ten million elements took 7.2, 7.0, 6.8, 6.9 and 7.3 ms.
	throughAhead = 2 << 10
)

// askFor brings what so many chains will read or write of operands into the caches.
func (m *x86) askFor(fn *Func, pl plan, chains int, operands []recipe.Operand, ahead int) {
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

// streamsRows is streams for a loop over rows, which folds nothing.
func streamsRows(l *recipe.Loop) bool { return l.Rows && len(l.Folds) == 0 && streams(l) }

// streamRows is stream for a loop over rows: each has a multiple of 64 elements, which any number of chains of floats divides.
// While it writes it fetches what will be read next: memory can do both at once.
func (m *x86) streamRows(f *File, l *recipe.Loop, elem recipe.Elem) {
	l = fetching(l)
	pl := newPlan(m, l, elem)
	fn := f.Func(streamName(l, elem, m.suffix()), comment(l)+", of a result that no cache holds", params(l)...)
	m.beginRows(fn, l)
	fn.Label("row")
	fn.Op("MOVQ", fn.Arg("n"), "CX")
	fn.Op("XORL", "AX", "AX")
	pl.fetchKept(m, fn)
	m.streamed(fn, pl, func() { m.prefetch(fn, pl, pl.chains) })
	m.nextRow(fn, pl)
	fn.Op("SFENCE")
	fn.Op("VZEROUPPER")
	fn.Op("RET")
}

// fetching returns the loop as one that fetches, as all over rows do for a result that no cache holds.
func fetching(l *recipe.Loop) *recipe.Loop {
	more := *l
	more.Fetches = true
	return &more
}

func streamName(l *recipe.Loop, elem recipe.Elem, suffix string) string {
	return functionName(l, elem, "Stream"+suffix)
}
