package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// A dot is a micro-kernel for a column-major B: its sums are vectors along k, whose elements are added at the
// end. That saves packing B, which costs more than it gains where A has few rows.
//
// On amd64 the registers of rows and columns point to the end of their last whole vectors, from which CX counts bytes up to zero;
// what is left of k is a masked vector. Under NEON each register moves on by itself, CX counts vectors, and what is left is taken
// number by number.
type dot struct {
	*writer
	rows, cols int
}

// The registers that point to rows of A and columns of B.
var (
	dotRows = []string{"SI", "R8", "R9", "R10"}
	dotCols = []string{"BX", "DX", "R11", "R12", "R8", "R9", "R10", "R13"}
)

func dotName(rows, cols int) string { return fmt.Sprintf("dot%dx%d", rows, cols) }

func (m *machine) dot(f *asm.File, rows, cols int, e elem) {
	doc := fmt.Sprintf("c[i][j] = from[i][j] + Σ a[i][l] · b[j][l] for %d rows i and up to %d columns j", rows, cols)
	d := dot{m.writer(f, dotName(rows, cols), e, &tileCall, doc), rows, cols}
	d.label("tile")
	d.point()
	for n := range rows * cols {
		d.zero(n)
	}
	d.jumpIfZero("CX", "rest")
	if !d.arm {
		d.runs()
	}
	d.loopLabel("loop")
	d.step()
	if d.arm {
		d.sub("$1", "CX")
	} else {
		d.advance(1)
	}
	d.whole("JNZ", "BNE", "loop")
	d.label("rest")
	d.rest()
	d.label("sums")
	d.finish()
	d.nextTile("done")
}

// point sets the registers. Columns that are not there are those of column 0: their sums are dropped.
func (d *dot) point() {
	d.arg("k", "CX")
	if d.arm {
		d.whole("", "LSR", fmt.Sprintf("$%d", 4-d.log()), "CX")
	} else {
		d.op("ANDQ", fmt.Sprintf("$-%d", d.lanes(d.elem)), "CX")
		d.op("SHLQ", fmt.Sprintf("$%d", d.log()), "CX")
	}
	for _, o := range []struct {
		start, distance string
		registers       []string
	}{{"a", "rowA", dotRows[:d.rows]}, {"b", "rowB", dotCols[:d.cols]}} {
		d.arg(o.start, o.registers[0])
		if o.start == "b" && d.isHalf() {
			d.op("SHRQ", "$1", "CX")
		}
		if !d.arm {
			d.add("CX", o.registers[0])
		}
		d.spread(o.distance, o.registers)
	}
	d.limitRows(dotCols[:d.cols])
	if !d.arm {
		d.op("NEGQ", "CX")
	}
	if d.prefetches() { // AX leads to the columns after these
		d.arg("rowB", "AX")
		d.op("IMULQ", fmt.Sprintf("$%d", d.cols), "AX")
		d.add("CX", "AX")
	}
}

// prefetches reports whether the columns that come next are prefetched.
func (d *dot) prefetches() bool { return d.isHalf() }

// advance moves amd64's counter by so many vectors.
func (d *dot) advance(vectors int) {
	bytes := fmt.Sprintf("$%d", vectors*d.bytesOfB())
	if d.prefetches() {
		d.add(bytes, "AX")
	}
	d.add(bytes, "CX")
}

// bytesOfB is how many bytes of a column become a vector.
func (d *dot) bytesOfB() int {
	if d.isHalf() {
		return d.bytes / 2
	}
	return d.bytes
}

// ofA and ofB are the addresses of vector n of a row and of a column, relative to amd64's counter, which counts bytes of B.
func (d *dot) ofA(i, n int) memory {
	return memory{dotRows[i], n * d.bytes, "CX", d.bytes / d.bytesOfB()}
}
func (d *dot) ofB(j, n int) memory { return memory{dotCols[j], n * d.bytesOfB(), "CX", 1} }

