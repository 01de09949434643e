package emit

import "fmt"

// A region with sums is computed by blocks of 32 columns and 8 rows of threads, as the kernels of reductions are: thread (x, y) takes every 8th
// row of a part; the 8 sums of a column are added in order, in float64. Each part's are left in memory, and the last block of a column
// adds them, as last.cuh of the kernels compiled ahead says, in the order of reduceColumns in reduction.cu: sums have the bits of those kernels.
const (
	warp     = 32
	sumRows  = 8
	inFlight = 4 // rows that a thread takes at once
	sumWords = 6 // of a region's parameters, beside an address for each sum
)

// A Split says how the rows of a region with sums are divided, and where parts are left.
type Split struct {
	Parts, Part  uint64 // how many, of so many rows
	Partials     uint64 // address of Parts × Columns float64 for each sum
	FirstCounter uint64 // of counters that are 0: one for each 32 columns
}

// AppendSumWords appends the parameters behind those of AppendWords: of the sums, and where they go.
func (k *Kernel) AppendSumWords(words []uint64, s Split, to []uint64) []uint64 {
	columns := uint64(k.Columns)
	words = append(words, k.Vectors/columns, columns, s.Parts, s.Part, s.Partials, s.FirstCounter)
	return append(words, to...)
}

// atOnce is how many elements a thread computes at once.
func (w *writer) atOnce() int {
	switch {
	case w.Columns > 0:
		return inFlight
	case w.reduces():
		return w.Lanes * w.groupsInFlight()
	}
	return w.Lanes
}

// sums are what the parameters tell of a region's sums, and where the thread stands.
type sums struct {
	rows, columns, parts, part, count string // %r
	partials                          string
	to                                []string // addresses
	x, y, column                      string   // %r
	place, block                      string   // of the part, and of the column's block
	inside, first                     string   // predicates: the column is one; the thread is of the first row
	cell                              string   // address in shared memory
	own                               []*adder
	acc                               []string
}

// columns writes a kernel with sums.
func (w *writer) columns() {
	w.parameters()
	w.param("rd", "ld.param.b64")
	w.operands()
	s := w.sums()
	w.rows(s)
	w.body.WriteString("$sum:\n")
	for _, own := range s.own {
		s.acc = append(s.acc, own.value(w))
	}
	w.joinRows(s)
	single := w.make("p", "setp.eq.u32", s.parts, "1")
	w.line("@%s bra $write", single)
	w.keep(s)
	w.last(s)
	w.joinRows(s)
	w.body.WriteString("$write:\n")
	w.line("@!%s bra $end", w.make("p", "and.pred", s.first, s.inside))
	column := w.make("rd", "cvt.u64.u32", s.column)
	for i := range w.region.Sums {
		sum := &w.region.Sums[i]
		at := w.make("rd", "mad.lo.s64", column, fmt.Sprint(sum.DType.Size()), s.to[i])
		rounded := w.round(w.make("r", "cvt.rn.f32.f64", s.acc[i]), sum.Rounded)
		w.store(sum.DType, at, []value{w.cast(rounded, sum.DType)})
	}
	w.body.WriteString("$end:\n\tret;\n")
}

// sums reads the parameters, and ends blocks that have no columns or rows.
func (w *writer) sums() *sums {
	s := new(sums)
	for _, r := range []*string{&s.rows, &s.columns, &s.parts, &s.part} {
		*r = w.param("r", "ld.param.b32")
	}
	s.partials, s.count = w.param("rd", "ld.param.b64"), w.param("r", "ld.param.b32")
	for range w.region.Sums {
		s.to = append(s.to, w.param("rd", "ld.param.b64"))
	}
	s.block, s.place = w.make("r", "mov.u32", "%ctaid.x"), w.make("r", "mov.u32", "%ctaid.y")
	start := w.make("r", "shl.b32", s.block, "5")
	w.line("@%s bra $end", w.make("p", "setp.ge.u32", start, s.columns))
	w.line("@%s bra $end", w.make("p", "setp.ge.u32", s.place, s.parts))
	s.x, s.y = w.make("r", "mov.u32", "%tid.x"), w.make("r", "mov.u32", "%tid.y")
	s.column = w.make("r", "add.s32", start, s.x)
	s.inside, s.first = w.make("p", "setp.lt.u32", s.column, s.columns), w.make("p", "setp.eq.u32", s.y, "0")
	w.line(".shared .align 8 .b8 cells[%d]", 8*warp*sumRows)
	w.line(".shared .align 4 .b8 ended[4]")
	s.cell = w.make("r", "mad.lo.u32", w.make("r", "mad.lo.u32", s.y, fmt.Sprint(warp), s.x), "8", w.make("r", "mov.u32", "cells"))
	for range w.region.Sums {
		s.own = append(s.own, w.adder())
	}
	return s
}

