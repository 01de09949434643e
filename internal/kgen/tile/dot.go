package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// A dot is a micro-kernel for a B that lies in columns: its sums are vectors along k, whose elements are added at the
// end. That saves packing B, which costs more than it gains where A has few rows.
type dot struct {
	*machine
	elem
	rows, cols int
	fn         *asm.Func
}

// The registers that point to the end of the last whole vector of each row of A and column of B, from which CX counts up to
// zero.
var (
	dotRows = []string{"SI", "R8", "R9", "R10"}
	dotCols = []string{"BX", "DX", "R11", "R12", "R8", "R9", "R10", "R13"}
)

func dotName(rows, cols int) string { return fmt.Sprintf("dot%dx%d", rows, cols) }

func (m *machine) dot(f *asm.File, rows, cols int, e elem) {
	doc := fmt.Sprintf("c[i][j] = from[i][j] + Σ a[i][l] · b[j][l] for %d rows i and up to %d columns j", rows, cols)
	d := dot{m, e, rows, cols, newFunc(f, m.functionName(dotName(rows, cols), e), doc)}
	fn := d.fn
	fn.Label("tile")
	d.point()
	for n := range rows * cols {
		m.zero(fn, n)
	}
	fn.Op("TESTQ", "CX", "CX")
	fn.Op("JZ", "rest")
	d.runs()
	fn.Op("PCALIGN", "$32")
	fn.Label("loop")
	d.step(false)
	fn.Op("ADDQ", fmt.Sprintf("$%d", m.bytes), "CX")
	fn.Op("JNZ", "loop")
	fn.Label("rest")
	d.rest()
	fn.Label("sums")
	d.finish()
	nextTile(fn, "done")
}

// point sets the registers. Columns that are not there are those of column 0: their sums are dropped.
func (d *dot) point() {
	fn, lanes := d.fn, d.lanes(d.elem)
	fn.Op("MOVQ", tileCall.at("k"), "CX")
	fn.Op("ANDQ", fmt.Sprintf("$-%d", lanes), "CX")
	fn.Op("SHLQ", fmt.Sprintf("$%d", map[int]int{4: 2, 8: 3}[d.size]), "CX")
	d.pointAt(tileCall.at("a"), tileCall.at("rowA"), dotRows[:d.rows], "")
	d.pointAt(tileCall.at("b"), tileCall.at("rowB"), dotCols[:d.cols], tileCall.at("cols"))
	fn.Op("NEGQ", "CX")
}

// pointAt points registers CX bytes after the start of rows, of which there may be fewer.
func (d *dot) pointAt(start, distance string, registers []string, count string) {
	fn := d.fn
	first := registers[0]
	fn.Op("MOVQ", start, first)
	fn.Op("ADDQ", "CX", first)
	if len(registers) == 1 {
		return
	}
	fn.Op("MOVQ", distance, "R15")
	for n, r := range registers[1:] {
		fn.Op("LEAQ", "("+registers[n]+")(R15*1)", r)
	}
	if count == "" {
		return
	}
	fn.Op("MOVQ", count, "AX")
	for n, r := range registers[1:] {
		fn.Op("CMPQ", "AX", fmt.Sprintf("$%d", n+1))
		fn.Op("CMOVQLE", first, r)
	}
}

func (d *dot) sum(i, j int) string { return d.reg(i*d.cols + j) }

// run is how many vectors of each row and column are taken at a time: streams from the second cache level are much faster
// where neighbouring lines are read together.
func (d *dot) run() int {
	if d.rows == 1 {
		return 4
	}
	return 2
}