func (d *dot) sum(i, j int) int { return i*d.cols + j }

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
	run := d.run()
	a := func(i, n int) int { return d.rows*d.cols + i*run + n }
	d.advance(run)
	d.jump("G", "few")
	d.loopLabel("run")
	for i := range d.rows {
		for n := range run {
			d.load(d.ofA(i, n-run), a(i, n))
		}
	}
	for j := range d.cols {
		for n := range run {
			var b operand = d.ofB(j, n-run)
			if d.rows > 1 || d.isHalf() {
				to := d.count - 2 - n
				if d.isHalf() && !d.masks {
					to++ // whose kernels mask nothing before they are done
				}
				d.loadB(d.ofB(j, n-run), to)
				b = to
			}
			for i := range d.rows {
				d.multiply(b, a(i, n), d.sum(i, j))
			}
		}
	}
	for j := range d.cols {
		for line := 0; d.prefetches() && line < run*d.bytesOfB(); line += 64 {
			d.op("PREFETCHT1", memory{dotCols[j], line - run*d.bytesOfB(), "AX", 1}.String())
		}
	}
	d.advance(run)
	d.jump("LE", "run")
	d.label("few")
	d.sub(fmt.Sprintf("$%d", run*d.bytesOfB()), "CX")
	d.op("JZ", "rest")
}

// loadB loads a vector of a column.
func (d *dot) loadB(from memory, to int) {
	if d.isHalf() {
		d.loadHalf(from, to)
		return
	}
	d.load(from, to)
}

// step adds the products of one vector of each row and column, of part of what is left.
func (d *dot) step() {
	sums := d.rows * d.cols
	for i := range d.rows {
		if d.arm {
			d.loadNext(dotRows[i], sums+i)
		} else {
			d.load(d.ofA(i, 0), sums+i)
		}
	}
	for j := range d.cols {
		var b operand = d.ofB(j, 0)
		switch n := d.count - 2 - j%2; {
		case d.arm:
			b = n
			d.loadNext(dotCols[j], n)
		case d.rows > 1 || d.part || d.isHalf():
			b = n
			d.loadB(d.ofB(j, 0), n)
		}
		for i := range d.rows {
			d.multiply(b, sums+i, d.sum(i, j))
		}
	}
}

// multiply adds the products of a vector of a column and of a row to a sum. Pairs have more than one row, so b is a register.
func (d *dot) multiply(b operand, a, sum int) {
	if d.elem == pairs {
		d.multiplyPairs(b.(int), a, sum)
		return
	}
	d.fma(b, a, sum)
}

// rest adds what is left of k beyond whole vectors.
func (d *dot) rest() {
	d.arg("k", "AX")
	d.whole("ANDQ", "ANDS", fmt.Sprintf("$%d", d.lanes(d.elem)-1), "AX")
	d.whole("JZ", "BEQ", "sums")
	d.part = true
	switch {
	case d.arm:
		d.label("single")
		d.step()
		d.repeat("AX", "single")
	case d.masks:
		d.mask = "K1"
		d.setMasks(d.lanes(d.elem), 1)
		d.step()
	case d.isHalf():
		d.singles()
	default:
		d.mask = d.reg(d.count - 1)
		d.arg("maskK", "AX")
		d.op("VMOVUPS", "(AX)", d.mask)
		d.step()
	}
	d.part = false
}

// group is how many columns are stored at a time.
func (d *dot) group() int { return min(4, d.lanes(d.elem)) }

// finish adds the elements of each sum, some columns at a time, and stores them.
func (d *dot) finish() {
	d.pointAtC()
	switch {
	case d.masks:
		d.arg("cols", "AX")
		if d.cols > 4 {
			d.sub(fmt.Sprintf("$%d", d.cols-4), "AX")
		}
		d.setMasks(4, 1)
	case !d.arm:
		d.mask = d.four(d.count - 1)
		d.arg("mask", "AX")
		d.op("VMOVUPS", "(AX)", d.mask)
	}
	for i := range d.rows {
		if d.arm {
			d.move("SI", "BX")
			d.move("R8", "DX")
			d.arg("cols", "CX")
		}
		for j := 0; j < d.cols; j += d.group() {
			if n := d.sum(i, j); d.arm {
				d.neonAdd(n)
				d.neonStore(n, i, j)
			} else {
				d.addFour(n)
				d.storeFour(n, j*d.size, j+4 == d.cols)
			}
		}
		if d.arm {
			d.label(fmt.Sprintf("row%d", i+1))
		}
		if i < d.rows-1 {
			d.add("R9", "R8")
			d.add("R10", "SI")
		}
	}
}

