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
	columns := w.neonExchange
	if !w.arm {
		columns = func() []int { return w.exchange(registers(0, n), registers(n, 2*n)) }
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
