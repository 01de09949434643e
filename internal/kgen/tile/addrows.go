package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// addRowsWidths are how many vectors of columns are summed side by side: the first hides the latency of additions.
var addRowsWidths = []int{8, 4, 2, 1}

// Registers after those of the sums: an element, a part of the sums in float64, and AVX2's mask.
const (
	addRowsElement = 8
	addRowsOn      = 9
)

// addRows adds rows to sums of their columns: runs of them in their own type, of half types in float32, whose sums are added in float64. Columns that
// fill no vector are a masked one, under NEON single columns; of half types there are none.
//
// SI points to the run of rows, R10 to its columns and R11 to the row's; BX points to the sums. R8 counts rows, R9 those
// of the run, R12 columns, CX rows of the run that are left; R13 is the distance of rows.
func (m *machine) addRows(f *asm.File, e elem) {
	w := m.writer(f, "addRows", e, &addRowsCall, "sums[j] += x[i][j] for all rows i, in runs whose sums are added in float64")
	w.arg("x", "SI")
	w.arg("rows", "R8")
	w.arg("row", "R13")
	if !e.isHalf() {
		w.loadMasks(addRowsOn, addRowsOn, "mask")
		w.useMask(0)
	}
	w.label("run")
	w.arg("run", "R9")
	w.atMost("R8", "R9")
	w.move("SI", "R10")
	w.arg("sums", "BX")
	w.arg("cols", "R12")
	for _, vectors := range addRowsWidths {
		w.addColumns(fmt.Sprint(vectors), vectors, vectors*w.lanes(e))
	}
	w.part = !e.isHalf()
	switch {
	case w.arm:
		w.addColumns("Single", 1, 1)
	case w.part:
		w.op("TESTQ", "R12", "R12")
		w.op("JZ", "next")
		w.addRun("part", 1)
		w.label("next")
	}
	w.move("R9", "AX")
	w.multiply("R13", "AX")
	w.add("AX", "SI")
	w.sub("R9", "R8")
	w.jump("GT", "run")
	w.end()
}

// addColumns adds the run's rows of so many columns to their sums, as long as there are as many.
func (w *writer) addColumns(label string, vectors, cols int) {
	count := fmt.Sprintf("$%d", cols)
	w.label("columns" + label)
	w.compare("R12", count)
	w.jump("LT", "fewer"+label)
	w.addRun("row"+label, vectors)
	w.add(fmt.Sprintf("$%d", cols*w.sizeOfB()), "R10")
	w.add(fmt.Sprintf("$%d", cols*8), "BX")
	w.sub(count, "R12")
	w.goTo("columns" + label)
	w.label("fewer" + label)
}

// addRun adds the run's rows of so many vectors of columns to their sums. Sums have space for whole vectors.
func (w *writer) addRun(row string, vectors int) {
	for v := range vectors {
		if w.size == 8 {
			w.sums().load(memory{base: "BX", offset: v * w.bytes}, v)
			continue
		}
		w.zero(v)
	}
	w.move("R10", "R11")
	w.move("R9", "CX")
	w.label(row)
	for v := range vectors {
		var x operand = memory{base: "R11", offset: v * w.lanes(w.elem) * w.sizeOfB()}
		switch {
		case w.isHalf():
			w.loadHalf(x.(memory), addRowsElement)
			x = addRowsElement
		case w.part && !w.arm:
			w.load(x.(memory), addRowsElement)
			x = addRowsElement
		}
		w.plus(x, v)
	}
	w.add("R13", "R11")
	w.repeat("CX", row)
	for v := range vectors {
		w.keepSums(v)
	}
}

// sums is a writer of sums, of which amd64 has whole vectors.
func (w *writer) sums() *writer {
	s := *w
	s.elem, s.part = elems[1], w.part && w.arm
	return &s
}

// keepSums writes a vector of sums; those of float32 are added to what there is.
func (w *writer) keepSums(v int) {
	s, halves := w.sums(), 2
	if w.size == 8 {
		s.store(v, memory{base: "BX", offset: v * w.bytes})
		return
	}
	if s.part {
		halves = 1
	}
	for half := range halves {
		to := memory{base: "BX", offset: (2*v + half) * w.bytes}
		w.widen(v, half, addRowsElement)
		s.plus(to, addRowsElement)
		s.store(addRowsElement, to)
	}
}
