package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// transpose packs columns: it transposes squares of as many elements as a vector has lanes, in registers.
func (m *machine) transpose(f *asm.File, e elem) {
	n := m.lanes(e)
	fn := newFunc(f, m.functionName("transpose", e), "c[l][i] = a[i][l] for up to "+fmt.Sprint(n)+" rows i of a")
	pointAtRows(fn, n)
	fn.Op("MOVQ", tileCall.at("c"), "BX")
	fn.Op("MOVQ", tileCall.at("rowC"), "R13")
	fn.Op("MOVQ", tileCall.at("k"), "CX")
	fn.Op("MOVQ", tileCall.at("cols"), "DX")
	fn.Op("MOVL", fmt.Sprintf("$%d", m.bytes), "R12")
	fn.Label("square")
	for i := range n {
		if i > 0 {
			m.zero(fn, i)
		}
	}
	for i := range n {
		if i > 0 {
			fn.Op("CMPQ", "DX", fmt.Sprintf("$%d", i))
			fn.Op("JEQ", "loaded")
		}
		fn.Op("VMOVU"+e.suffix, rowOfA(i), m.reg(i))
	}
	fn.Label("loaded")
	for _, r := range m.exchange(fn, e) {
		fn.Op("VMOVU"+e.suffix, r, "(BX)")
		fn.Op("ADDQ", "R13", "BX")
	}
	nextOfA(fn, n)
	fn.Op("SUBQ", fmt.Sprintf("$%d", n), "CX")
	fn.Op("JGT", "square")
	fn.Op("VZEROUPPER")
	fn.Op("RET")
}

// exchange transposes the square whose rows are the first registers, and returns the registers of its columns. It
// exchanges elements within quarters of 16 bytes first, then the quarters.
func (m *machine) exchange(fn *asm.Func, e elem) []string {
	n := m.lanes(e)
	now, free := make([]string, n), make([]string, n)
	for i := range n {
		now[i], free[i] = m.reg(i), m.reg(n+i)
	}
	// step writes registers by pairs of others.
	step := func(low, high string, pairs [][2]int) {
		for i, pair := range pairs {
			name := low
			if i%2 == 1 {
				name = high
			}
			fn.Op(name, now[pair[1]], now[pair[0]], free[i])
		}
		now, free = free, now
	}
	perQuarter := 16 / e.size
	if perQuarter == 4 {
		var pairs [][2]int
		for i := 0; i < n; i += 2 {
			pairs = append(pairs, [2]int{i, i + 1}, [2]int{i, i + 1})
		}
		step("VUNPCKLPS", "VUNPCKHPS", pairs)
		pairs = nil
		for g := 0; g < n; g += 4 {
			pairs = append(pairs, [2]int{g, g + 2}, [2]int{g, g + 2}, [2]int{g + 1, g + 3}, [2]int{g + 1, g + 3})
		}
		step("VUNPCKLPD", "VUNPCKHPD", pairs)
	} else {
		var pairs [][2]int
		for i := 0; i < n; i += 2 {
			pairs = append(pairs, [2]int{i, i + 1}, [2]int{i, i + 1})
		}
		step("VUNPCKLPD", "VUNPCKHPD", pairs)
	}
	return m.exchangeQuarters(fn, now, free, perQuarter)
}

// exchangeQuarters transposes the quarters: register g*width+c holds, in quarter q, the elements of column q*width+c
// of the rows from g*width on.
func (m *machine) exchangeQuarters(fn *asm.Func, now, free []string, width int) []string {
	columns := make([]string, len(now))
	for c := range width {
		if !m.masks {
			x, y := now[c], now[width+c]
			fn.Op("VPERM2F128", "$0x20", y, x, free[c])
			fn.Op("VPERM2F128", "$0x31", y, x, free[width+c])
			columns[c], columns[width+c] = free[c], free[width+c]
			continue
		}
		x, t := [4]string{}, [4]string{}
		for g := range 4 {
			x[g], t[g] = now[g*width+c], free[g*width+c]
		}
		fn.Op("VSHUFF64X2", "$0x88", x[1], x[0], t[0])
		fn.Op("VSHUFF64X2", "$0xdd", x[1], x[0], t[1])
		fn.Op("VSHUFF64X2", "$0x88", x[3], x[2], t[2])
		fn.Op("VSHUFF64X2", "$0xdd", x[3], x[2], t[3])
		fn.Op("VSHUFF64X2", "$0x88", t[2], t[0], x[0])
		fn.Op("VSHUFF64X2", "$0x88", t[3], t[1], x[1])
		fn.Op("VSHUFF64X2", "$0xdd", t[2], t[0], x[2])
		fn.Op("VSHUFF64X2", "$0xdd", t[3], t[1], x[3])
		for q := range 4 {
			columns[q*width+c] = x[q]
		}
	}
	return columns
}

// gather packs rows: it copies one or two vectors of each.
func (m *machine) gather(f *asm.File, e elem) {
	n := m.lanes(e)
	fn := newFunc(f, m.functionName("gather", e), fmt.Sprintf("c[l][j] = a[l][j] for up to %d columns j", 2*n))
	fn.Op("MOVQ", tileCall.at("a"), "SI")
	fn.Op("MOVQ", tileCall.at("rowA"), "R10")
	fn.Op("MOVQ", tileCall.at("c"), "BX")
	fn.Op("MOVQ", tileCall.at("rowC"), "R13")
	fn.Op("MOVQ", tileCall.at("k"), "CX")
	fn.Op("MOVQ", tileCall.at("cols"), "AX")
	fn.Op("CMPQ", "AX", fmt.Sprintf("$%d", n))
	fn.Op("JGT", "two")
	for vectors, label := range []string{"oneRow", "twoRows"} {
		vectors++
		if vectors == 2 {
			fn.Label("two")
		}
		if m.masks {
			maskOf(fn, n, vectors)
		} else {
			fn.Op("MOVQ", tileCall.at("mask"), "R8")
			fn.Op("VMOVUPS", at("R8", (vectors-1)*m.bytes), m.reg(0))
		}
		fn.Label(label)
		for v := range vectors {
			switch from := at("SI", v*m.bytes); {
			case v < vectors-1:
				fn.Op("VMOVU"+e.suffix, from, m.reg(1))
			case m.masks:
				fn.Op("VMOVU"+e.suffix+".Z", from, "K1", m.reg(1))
			default:
				fn.Op("VMASKMOV"+e.suffix, from, m.reg(0), m.reg(1))
			}
			fn.Op("VMOVU"+e.suffix, m.reg(1), at("BX", v*m.bytes))
			// Hardware prefetchers do not follow rows that are far apart.
			fn.Op("PREFETCHT0", fmt.Sprintf("%s(R10*%d)", at("SI", v*m.bytes), ahead))
		}
		fn.Op("ADDQ", "R10", "SI")
		fn.Op("ADDQ", "R13", "BX")
		fn.Op("DECQ", "CX")
		fn.Op("JNZ", label)
		fn.Op("VZEROUPPER")
		fn.Op("RET")
	}
}