// runs adds the products of whole runs of vectors. The products of each sum stay in order.
func (d *dot) runs() {
	fn, run, move, fma := d.fn, d.run(), "VMOVU"+d.suffix, "VFMADD231"+d.suffix
	bytes := run * d.bytes
	vector := func(register string, n int) string { return fmt.Sprintf("%d(%s)(CX*1)", n*d.bytes-bytes, register) }
	a := func(i, n int) string { return d.reg(d.rows*d.cols + i*run + n) }
	fn.Op("ADDQ", fmt.Sprintf("$%d", bytes), "CX")
	fn.Op("JG", "few")
	fn.Op("PCALIGN", "$32")
	fn.Label("run")
	for i := range d.rows {
		for n := range run {
			fn.Op(move, vector(dotRows[i], n), a(i, n))
		}
	}
	for j := range d.cols {
		for n := range run {
			b := vector(dotCols[j], n)
			if d.rows > 1 {
				fn.Op(move, b, d.reg(d.count-2-n))
				b = d.reg(d.count - 2 - n)
			}
			for i := range d.rows {
				fn.Op(fma, b, a(i, n), d.sum(i, j))
			}
		}
	}
	fn.Op("ADDQ", fmt.Sprintf("$%d", bytes), "CX")
	fn.Op("JLE", "run")
	fn.Label("few")
	fn.Op("SUBQ", fmt.Sprintf("$%d", bytes), "CX")
	fn.Op("JZ", "rest")
}

// step adds the products of one vector of each row and column.
func (d *dot) step(part bool) {
	move, fma := "VMOVU"+d.suffix, "VFMADD231"+d.suffix
	load := func(register, to string) {
		switch from := "(" + register + ")(CX*1)"; {
		case part && d.masks:
			d.fn.Op(move+".Z", from, "K1", to)
		case part:
			d.fn.Op("VMASKMOV"+d.suffix, from, d.reg(d.count-1), to)
		default:
			d.fn.Op(move, from, to)
		}
	}
	if d.rows == 1 {
		a, b := d.reg(d.count-2), d.reg(d.count-3)
		load(dotRows[0], a)
		for j := range d.cols {
			if part {
				load(dotCols[j], b)
				d.fn.Op(fma, b, a, d.sum(0, j))
				continue
			}
			d.fn.Op(fma, "("+dotCols[j]+")(CX*1)", a, d.sum(0, j))
		}
		return
	}
	d.tileStep(load, fma)
}

// tileStep is step for several rows.
func (d *dot) tileStep(load func(register, to string), fma string) {
	sums := d.rows * d.cols
	for i := range d.rows {
		load(dotRows[i], d.reg(sums+i))
	}
	for j := range d.cols {
		b := d.reg(d.count - 2 - j%2)
		load(dotCols[j], b)
		for i := range d.rows {
			d.fn.Op(fma, b, d.reg(sums+i), d.sum(i, j))
		}
	}
}

// rest adds what is left of k beyond whole vectors.
func (d *dot) rest() {
	fn, lanes := d.fn, d.lanes(d.elem)
	fn.Op("MOVQ", tileCall.at("k"), "AX")
	fn.Op("ANDQ", fmt.Sprintf("$%d", lanes-1), "AX")
	fn.Op("JZ", "sums")
	if d.masks {
		maskOf(fn, lanes, 1)
	} else {
		fn.Op("MOVQ", tileCall.at("maskK"), "AX")
		fn.Op("VMOVUPS", "(AX)", d.reg(d.count-1))
	}
	d.step(true)
}

// finish adds the elements of each sum, four columns at a time, and stores them.
func (d *dot) finish() {
	fn := d.fn
	fn.Op("MOVQ", tileCall.at("c"), "SI")
	fn.Op("MOVQ", tileCall.at("rowC"), "R10")
	fn.Op("MOVQ", tileCall.at("from"), "R8")
	fn.Op("MOVQ", tileCall.at("rowFrom"), "R9")
	if d.masks {
		fn.Op("MOVQ", tileCall.at("cols"), "AX")
		if d.cols > 4 {
			fn.Op("SUBQ", fmt.Sprintf("$%d", d.cols-4), "AX")
		}
		maskOf(fn, 4, 1)
	} else {
		fn.Op("MOVQ", tileCall.at("mask"), "AX")
		fn.Op("VMOVUPS", "(AX)", d.four(d.count-1))
	}
	for i := range d.rows {
		for j := 0; j < d.cols; j += 4 {
			d.add(i*d.cols + j)
			d.store(i*d.cols+j, j*d.size, j+4 == d.cols, fmt.Sprintf("store%d", i*d.cols+j))
		}
		if i < d.rows-1 {
			fn.Op("ADDQ", "R9", "R8")
			fn.Op("ADDQ", "R10", "SI")
		}
	}
}

