package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// A product is a micro-kernel under way. The sums take the first registers, then come a row of B and elements of A;
// without mask registers the last one is for masks.
type product struct {
	*machine
	shape
	elem
	fn   *asm.Func
	part bool // the tile has fewer columns than the vectors have lanes
	taps bool // the rows of B lie where a table says, and C may start from a number for each row
	// The elements of A and B are pairs of bfloat16.
	pairs bool
}

func (m *machine) product(f *asm.File, s shape, e elem) {
	doc := fmt.Sprintf("c[i][j] = from[i][j] + Σ a[i][l] · b[l][j] for %d rows i and up to %d columns j", s.rows, s.vectors*m.lanes(e))
	p := product{machine: m, shape: s, elem: e, fn: newFunc(f, m.functionName(s.String(), e), doc)}
	p.write()
}

// tapProduct is the micro-kernel of convolutions, whose rows of B overlap: a table has their distances from B.
func (m *machine) tapProduct(f *asm.File, s shape, e elem) {
	doc := fmt.Sprintf("c[i][j] = from[i][j] + bias[i] + Σ a[i][l] · b[taps[l]+j] for %d rows i and up to %d columns j", s.rows, s.vectors*m.lanes(e))
	p := product{machine: m, shape: s, elem: e, taps: true, fn: newFunc(f, m.functionName(tapName(s), e), doc)}
	p.write()
}

func tapName(s shape) string { return fmt.Sprintf("tap%dx%d", s.rows, s.vectors) }

func (p *product) write() {
	fn := p.fn
	if p.masks {
		p.setMasks()
	}
	fn.Label("tile")
	p.point()
	p.clear()
	if p.masks {
		p.multiply("")
		p.finish("")
		return
	}
	fn.Op("MOVQ", tileCall.at("cols"), "AX")
	fn.Op("CMPQ", "AX", fmt.Sprintf("$%d", p.vectors*p.lanes(p.elem)))
	fn.Op("JLT", "part")
	p.multiply("Whole")
	p.finish("Whole")
	fn.Label("part")
	p.part = true
	fn.Op("MOVQ", tileCall.at("mask"), "AX")
	p.multiply("Part")
	p.finish("Part")
}

// point sets the registers that the loop over k needs, but for its counters.
func (p *product) point() {
	fn := p.fn
	pointAtRows(fn, p.rows)
	fn.Op("MOVQ", tileCall.at("colA"), "R12")
	if p.taps {
		fn.Op("MOVQ", tileCall.at("b"), "R13")
		fn.Op("MOVQ", tileCall.at("taps"), "DX")
		return
	}
	fn.Op("MOVQ", tileCall.at("b"), "BX")
	fn.Op("MOVQ", tileCall.at("rowB"), "R13")
	fn.Op("MOVQ", tileCall.at("next"), "DX")
}

// setMasks sets the mask of each vector that may have fewer elements: of several, the first is whole.
func (p *product) setMasks() {
	fn := p.fn
	fn.Op("MOVQ", tileCall.at("cols"), "AX")
	maskOf(fn, p.lanes(p.elem), p.vectors)
}

// maskOf sets the masks of vectors for AX elements: K1 that of the only one, else K1 that of the second, and so on.
func maskOf(fn *asm.Func, lanes, vectors int) {
	if vectors > 1 {
		fn.Op("SUBQ", fmt.Sprintf("$%d", lanes), "AX")
	}
	fn.Op("MOVL", "$-1", "R15")
	for k := 1; k <= max(vectors-1, 1); k++ {
		if k > 1 {
			fn.Op("XORL", "R15", "R15")
			fn.Op("SUBQ", fmt.Sprintf("$%d", lanes), "AX")
			fn.Op("CMOVQLT", "R15", "AX")
			fn.Op("DECL", "R15")
		}
		fn.Op("BZHIL", "AX", "R15", "R15")
		fn.Op("KMOVW", "R15", fmt.Sprintf("K%d", k))
	}
}