// rows computes the thread's elements, and adds them up.
func (w *writer) rows(s *sums) {
	k := w.make("r", "mad.lo.u32", s.place, s.part, s.y)
	end := w.make("r", "min.u32", w.make("r", "mad.lo.u32", s.place, s.part, s.part), s.rows)
	end = w.make("r", "selp.b32", end, "0", s.inside)
	w.line("@%s bra $sum", w.make("p", "setp.ge.u32", k, end))
	column := w.make("rd", "cvt.u64.u32", s.column)
	w.body.WriteString("$loop:\n")
	in := len(w.region.In)
	at, guards := make([][]string, inFlight), make([]string, inFlight)
	for n := range inFlight {
		row := k
		if n > 0 { // behind the last row stands the first one again, of which nothing is kept
			row = w.make("r", "add.s32", k, fmt.Sprint(n*sumRows))
			guards[n] = w.make("p", "setp.lt.u32", row, end)
			row = w.make("r", "selp.b32", row, k, guards[n])
		}
		w.index = w.make("rd", "mad.wide.u32", row, s.columns, column)
		at[n] = w.places()
		for i := range w.region.In {
			if c := w.classes[i].kind; c == flat || c == strided {
				w.values[i] = append(w.values[i], w.load(i, at[n][i], 1)...)
			}
		}
	}
	for n := range inFlight {
		for i := range w.region.Steps {
			w.values[in+i] = append(w.values[in+i], w.step(i, n))
		}
	}
	for _, own := range s.own {
		own.begin(w)
	}
	for n, p := range guards {
		if p != "" {
			w.guard = "@" + p + " "
		}
		for i := range w.region.Out {
			w.store(w.region.Out[i].DType, at[n][in+i], w.values[in+w.region.Out[i].Step][n:n+1])
		}
		for i := range w.region.Sums {
			v := w.number(&w.values[w.region.Sums[i].From][n])
			if p != "" {
				v = w.make("r", "selp.b32", v, "0", p) // which leaves the sum as it is
			}
			s.own[i].take(w, v)
		}
	}
	w.guard = ""
	for _, own := range s.own {
		own.end(w)
	}
	w.line("add.s32 %s, %[1]s, %d", k, inFlight*sumRows)
	w.line("@%s bra $loop", w.make("p", "setp.lt.u32", k, end))
}

// joinRows leaves the sums of each column's threads in the accumulators of the first row.
func (w *writer) joinRows(s *sums) {
	for _, acc := range s.acc {
		w.line("st.shared.b64 [%s], %s", s.cell, acc)
		w.line("bar.sync 0")
		for y := 1; y < sumRows; y++ { // those of the other rows add what does not count, of the same memory
			w.line("@%s add.rn.f64 %s, %[2]s, %s", s.first, acc, w.row(s, y))
		}
		w.line("bar.sync 0")
	}
}

// row reads what the thread of row y left, where this is the first.
func (w *writer) row(s *sums, y int) string {
	to := w.new("rd")
	w.line("@%s ld.shared.b64 %s, [%s+%d]", s.first, to, s.cell, 8*warp*y)
	return to
}

// keep leaves the part's sums in memory, and ends the block unless it is the last of its columns.
func (w *writer) keep(s *sums) {
	mine := w.make("p", "and.pred", s.first, s.inside)
	for i, acc := range s.acc {
		w.line("@%s st.global.b64 [%s], %s", mine, w.partial(s, i, s.place), acc)
	}
	w.line("membar.gl")
	w.line("bar.sync 0")
	one := w.make("p", "setp.eq.u32", w.make("r", "or.b32", s.x, s.y), "0")
	counter := w.make("rd", "mad.wide.u32", w.make("r", "add.s32", s.count, s.block), "4", w.make("rd", "mov.b64", "counts"))
	before, most := w.new("r"), w.make("r", "sub.s32", s.parts, "1")
	w.line("@%s atom.global.inc.u32 %s, [%s], %s", one, before, counter, most) // the last one makes it 0 again
	w.line("@%s st.shared.b32 [ended], %s", one, before)
	w.line("bar.sync 0")
	w.line("@%s bra $end", w.make("p", "setp.ne.u32", w.make("r", "ld.shared.b32", "[ended]"), most))
	w.line("membar.gl")
}

// partial is where a part's sum number i of the thread's column is.
func (w *writer) partial(s *sums, i int, part string) string {
	row := part
	if i > 0 {
		row = w.make("r", "mad.lo.u32", s.parts, fmt.Sprint(i), part)
	}
	at := w.make("rd", "mad.wide.u32", row, s.columns, w.make("rd", "cvt.u64.u32", s.column))
	return w.make("rd", "mad.lo.s64", at, "8", s.partials)
}

// last adds up the thread's of all parts.
func (w *writer) last(s *sums) {
	for i, acc := range s.acc {
		part := w.make("r", "mov.u32", s.y)
		w.line("mov.b64 %s, 0d0000000000000000", acc)
		stop := w.make("r", "selp.b32", s.parts, "0", s.inside)
		fmt.Fprintf(&w.body, "$part%d:\n", i)
		more := w.make("p", "setp.lt.u32", part, stop)
		v := w.new("rd")
		w.line("@%s ld.volatile.global.b64 %s, [%s]", more, v, w.partial(s, i, part))
		w.line("@%s add.rn.f64 %s, %[2]s, %s", more, acc, v)
		w.line("add.s32 %s, %[1]s, %d", part, sumRows)
		w.line("@%s bra $part%d", more, i)
	}
}