// four is a register as long as four numbers.
func (d *dot) four(n int) string {
	return fmt.Sprintf("%s%d", map[int]string{4: "X", 8: "Y"}[d.size], n)
}

// addFour adds up four sums, from the nth on, into the first numbers of the first one.
func (d *dot) addFour(n int) {
	d.pair(n, "VUNPCKL"+d.suffix, "VUNPCKH"+d.suffix, 1)
	d.pair(n+2, "VUNPCKL"+d.suffix, "VUNPCKH"+d.suffix, 1)
	if d.size == 4 {
		d.pair(n, "VUNPCKLPD", "VUNPCKHPD", 2)
		d.halve(d.prefix, n)
		if d.masks {
			d.halve("Y", n)
		}
		return
	}
	if d.masks {
		d.halve("Z", n)
		d.halve("Z", n+2)
	}
	x, y, z := fmt.Sprintf("Y%d", n), fmt.Sprintf("Y%d", n+1), fmt.Sprintf("Y%d", n+2)
	d.op("VPERM2F128", "$0x20", z, x, y)
	d.op("VPERM2F128", "$0x31", z, x, x)
	d.op("VADD"+d.suffix, x, y, x)
}

// pair adds the lower and the upper parts, within quarters of 16 bytes, of two registers and joins them in the first.
func (d *dot) pair(n int, low, high string, apart int) {
	x, y, z := d.reg(n), d.reg(n+apart), d.reg(d.count-2)
	d.op(low, y, x, z)
	d.op(high, y, x, y)
	d.op("VADD"+d.suffix, z, y, x)
}

// halve adds the upper half of a register, of which its letter tells the length, to its lower half. It needs the next register.
func (d *dot) halve(register string, n int) {
	extract, half := "VEXTRACTF128", "X"
	if register == "Z" {
		extract, half = "VEXTRACTF64X4", "Y"
	}
	d.op(extract, "$1", fmt.Sprint(register, n), fmt.Sprint(half, n+1))
	d.op("VADD"+d.suffix, fmt.Sprint(half, n+1), fmt.Sprint(half, n), fmt.Sprint(half, n))
}

// storeFour stores four columns, or those of the last four that are there, after it has added what C starts from.
func (d *dot) storeFour(n, offset int, last bool) {
	label, sum, from := fmt.Sprintf("store%d", n), d.four(n), d.four(n+1)
	d.jumpIfZero("R8", label)
	d.part = last
	d.transfer(at("R8", offset), from, ".Z")
	d.op("VADD"+d.suffix, from, sum, sum)
	d.label(label)
	d.transfer(sum, at("SI", offset), "")
	d.part = false
}

// neonAdd adds up as many sums as a vector has lanes, from the nth on, into the first one.
func (d *dot) neonAdd(n int) {
	d.three(neonFADDP, n, n, n+1)
	if d.size == 4 {
		d.three(neonFADDP, n+2, n+2, n+3)
		d.three(neonFADDP, n, n, n+2)
	}
}

// neonStore stores columns from j on, a vector or those that are there, after it has added what C starts from. BX and DX point to
// both, CX counts the columns that are left.
func (d *dot) neonStore(n, i, j int) {
	label := func(what string) string { return fmt.Sprintf("%s%dx%d", what, i, j) }
	const from, value = 30, 29
	lanes := fmt.Sprintf("$%d", d.lanes(d.elem))
	store := func(n int, label string) {
		d.jumpIfZero("R8", label)
		d.loadNext("DX", from)
		d.plus(from, n)
		d.label(label)
		d.storeNext(n, "BX")
	}
	d.compare("CX", lanes)
	d.jump("LT", label("part"))
	store(n, label("whole"))
	d.sub(lanes, "CX")
	d.goTo(label("next"))
	d.label(label("part"))
	d.jumpIfZero("CX", fmt.Sprintf("row%d", i+1))
	d.part = true
	d.op(d.neonOne(), float(n), float(value))
	store(value, label("bare"))
	d.part = false
	d.op("VEXT", fmt.Sprintf("$%d", d.size), vector(n), vector(n), vector(n))
	d.sub("$1", "CX")
	d.goTo(label("part"))
	d.label(label("next"))
}
