package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// A product is the state while a micro-kernel is written. The sums take the first registers, then come a row of B and elements of A;
// under AVX2 the last one is for masks.
//
// R13 is the distance of rows of B, of which BX points to one, or where tapped rows count from; DX points to what is read next or
// to taps. Under NEON R14 has the bytes from the start of a row to its last vector, and R11 points to that.
type product struct {
	*writer
	shape
	taps           bool // a table gives the offsets of B's rows, and C may start from a number for each row
	pairs          bool // the elements of A and B are pairs of bfloat16
	dense, rowwise bool // AVX2: B is packed, and elements of A are at constants from each other, or rowwise from those of their rows
	unmasked       bool // AVX-512: the tile has all columns
	cols           int  // NEON: of a tile that has fewer than a vector has lanes; else 0
}

func (m *machine) product(f *asm.File, s shape, e elem) {
	doc := fmt.Sprintf("c[i][j] = from[i][j] + Σ a[i][l] · b[l][j] for %d rows i and up to %d columns j", s.rows, s.vectors*m.lanes(e))
	p := product{writer: m.writer(f, s.String(), e, &tileCall, doc), shape: s}
	p.write()
}

// tapProduct is the micro-kernel of convolutions, whose rows of B overlap: a table has their distances from B.
func (m *machine) tapProduct(f *asm.File, s shape, e elem) {
	doc := fmt.Sprintf("c[i][j] = from[i][j] + bias[i] + Σ a[i][l] · b[taps[l]+j] for %d rows i and up to %d columns j", s.rows, s.vectors*m.lanes(e))
	p := product{writer: m.writer(f, tapName(s), e, &tileCall, doc), shape: s, taps: true}
	p.write()
}

func tapName(s shape) string { return fmt.Sprintf("tap%dx%d", s.rows, s.vectors) }

func (p *product) write() {
	if p.masks { // of several vectors the first is whole
		p.arg("cols", "AX")
		p.setMasks(p.lanes(p.elem), p.vectors)
	}
	p.label("tile")
	p.point()
	switch {
	case p.masks:
		p.maskedTiles()
	case p.arm:
		p.neonTiles()
	case p.isHalf():
		p.tile("")
	default:
		p.arg("cols", "AX")
		p.compare("AX", fmt.Sprintf("$%d", p.vectors*p.lanes(p.elem)))
		p.jump("LT", "part")
		p.denseTiles()
		p.tile("Whole")
		p.label("part")
		p.part = true
		p.arg("mask", "AX")
		p.tile("Part")
	}
}

func (p *product) tile(label string) {
	p.multiply(label)
	p.finish(label)
}

// point sets the registers that the loop over k needs, but for its counters, and clears the sums.
func (p *product) point() {
	p.pointAtRows(p.rows)
	p.arg("colA", "R12")
	if p.taps {
		p.arg("b", "R13")
		p.arg("taps", "DX")
	} else {
		p.arg("b", "BX")
		p.arg("rowB", "R13")
		p.arg("next", "DX")
	}
	for n := range p.rows * p.vectors {
		p.zero(n)
	}
}

func (p *product) sum(i, v int) int { return i*p.vectors + v }

func (p *product) rowOfB(v int) int {
	first, last := p.rows*p.vectors, p.count-3
	return first + v%(last-first+1)
}

func (p *product) elementOfA(i int) int {
	if p.count == 32 {
		return p.count - 2 + i%2
	}
	return p.count - 2
}

// prefetchSteps is how many steps of k before the end of the loop C is prefetched: earlier, and what the loop reads would evict
// C from the first cache level again, most of all where C's rows are a power of two apart; later, and C would not be there yet.
const prefetchSteps = 48

// multiply is the loop over k, on amd64 in two parts, between which it prefetches C.
func (p *product) multiply(label string) {
	if p.arm {
		p.arg("k", "CX")
		p.loopLabel("loop" + label)
		p.step()
		p.repeat("CX", "loop"+label)
		return
	}
	p.arg("k", "R15")
	p.move("R15", "CX")
	p.sub(fmt.Sprintf("$%d", prefetchSteps), "CX")
	p.jump("LE", "prefetch"+label)
	p.op("MOVL", fmt.Sprintf("$%d", prefetchSteps), "R15")
	if p.dense {
		p.denseSteps(label)
	} else {
		p.loopLabel("loop" + label)
		p.step()
		p.repeat("CX", "loop"+label)
	}
	p.jumpIfZero("R15", "sums"+label)
	p.label("prefetch" + label)
	p.prefetchC()
	p.prefetchFrom("there" + label)
	p.move("R15", "CX")
	p.clear("R15")
	p.goTo("loop" + label)
	p.label("sums" + label)
}

// ahead is the prefetch distance of rows of B in steps of k: some hundred cycles, the latency of the second and third cache
// level. Hardware prefetchers follow neither rows that are far apart nor taps. It must be a scale that an address can have, and
// equals vec.TapsAhead, since as many taps are read beyond a tile's.
const ahead = 8

// prefetchesB reports whether the loop prefetches rows of B. Tiles of few rows are bound by bandwidth, not by latency: prefetches
// make them slower.
func (p *product) prefetchesB() bool { return p.rows >= 4 && !p.arm }