func (p *product) sum(i, v int) string { return p.reg(i*p.vectors + v) }

func (p *product) rowOfB(v int) string {
	first, last := p.rows*p.vectors, p.count-3
	return p.reg(first + v%(last-first+1))
}

func (p *product) elementOfA(i int) string {
	if p.masks {
		return p.reg(p.count - 2 + i%2)
	}
	return p.reg(p.count - 2)
}

// mask is the operand that limits vector v to the tile's columns; it is empty where the vector is whole.
func (p *product) mask(v int) string {
	switch {
	case p.vectors == 1:
		return "K1"
	case v == 0:
		return ""
	}
	return fmt.Sprintf("K%d", v)
}

func (p *product) clear() {
	for n := range p.rows * p.vectors {
		p.zero(p.fn, n)
	}
}

// prefetchSteps is how many steps of k before the end of the loop C is prefetched: earlier, and what the loop reads would evict
// C from the first cache level again, most of all where C's rows are a power of two apart; later, and C would not be there yet.
const prefetchSteps = 48

// multiply is the loop over k, in two parts, between which it prefetches C.
func (p *product) multiply(label string) {
	fn := p.fn
	fn.Op("MOVQ", tileCall.at("k"), "R15")
	fn.Op("MOVQ", "R15", "CX")
	fn.Op("SUBQ", fmt.Sprintf("$%d", prefetchSteps), "CX")
	fn.Op("JLE", "prefetch"+label)
	fn.Op("MOVL", fmt.Sprintf("$%d", prefetchSteps), "R15")
	fn.Op("PCALIGN", "$32")
	fn.Label("loop" + label)
	p.step()
	fn.Op("DECQ", "CX")
	fn.Op("JNZ", "loop"+label)
	fn.Op("TESTQ", "R15", "R15")
	fn.Op("JZ", "sums"+label)
	fn.Label("prefetch" + label)
	p.prefetchC()
	fn.Op("MOVQ", "R15", "CX")
	fn.Op("XORL", "R15", "R15")
	fn.Op("JMP", "loop"+label)
	fn.Label("sums" + label)
}

// ahead is the prefetch distance of rows of B in steps of k: some hundred cycles, the latency of the second and third cache
// level. Hardware prefetchers follow neither rows that are far apart nor taps. It must be a scale that an address can have, and
// equals vec.TapsAhead, since as many taps are read beyond a tile's.
const ahead = 8

// prefetchesB tells whether the loop prefetches rows of B. Tiles of few rows are bound by bandwidth, not by latency: prefetches
// make them slower.
func (p *product) prefetchesB() bool { return p.rows >= 4 }

// prefetchB prefetches the row of B at base + index*scale.
func (p *product) prefetchB(base, index string, scale int) {
	for v := range p.vectors {
		p.fn.Op("PREFETCHT0", fmt.Sprintf("%s(%s*%d)", at(base, v*p.bytes), index, scale))
	}
}

// prefetchC prefetches the cache lines of the tile of C.
func (p *product) prefetchC() {
	width := p.vectors * p.bytes
	if p.pairs {
		width /= 2
	}
	fn := p.fn
	fn.Op("MOVQ", tileCall.at("c"), "CX")
	for i := range p.rows {
		for line := 0; line < width; line += 64 {
			fn.Op("PREFETCHT0", at("CX", line))
		}
		if i < p.rows-1 {
			fn.Op("ADDQ", tileCall.at("rowC"), "CX")
		}
	}
}

