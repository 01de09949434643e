package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// transpose packs columns: it transposes squares of as many elements as a vector has lanes, in registers. Rows that are not there
// are zeros, under NEON row 0.
func (m *machine) transpose(f *asm.File, e elem) {
	n := m.lanes(e)
	w := m.writer(f, "transpose", e, &tileCall, "c[l][i] = a[i][l] for up to "+fmt.Sprint(n)+" rows i of a")
	w.label("tile")
	w.pointAtRows(n)
	if w.arm {
		w.limitRows(armRows[:n])
	}
	w.arg("c", "BX")
	w.arg("rowC", "R13")
	w.arg("k", "CX")
	w.arg("cols", "DX")
	w.whole("MOVL", "MOVD", fmt.Sprintf("$%d", m.bytes), "R12")
	w.label("square")
	w.loadSquare(n)
	columns := w.exchange
	if w.arm {
		columns = w.neonExchange
	}
	for _, r := range columns() {
		w.store(r, memory{base: "BX"})
		w.add("R13", "BX")
	}
	if !w.arm {
		w.nextOfA(n)
	}
	w.sub(fmt.Sprintf("$%d", n), "CX")
	w.jump("GT", "square")
	w.nextTile("done")
}

// loadSquare loads a vector of each row.
func (w *writer) loadSquare(n int) {
	if w.arm {
		for i := range n {
			w.loadNext(armRows[i], i)
		}
		return
	}
	for i := 1; i < n; i++ {
		w.zero(i)
	}
	for i := range n {
		if i > 0 {
			w.compare("DX", fmt.Sprintf("$%d", i))
			w.jump("EQ", "loaded")
		}
		w.transfer(w.rowOfA(i), w.reg(i), "")
	}
	w.label("loaded")
}

// exchange transposes the square whose rows are the first registers, and returns the registers of its columns. It
// exchanges elements within quarters of 16 bytes first, then the quarters.
func (w *writer) exchange() []int {
	n := w.lanes(w.elem)
	now, free := make([]int, n), make([]int, n)
	for i := range n {
		now[i], free[i] = i, n+i
	}
	// pairs exchanges registers that are so far apart.
	pairs := func(low, high string, apart int) {
		for i := range n {
			first := i/2 + i/(2*apart)*apart // of the pair that the result comes from
			w.op([]string{low, high}[i%2], w.reg(now[first+apart]), w.reg(now[first]), w.reg(free[i]))
		}
		now, free = free, now
	}
	if w.size == 4 {
		pairs("VUNPCKLPS", "VUNPCKHPS", 1)
		pairs("VUNPCKLPD", "VUNPCKHPD", 2)
	} else {
		pairs("VUNPCKLPD", "VUNPCKHPD", 1)
	}
	return w.exchangeQuarters(now, free, 16/w.size)
}

// exchangeQuarters transposes the quarters: register g*width+c holds, in quarter q, the elements of column q*width+c
// of the rows from g*width on.
func (w *writer) exchangeQuarters(now, free []int, width int) []int {
	columns := make([]int, len(now))
	for c := range width {
		if !w.masks {
			x, y := now[c], now[width+c]
			w.op("VPERM2F128", "$0x20", w.reg(y), w.reg(x), w.reg(free[c]))
			w.op("VPERM2F128", "$0x31", w.reg(y), w.reg(x), w.reg(free[width+c]))
			columns[c], columns[width+c] = free[c], free[width+c]
			continue
		}
		x, t := [4]string{}, [4]string{}
		for g := range 4 {
			x[g], t[g] = w.reg(now[g*width+c]), w.reg(free[g*width+c])
			columns[g*width+c] = now[g*width+c]
		}
		for half := range 2 {
			w.op("VSHUFF64X2", "$0x88", x[2*half+1], x[2*half], t[2*half])
			w.op("VSHUFF64X2", "$0xdd", x[2*half+1], x[2*half], t[2*half+1])
		}
		for q, control := range []string{"$0x88", "$0x88", "$0xdd", "$0xdd"} {
			w.op("VSHUFF64X2", control, t[2+q%2], t[q%2], x[q])
		}
	}
	return columns
}

