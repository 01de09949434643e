package tile

import "fmt"

// The machines differ in the columns that a tile may lack. AVX-512 masks vectors. AVX2 does so in a second copy of the kernel, for
// tiles that are not whole. NEON has tiles of every number of vectors, the last of which overlaps the one before and computes the
// same there, and copies of the kernel for less than a vector.

// maskedTiles writes the kernel for AVX-512, with a loop for tiles that have all columns: Intel's processors mask what they load where they multiply, and
// mm/1024 takes a twentieth less time without.
func (p *product) maskedTiles() {
	p.compareArg("cols", fmt.Sprintf("$%d", p.vectors*p.lanes(p.elem)), "")
	p.jump("LT", "part")
	p.unmasked = true
	p.multiply("Whole")
	p.unmasked = false
	p.goTo("sums")
	p.label("part")
	p.tile("")
}

// neonTiles writes the kernel for whole vectors, and one for each number of columns below that.
func (p *product) neonTiles() {
	p.arg("cols", "R14")
	if p.vectors > 1 {
		p.sub(fmt.Sprintf("$%d", p.lanes(p.elem)), "R14")
		p.whole("", "LSL", fmt.Sprintf("$%d", p.log()), "R14")
		p.tile("")
		return
	}
	for cols := 1; cols < p.lanes(p.elem); cols++ {
		p.compare("R14", fmt.Sprintf("$%d", cols))
		p.jump("EQ", fmt.Sprintf("cols%d", cols))
	}
	p.tile("")
	for p.cols = 1; p.cols < p.lanes(p.elem); p.cols++ {
		p.label(fmt.Sprintf("cols%d", p.cols))
		p.move("$8", "R14") // to the third number
		p.part = p.cols == 1
		p.tile(fmt.Sprint(p.cols))
	}
}

// setMasks sets the masks of vectors for AX elements: K1 that of the only one, else K1 that of the second, and so on.
func (w *writer) setMasks(lanes, vectors int) {
	if vectors > 1 {
		w.op("SUBQ", fmt.Sprintf("$%d", lanes), "AX")
	}
	w.op("MOVL", "$-1", "R15")
	for k := 1; k <= max(vectors-1, 1); k++ {
		if k > 1 {
			w.op("XORL", "R15", "R15")
			w.op("SUBQ", fmt.Sprintf("$%d", lanes), "AX")
			w.op("CMOVQLT", "R15", "AX")
			w.op("DECL", "R15")
		}
		w.op("BZHIL", "AX", "R15", "R15")
		w.op("KMOVW", "R15", fmt.Sprintf("K%d", k))
	}
}

// pointAtLast points R11 at a row's last vector, or at its third number, under NEON.
func (p *product) pointAtLast(row string) {
	if p.arm && (p.vectors > 1 || p.cols == 3) {
		p.indexed(row, "R14", 1, "R11")
	}
}

// columns returns the address of vector v of a row, and tells the writer which of its columns the tile has.
func (p *product) columns(row string, v int) memory {
	switch {
	case p.unmasked:
		p.part = false
	case p.masks:
		p.part, p.mask = p.vectors == 1 || v > 0, fmt.Sprintf("K%d", max(v, 1))
	case p.arm && v > 0 && v == p.vectors-1:
		return memory{base: "R11"}
	case p.part && !p.arm:
		p.mask = p.reg(p.count - 1)
		p.op("VMOVU"+p.suffix, at("AX", v*p.bytes), p.mask)
	}
	return memory{base: row, offset: v * p.bytes}
}

// loadB reads the columns of vector v of a row of B on amd64.
func (p *product) loadB(v int) {
	if !p.isHalf() {
		p.load("BX", v, p.rowOfB(v))
		return
	}
	from := p.columns("BX", v)
	from.offset /= 2
	p.loadHalf(from, p.rowOfB(v))
}

// load reads the columns of vector v that the tile has; the others become zero.
func (p *product) load(row string, v, to int) {
	from := p.columns(row, v)
	if p.cols < 2 {
		p.writer.load(from, to)
		return
	}
	p.op("FMOVD", p.address(from), float(to))
	if p.cols == 3 {
		p.op("VLD1", p.address(memory{base: "R11"}), fmt.Sprintf("V%d.S[2]", to))
	}
}

// store writes the columns of vector v that the tile has.
func (p *product) store(from int, row string, v int) {
	to := p.columns(row, v)
	if p.cols < 2 {
		p.writer.store(from, to)
		return
	}
	p.op("FMOVD", float(from), p.address(to))
	if p.cols == 3 {
		p.op("VST1", fmt.Sprintf("V%d.S[2]", from), p.address(memory{base: "R11"}))
	}
}