// step adds the products of one step of k.
func (p *product) step() {
	fn := p.fn
	if p.taps {
		fn.Op("MOVLQSX", "(DX)", "BX")
		fn.Op("LEAQ", fmt.Sprintf("(R13)(BX*%d)", p.size), "BX")
	}
	if p.taps && p.prefetchesB() {
		free := "AX"
		if !p.masks {
			free = rowsOfA[2] // AX points at masks, and rows are few
		}
		fn.Op("MOVLQSX", at("DX", 4*ahead), free)
		p.prefetchB("R13", free, p.size)
	}
	for i := range p.rows {
		a := p.elementOfA(i)
		fn.Op("VBROADCAST"+p.single, rowOfA(i), a)
		for v := range p.vectors {
			if i == 0 {
				p.load(at("BX", v*p.bytes), v, p.rowOfB(v))
			}
			if p.pairs {
				multiplyPairs(fn, p.rowOfB(v), a, p.sum(i, v))
				continue
			}
			fn.Op("VFMADD231"+p.suffix, p.rowOfB(v), a, p.sum(i, v))
		}
	}
	nextOfA(fn, p.rows)
	if p.taps {
		fn.Op("ADDQ", "$4", "DX")
		return
	}
	fn.Op("PREFETCHT1", "(DX)")
	fn.Op("ADDQ", "$16", "DX")
	if p.prefetchesB() {
		p.prefetchB("BX", "R13", ahead)
	}
	fn.Op("ADDQ", "R13", "BX")
}

// load reads the columns of vector v that the tile has; the others become zero.
func (p *product) load(from string, v int, to string) {
	move := "VMOVU" + p.suffix
	switch mask := p.mask(v); {
	case p.masks && mask != "":
		p.fn.Op(move+".Z", from, mask, to)
	case p.part:
		p.fn.Op(move, at("AX", v*p.bytes), p.reg(p.count-1))
		p.fn.Op("VMASKMOV"+p.suffix, from, p.reg(p.count-1), to)
	default:
		p.fn.Op(move, from, to)
	}
}

// finish adds what C starts from, and stores the tile.
func (p *product) finish(label string) {
	fn := p.fn
	if p.taps {
		p.addBias(label)
	}
	fn.Op("MOVQ", tileCall.at("c"), "SI")
	fn.Op("MOVQ", tileCall.at("rowC"), "R10")
	fn.Op("MOVQ", tileCall.at("from"), "R8")
	fn.Op("MOVQ", tileCall.at("rowFrom"), "R9")
	fn.Op("TESTQ", "R8", "R8")
	fn.Op("JZ", "store"+label)
	for i := range p.rows {
		for v := range p.vectors {
			p.load(at("R8", v*p.bytes), v, p.rowOfB(v))
			fn.Op("VADD"+p.suffix, p.rowOfB(v), p.sum(i, v), p.sum(i, v))
		}
		fn.Op("ADDQ", "R9", "R8")
	}
	fn.Label("store" + label)
	for i := range p.rows {
		for v := range p.vectors {
			p.store(p.sum(i, v), v, at("SI", v*p.bytes))
		}
		fn.Op("ADDQ", "R10", "SI")
	}
	nextTile(fn, "done"+label)
}

// addBias adds a number to each row.
func (p *product) addBias(label string) {
	fn := p.fn
	fn.Op("MOVQ", tileCall.at("bias"), "R8")
	fn.Op("TESTQ", "R8", "R8")
	fn.Op("JZ", "from"+label)
	for i := range p.rows {
		fn.Op("VBROADCAST"+p.single, at("R8", i*p.size), p.elementOfA(i))
		for v := range p.vectors {
			fn.Op("VADD"+p.suffix, p.elementOfA(i), p.sum(i, v), p.sum(i, v))
		}
	}
	fn.Label("from" + label)
}

// store writes the columns of vector v that the tile has.
func (p *product) store(from string, v int, to string) {
	move := "VMOVU" + p.suffix
	switch mask := p.mask(v); {
	case p.masks && mask != "":
		p.fn.Op(move, from, mask, to)
	case p.part:
		p.fn.Op(move, at("AX", v*p.bytes), p.reg(p.count-1))
		p.fn.Op("VMASKMOV"+p.suffix, from, p.reg(p.count-1), to)
	default:
		p.fn.Op(move, from, to)
	}
}

// at is the operand in memory at a register's address plus bytes.
func at(register string, bytes int) string {
	if bytes == 0 {
		return "(" + register + ")"
	}
	return fmt.Sprintf("%d(%s)", bytes, register)
}
