package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// Interpolations sum few elements of each axis by weights that a table holds. Rows are summed as wholes (combine). Along a row, the
// elements that one tap of a vector of results reads are within a vector, from which a permutation picks them (resample).
// Products and sums are rounded on their own, as in Go and on GPUs.

func (m *machine) resamples(f *asm.File, e elem) {
	m.writer(f, "combine", e, &combineCall, "y[i][j] = Σ w[i][t] · x[at[i][t]+j] for whole vectors of rows of y").combine()
	m.writer(f, "resample", e, &resampleCall, "y[i][j] = Σ w[t][j] · x[i][at[t][j]] for vectors of columns whose taps are within a vector each").resample()
}

// combine takes four vectors of a row at once, then two, then one. SI points to x, BX to the row of y, R8 to where the row's taps
// are, DX to their weights and R9 to their number, which R13 holds; CX counts rows, R10 vectors and AX taps; R12 is the offset of a
// vector in its row.
func (w *writer) combine() {
	w.arg("x", "SI")
	w.arg("y", "BX")
	w.arg("taps", "R8")
	w.arg("weights", "DX")
	w.arg("counts", "R9")
	w.arg("rows", "CX")
	w.label("row")
	w.prefetchAhead()
	w.word(memory{base: "R9"}, "R13")
	w.arg("vectors", "R10")
	w.clear("R12")
	for _, n := range []int{4, 2, 1} {
		behind := fmt.Sprintf("behind%d", n)
		w.label(fmt.Sprintf("block%d", n))
		w.compare("R10", fmt.Sprintf("$%d", n))
		w.jump("LT", behind)
		w.combined(n)
		w.sub(fmt.Sprintf("$%d", n), "R10")
		w.goTo(fmt.Sprintf("block%d", n))
		w.label(behind)
	}
	w.add("$8", "R9")
	w.addArg("rowTaps", "R8")
	w.addArg("rowWeights", "DX")
	w.addArg("rowY", "BX")
	w.repeat("CX", "row")
	w.end()
}

// prefetchAhead prefetches what is written next, while little else waits for memory: interpolate/8x64x28x28 takes an eleventh less time so.
func (w *writer) prefetchAhead() {
	w.arg("bytesAhead", "AX")
	w.jumpIfZero("AX", "ahead")
	w.arg("ahead", "R11")
	w.label("line")
	w.prefetch("R11")
	w.add("$64", "R11")
	w.sub("$64", "AX")
	w.jump("GT", "line")
	w.arg("rowAhead", "AX")
	w.addToArg("AX", "ahead")
	w.label("ahead")
}

// combined computes n vectors of a row.
func (w *writer) combined(n int) {
	factor, label := n, fmt.Sprint(n)
	tap := func() {
		w.word(memory{"R8", 0, "AX", 8}, "R11")
		w.indexed("SI", "R11", 1, "R11")
		w.add("R12", "R11")
		w.broadcast(memory{"DX", 0, "AX", w.size}, factor)
	}
	for v := range n {
		w.zero(v)
	}
	w.jumpIfZero("R13", "done"+label)
	w.clear("AX")
	tap()
	for v := range n {
		w.times(memory{base: "R11", offset: v * w.bytes}, factor, v)
	}
	w.label("tap" + label)
	w.increment("AX")
	w.compare("AX", "R13")
	w.jump("GE", "done"+label)
	tap()
	for v := range n {
		w.times(memory{base: "R11", offset: v * w.bytes}, factor, factor+1+v)
		w.plus(factor+1+v, v)
	}
	w.goTo("tap" + label)
	w.label("done" + label)
	w.indexed("BX", "R12", 1, "R11")
	for v := range n {
		w.store(v, memory{base: "R11", offset: v * w.bytes})
	}
	w.add(fmt.Sprintf("$%d", n*w.bytes), "R12")
}

// resampleRows is how many rows are resampled together: the table is read once for them.
const resampleRows = 4

// resample takes rows in fours, then one by one. SI, R10, R11 and R12 point to the rows of x and BX to the first of y; R8, R9 and DX run
// through the offsets, the permutations and the weights of blocks, which R14 counts; CX counts rows, AX taps.
func (w *writer) resample() {
	w.arg("x", "SI")
	w.arg("y", "BX")
	w.arg("rows", "CX")
	w.resampled(resampleRows)
	w.resampled(1)
	w.end()
}

// resampled is the loop over so many rows at a time.
func (w *writer) resampled(rows int) {
	label := fmt.Sprint(rows)
	sources := []string{"SI", "R10", "R11", "R12"}[:rows]
	const index, weight, picked = resampleRows, resampleRows + 1, resampleRows + 2
	w.label("rows" + label)
	w.compare("CX", "$"+label)
	w.jump("LT", "behind"+label)
	for n, r := range sources[1:] {
		w.move(sources[n], r)
		w.addArg("rowX", r)
	}
	w.arg("taps", "R8")
	w.arg("index", "R9")
	w.arg("weights", "DX")
	w.arg("blocks", "R14")
	w.label("block" + label)
	w.word(memory{base: "R8"}, "R13")
	w.add("BX", "R13")
	w.word(memory{base: "R8", offset: 8}, "AX")
	w.add("$16", "R8")
	tap := func(sum func(n int)) {
		w.word(memory{base: "R8"}, "R15")
		w.load(memory{base: "R9"}, index)
		w.load(memory{base: "DX"}, weight)
		for n, r := range sources {
			w.permute(memory{r, 0, "R15", 1}, index, picked+n)
			sum(n)
		}
		w.add("$8", "R8")
		w.add(fmt.Sprintf("$%d", w.bytes), "R9")
		w.add(fmt.Sprintf("$%d", w.bytes), "DX")
	}
	tap(func(n int) { w.times(picked+n, weight, n) })
	w.label("tap" + label)
	w.sub("$1", "AX")
	w.jump("LE", "done"+label)
	tap(func(n int) {
		w.times(picked+n, weight, picked+n)
		w.plus(picked+n, n)
	})
	w.goTo("tap" + label)
	w.label("done" + label)
	for n := range sources {
		if n > 0 {
			w.addArg("rowY", "R13")
		}
		w.store(n, memory{base: "R13"})
	}
	w.repeat("R14", "block"+label)
	for range sources {
		w.addArg("rowX", "SI")
		w.addArg("rowY", "BX")
	}
	w.sub("$"+label, "CX")
	w.goTo("rows" + label)
	w.label("behind" + label)
}

// permute picks elements of a vector in memory, by numbers of its parts: of 4 bytes on amd64, of single bytes under NEON.
func (w *writer) permute(from memory, index, to int) {
	if w.arm {
		x := w.neonOperand(from)
		w.op("VTBL", vector(index), "["+vector(x)+"]", vector(to))
		return
	}
	if w.masks {
		w.op("VPERMPS", w.address(from), w.reg(index), w.reg(to))
		return
	}
	w.load(from, to) // AMD's processors take less long to permute a register: interpolate/8x64x28x28 takes a fifteenth less time so
	w.op("VPERMPS", w.reg(to), w.reg(index), w.reg(to))
}