// neonExchange is exchange for vectors of 16 bytes.
func (w *writer) neonExchange() []int {
	step := func(form string, x, y, even, odd int) {
		name := func(n int) string { return fmt.Sprintf("V%d.%s", n, form) }
		w.op("VTRN1", name(y), name(x), name(even))
		w.op("VTRN2", name(y), name(x), name(odd))
	}
	if w.size == 8 {
		step("D2", 0, 1, 2, 3)
		return []int{2, 3}
	}
	step("S4", 0, 1, 4, 5)
	step("S4", 2, 3, 6, 7)
	step("D2", 4, 6, 0, 2)
	step("D2", 5, 7, 1, 3)
	return []int{0, 1, 2, 3}
}

// gather packs rows: on amd64 one or two vectors of each, and under NEON vectors, the last one over the one before, or single
// numbers.
func (m *machine) gather(f *asm.File, e elem) {
	n := m.lanes(e)
	if m.arm {
		w := m.writer(f, "gather", e, &tileCall, "c[l][j] = a[l][j] for columns j")
		w.pointAtPanel()
		w.neonGather(fmt.Sprintf("$%d", n))
		return
	}
	w := m.writer(f, "gather", e, &tileCall, fmt.Sprintf("c[l][j] = a[l][j] for up to %d columns j", 2*n))
	w.pointAtPanel()
	w.oneOrTwo(func(v int, whole bool) {
		w.part = !whole
		w.load(memory{base: "SI", offset: v * m.bytes}, 1)
		w.part = false
		w.store(1, memory{base: "BX", offset: v * m.bytes})
		// Hardware prefetchers do not follow rows that are far apart.
		w.op("PREFETCHT0", memory{"SI", v * m.bytes, "R10", ahead}.String())
	}, 1)
}

// pointAtPanel loads what packs rows: SI points to A and BX to C, R10 and R13 are the distances of their rows, CX counts them, and
// AX has the number of columns.
func (w *writer) pointAtPanel() {
	for _, f := range [][2]string{{"a", "SI"}, {"rowA", "R10"}, {"c", "BX"}, {"rowC", "R13"}, {"k", "CX"}, {"cols", "AX"}} {
		w.arg(f[0], f[1])
	}
}

// oneOrTwo writes the loop over rows for one vector and that for two, each of which makes one row of C of so many of A. The last
// vector is masked, by K1 or register 0.
func (w *writer) oneOrTwo(vector func(v int, whole bool), rows int) {
	n := w.lanes(w.elem)
	w.compare("AX", fmt.Sprintf("$%d", n))
	w.jump("GT", "two")
	for vectors, label := range []string{1: "oneRow", 2: "twoRows"} {
		switch vectors {
		case 0:
			continue
		case 2:
			w.label("two")
		}
		w.mask = "K1"
		if w.masks {
			w.setMasks(n, vectors)
		} else {
			w.mask = w.reg(0)
			w.arg("mask", "R8")
			w.op("VMOVUPS", at("R8", (vectors-1)*w.bytes), w.mask)
		}
		w.label(label)
		for v := range vectors {
			vector(v, v < vectors-1)
		}
		if rows == 1 {
			w.add("R10", "SI")
		} else {
			w.indexed("SI", "R10", rows, "SI")
		}
		w.add("R13", "BX")
		w.repeat("CX", label)
		w.end()
	}
}

// neonGather copies rows, of which R8 and R9 point to the elements that are next.
func (w *writer) neonGather(lanes string) {
	w.label("row")
	w.move("SI", "R8")
	w.move("BX", "R9")
	w.arg("cols", "AX")
	w.compare("AX", lanes)
	w.jump("LT", "single")
	w.label("vector")
	w.loadNext("R8", 0)
	w.storeNext(0, "R9")
	w.sub(lanes, "AX")
	w.compare("AX", lanes)
	w.jump("GE", "vector")
	w.jumpIfZero("AX", "next")
	w.sub(lanes, "AX")
	w.elements("R8", "AX", "R8")
	w.elements("R9", "AX", "R9")
	w.load(memory{base: "R8"}, 0)
	w.store(0, memory{base: "R9"})
	w.goTo("next")
	w.label("single")
	w.part = true
	w.loadNext("R8", 0)
	w.storeNext(0, "R9")
	w.part = false
	w.repeat("AX", "single")
	w.label("next")
	w.add("R10", "SI")
	w.add("R13", "BX")
	w.repeat("CX", "row")
	w.end()
}