// streams reports whether the kernel is for a B that comes from memory: a row of what will be read next is prefetched for each row of B.
func (p *product) streams() bool { return p.shape == shape{1, 2} && !p.arm }

// prefetchB prefetches the row of B at base + index*scale.
func (p *product) prefetchB(base, index string, scale int) {
	for v := range p.vectors {
		p.op("PREFETCHT0", memory{base, v * p.bytes, index, scale}.String())
	}
}

// prefetchC prefetches the cache lines of the tile of C.
func (p *product) prefetchC() {
	p.arg("c", "CX")
	p.prefetchTile("PREFETCHT0", "rowC")
}

// prefetchFrom prefetches those of what C starts from, where that is another matrix: to the second cache level, since its rows, a power of two
// apart like C's, would evict those from the first. lstm/128x64x256 takes a sixteenth less time so.
func (p *product) prefetchFrom(label string) {
	p.arg("from", "CX")
	p.jumpIfZero("CX", label)
	p.compare("CX", tileCall.at("c"))
	p.jump("EQ", label)
	p.prefetchTile("PREFETCHT1", "rowFrom")
	p.label(label)
}

// prefetchTile prefetches the cache lines of a tile that CX points to.
func (p *product) prefetchTile(instruction, row string) {
	width := p.vectors * p.bytes
	if p.pairs {
		width /= 2
	}
	for i := range p.rows {
		for line := 0; line < width; line += 64 {
			p.op(instruction, at("CX", line))
		}
		if i < p.rows-1 {
			p.addArg(row, "CX")
		}
	}
}

// step adds the products of one step of k.
func (p *product) step() {
	if p.taps {
		p.nextTap()
	}
	p.pointAtLast("BX")
	for i := range p.rows {
		for v := range p.vectors {
			if p.arm && i == 0 { // all of the row first
				p.load("BX", v, p.rowOfB(v))
			}
		}
		a := p.elementOfA(i)
		p.loadFactor(p.rowOfA(i), a)
		for v := range p.vectors {
			if !p.arm && i == 0 {
				p.loadB(v)
			}
			if p.pairs {
				p.multiplyPairs(p.rowOfB(v), a, p.sum(i, v))
				continue
			}
			p.fmaFactor(p.rowOfB(v), a, p.sum(i, v))
		}
	}
	p.nextOfA(p.rows)
	if p.taps {
		p.add("$4", "DX")
		return
	}
	if p.streams() {
		width := p.vectors * p.bytes
		if p.isHalf() {
			width /= 2
		}
		for line := 0; line < width; line += 64 {
			p.op("PREFETCHT1", at("DX", line))
		}
		p.add("R13", "DX")
	} else {
		p.prefetchNext("DX")
		p.add("$16", "DX")
	}
	if p.prefetchesB() {
		p.prefetchB("BX", "R13", ahead)
	}
	p.add("R13", "BX")
}

// nextTap points BX at the tap's row of B.
func (p *product) nextTap() {
	p.tap(memory{base: "DX"}, "BX")
	p.elements("R13", "BX", "BX")
	if !p.prefetchesB() {
		return
	}
	free := "AX"
	if !p.masks {
		free = rowsOfA[2] // AX points at masks, and rows are few
	}
	p.tap(memory{base: "DX", offset: 4 * ahead}, free)
	p.prefetchB("R13", free, p.size)
}

// finish adds what C starts from, and stores the tile. All of a row is read before some of it is written, since its last
// two vectors may overlap.
func (p *product) finish(label string) {
	if p.taps {
		p.addBias(label)
	}
	p.addFrom(label)
	p.storeRows()
	p.nextTile("done" + label)
}

// addFrom adds what C starts from.
func (p *product) addFrom(label string) {
	p.pointAtC()
	p.jumpIfZero("R8", "store"+label)
	for i := range p.rows {
		p.pointAtLast("R8")
		for v := range p.vectors {
			p.load("R8", v, p.rowOfB(v))
			p.plus(p.rowOfB(v), p.sum(i, v))
		}
		p.add("R9", "R8")
	}
	p.label("store" + label)
}

// storeRows stores the tile's rows.
func (p *product) storeRows() {
	for i := range p.rows {
		p.pointAtLast("SI")
		for v := range p.vectors {
			p.store(p.sum(i, v), "SI", v)
		}
		p.add("R10", "SI")
	}
}

// pointAtC points SI at C and R8 at what it starts from, whose rows are R10 and R9 apart.
func (w *writer) pointAtC() {
	w.arg("c", "SI")
	w.arg("rowC", "R10")
	w.arg("from", "R8")
	w.arg("rowFrom", "R9")
}

// addBias adds a number to each row.
func (p *product) addBias(label string) {
	p.arg("bias", "R8")
	p.jumpIfZero("R8", "from"+label)
	for i := range p.rows {
		p.broadcast(memory{base: "R8", offset: i * p.size}, p.elementOfA(i))
		for v := range p.vectors {
			p.plus(p.elementOfA(i), p.sum(i, v))
		}
	}
	p.label("from" + label)
}