// four is a register as long as four numbers.
func (d *dot) four(n int) string {
	return fmt.Sprintf("%s%d", map[int]string{4: "X", 8: "Y"}[d.size], n)
}

// add adds up four sums, from the nth on, into the first numbers of the first one.
func (d *dot) add(n int) {
	d.pair(n, "VUNPCKL"+d.suffix, "VUNPCKH"+d.suffix, 1)
	d.pair(n+2, "VUNPCKL"+d.suffix, "VUNPCKH"+d.suffix, 1)
	fn, add := d.fn, "VADD"+d.suffix
	if d.size == 4 {
		d.pair(n, "VUNPCKLPD", "VUNPCKHPD", 2)
		d.halve(n)
		if d.masks {
			fn.Op("VEXTRACTF128", "$1", fmt.Sprintf("Y%d", n), fmt.Sprintf("X%d", n+1))
			fn.Op(add, fmt.Sprintf("X%d", n+1), fmt.Sprintf("X%d", n), fmt.Sprintf("X%d", n))
		}
		return
	}
	if d.masks {
		d.halve(n)
		d.halve(n + 2)
	}
	x, y, z := fmt.Sprintf("Y%d", n), fmt.Sprintf("Y%d", n+1), fmt.Sprintf("Y%d", n+2)
	fn.Op("VPERM2F128", "$0x20", z, x, y)
	fn.Op("VPERM2F128", "$0x31", z, x, x)
	fn.Op(add, x, y, x)
}

// pair adds the lower and the upper parts, within quarters of 16 bytes, of two registers and joins them in the first.
func (d *dot) pair(n int, low, high string, apart int) {
	x, y, z := d.reg(n), d.reg(n+apart), d.reg(d.count-2)
	d.fn.Op(low, y, x, z)
	d.fn.Op(high, y, x, y)
	d.fn.Op("VADD"+d.suffix, z, y, x)
}

// halve adds the upper half of a register to its lower half. It needs the next register.
func (d *dot) halve(n int) {
	if d.masks {
		d.fn.Op("VEXTRACTF64X4", "$1", d.reg(n), fmt.Sprintf("Y%d", n+1))
		d.fn.Op("VADD"+d.suffix, fmt.Sprintf("Y%d", n+1), fmt.Sprintf("Y%d", n), fmt.Sprintf("Y%d", n))
		return
	}
	d.fn.Op("VEXTRACTF128", "$1", d.reg(n), fmt.Sprintf("X%d", n+1))
	d.fn.Op("VADD"+d.suffix, fmt.Sprintf("X%d", n+1), fmt.Sprintf("X%d", n), fmt.Sprintf("X%d", n))
}

// store stores four columns, or those of the last four that are there, after it has added what C starts from.
func (d *dot) store(n, offset int, last bool, label string) {
	fn, move, sum, from := d.fn, "VMOVU"+d.suffix, d.four(n), d.four(n+1)
	fn.Op("TESTQ", "R8", "R8")
	fn.Op("JZ", label)
	switch {
	case !last:
		fn.Op(move, at("R8", offset), from)
	case d.masks:
		fn.Op(move+".Z", at("R8", offset), "K1", from)
	default:
		fn.Op("VMASKMOV"+d.suffix, at("R8", offset), d.four(d.count-1), from)
	}
	fn.Op("VADD"+d.suffix, from, sum, sum)
	fn.Label(label)
	switch {
	case !last:
		fn.Op(move, sum, at("SI", offset))
	case d.masks:
		fn.Op(move, sum, "K1", at("SI", offset))
	default:
		fn.Op("VMASKMOV"+d.suffix, sum, d.four(d.count-1), at("SI", offset))
	}
}
