package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

const pairMaxName = "triples"

// Registers of a pairMax's vectors.
const (
	pairBest  = iota // the largest so far
	pairEven         // the first columns of pairs, and before that what is read first
	pairOdd          // the second
	pairRead         // what is read then
	pairPrior        // the column before
	pairNone         // minus infinity
	pairEvens        // AVX-512: which elements are even
	pairOdds         //
	pairFound        // AVX2: where NaN was found, which AVX-512 has in K6; NEON: the largest element, or NaN
	pairTest         //
	pairMasks        // AVX2: the first of the masks
)

// The masks, of what is read first and then, and of what is written.
const (
	pairLow = iota
	pairHigh
	pairOut
)

// A pairMax writes the function of a type. Elements that are not there count as minus infinity. NaN is
// only found, not kept: a window with one is for others to compute.
//
// SI and BX point to the row of x and y, R9 and R10 to the vector, R11 to the line and R8 to the element before it,
// which moves by R14 from line to line. CX counts rows, R12 whole vectors and AX lines; DX is the distance of lines.
type pairMax struct {
	*writer
	file *asm.File
	none string // the address of minus infinity
}

func (m *machine) pairMaxes(f *asm.File, e elem) {
	p := &pairMax{writer: m.writer(f, pairMaxName, e, &pairMaxCall, "the largest element of every window, each a pair of columns and the one before"), file: f}
	p.write()
}

// ps is the name of an instruction for the type of number.
func (p *pairMax) ps(name string) string { return name + p.suffix }

func (p *pairMax) write() {
	p.none = p.file.Words(map[int][]uint32{4: {0xff800000}, 8: {0, 0xfff00000}}[p.size]...)
	p.arg("x", "SI")
	p.arg("y", "BX")
	p.arg("rows", "CX")
	p.arg("lineX", "DX")
	p.constants()
	p.label("row")
	if !p.arm {
		p.arg("rowX", "AX")
		p.indexed("SI", "AX", rowsAhead, "R11")
		prefetchLines(p.fn, "prefetch", "R11")
	}
	p.move("SI", "R9")
	p.move("BX", "R10")
	p.arg("whole", "R12")
	p.border()
	p.jumpIfZero("R12", "last")
	p.label("vector")
	p.window("line")
	p.store(pairBest, memory{base: "R10"})
	p.next(p.lanes(p.elem))
	p.repeat("R12", "vector")
	p.label("last")
	p.part = true
	if p.arm {
		p.singles()
	} else {
		p.window("lastLine")
		p.useMask(pairOut)
		p.store(pairBest, memory{base: "R10"})
	}
	p.part = false
	p.addArg("rowX", "SI")
	p.addArg("rowY", "BX")
	p.repeat("CX", "row")
	p.tellNaN()
	p.end()
}

// next moves on by so many windows.
func (p *pairMax) next(windows int) {
	p.add(fmt.Sprintf("$%d", 2*windows*p.size), "R9")
	p.add(fmt.Sprintf("$%d", windows*p.size), "R10")
	p.before()
}

// before points R8 at the element before the vector.
func (p *pairMax) before() {
	p.offset("R9", -p.size, "R8")
	p.move("DX", "R14")
}

// pointAtNone points a register at minus infinity.
func (p *pairMax) pointAtNone(register string) {
	p.whole("LEAQ", "MOVD", map[bool]string{true: "$"}[p.arm]+p.none, register)
}

// constants loads what every vector needs.
func (p *pairMax) constants() {
	if p.arm {
		p.pointAtNone("R13")
		p.broadcast(memory{base: "R13"}, pairNone)
		p.copy(pairNone, pairFound)
		return
	}
	p.loadFactor(p.none, pairNone)
	p.loadMasks(pairTest, pairMasks, "low", "high", "out")
	if !p.masks {
		p.zero(pairFound)
		return
	}
	p.op("KXORW", "K6", "K6", "K6")
	for i, r := range []int{pairEvens, pairOdds} {
		p.op("VMOVUPS", p.vectorOf(p.file, func(n int) int { return 2*n + i }), p.reg(r))
	}
}

// border points R8 at what stands before a row's first pair.
func (p *pairMax) border() {
	p.pointAtNone("R8")
	p.clear("R14")
	p.compareArg("border", "$0", "AX")
	p.jump("NE", "bordered")
	p.before()
	p.label("bordered")
}

// window folds the lines of a vector of windows, in order.
func (p *pairMax) window(label string) {
	p.copy(pairNone, pairBest)
	p.move("R9", "R11")
	p.arg("lines", "AX")
	p.label(label)
	if p.arm {
		p.op("VLD2", p.address(memory{base: "R11"}), fmt.Sprintf("[%s, %s]", p.numbers(pairEven), p.numbers(pairOdd)))
	} else {
		p.read(0, pairLow, pairEven)
		p.read(p.bytes, pairHigh, pairRead)
		p.separate()
	}
	p.prior()
	if !p.arm {
		p.find(pairPrior, pairEven)
		p.find(pairOdd, pairOdd)
	}
	p.larger(pairPrior)
	p.add("R14", "R8")
	p.larger(pairEven)
	p.larger(pairOdd)
	p.add("DX", "R11")
	p.repeat("AX", label)
}

// read reads a vector of the line; what is not there is minus infinity.
func (p *pairMax) read(offset, mask, to int) {
	if p.part && p.masks {
		p.copy(pairNone, to)
	}
	p.useMask(mask)
	p.transfer(at("R11", offset), p.reg(to), "")
	if p.part && !p.masks {
		p.op(p.ps("VBLENDV"), p.mask, p.reg(to), p.reg(pairNone), p.reg(to))
	}
}

// separate parts pairs into their first and their second columns.
func (p *pairMax) separate() {
	even, odd, read := p.reg(pairEven), p.reg(pairOdd), p.reg(pairRead)
	if p.masks {
		p.copy(pairOdds, pairOdd)
		p.op(p.ps("VPERMI2"), read, even, odd)
		p.op(p.ps("VPERMT2"), read, p.reg(pairEvens), even)
		return
	}
	evens, odds := "$0x88", "$0xdd"
	if p.size == 8 {
		evens, odds = "$0", "$0xf"
	}
	p.op(p.ps("VSHUF"), odds, read, even, odd)
	p.op(p.ps("VSHUF"), evens, read, even, even)
	p.op("VPERMPD", "$0xd8", odd, odd)
	p.op("VPERMPD", "$0xd8", even, even)
}

// prior is the second columns moved up by one, and what R8 points at.
func (p *pairMax) prior() {
	prior, odd := p.reg(pairPrior), p.reg(pairOdd)
	if p.arm {
		p.op("VLD1R", p.address(memory{base: "R8"}), "["+p.numbers(pairPrior)+"]")
		p.op("VEXT", fmt.Sprintf("$%d", p.bytes-p.size), vector(pairOdd), vector(pairPrior), vector(pairPrior))
		return
	}
	p.broadcast(memory{base: "R8"}, pairPrior)
	if p.masks {
		p.op(map[int]string{4: "VALIGND", 8: "VALIGNQ"}[p.size], fmt.Sprintf("$%d", p.lanes(p.elem)-1), prior, odd, prior)
		return
	}
	p.op("VPERM2F128", "$0x20", odd, prior, prior)
	p.op("VPALIGNR", fmt.Sprintf("$%d", 16-p.size), prior, odd, prior)
}

// find notes whether an element of a or b is NaN.
func (p *pairMax) find(a, b int) {
	if p.masks {
		p.op(p.ps("VCMP"), "$3", p.reg(a), p.reg(b), "K5")
		p.op("KORW", "K5", "K6", "K6")
		return
	}
	p.op(p.ps("VCMP"), "$3", p.reg(a), p.reg(b), p.reg(pairTest))
	p.op("VORPS", p.reg(pairTest), p.reg(pairFound), p.reg(pairFound))
}

// larger keeps the first of equal elements: amd64's instruction gives its last operand, here the first, where they are equal.
// NEON's would put -0 before 0, but NaN stays in it.
func (p *pairMax) larger(x int) {
	if p.arm {
		p.three(neonFCMGT, pairTest, x, pairBest)
		p.op("VBIT", vector(pairTest), vector(x), vector(pairBest))
		p.three(neonCode{"FMAX", 0x4e20f400}, pairFound, pairFound, x)
		return
	}
	p.op(p.ps("VMAX"), p.reg(pairBest), p.reg(x), p.reg(pairBest))
}

// singles computes the windows of the last vector one by one, under NEON. A column that is not there is minus infinity in every
// line. R15 counts windows, R12 the elements of their pairs.
func (p *pairMax) singles() {
	columns := []struct{ at, step string }{{"R11", "R14"}, {"row0", "row1"}, {"row2", "row3"}}
	p.arg("last", "R15")
	p.arg("rest", "R12")
	p.label("single")
	p.copy(pairNone, pairBest)
	p.move("R8", columns[0].at)
	for i, c := range columns[1:] {
		p.offset("R9", i*p.size, c.at)
		p.move("DX", c.step)
		p.compare("R12", fmt.Sprintf("$%d", i+1))
		p.moveIf("LT", "R13", c.at)
		p.moveIf("LT", "ZR", c.step)
	}
	p.arg("lines", "AX")
	p.label("singleLine")
	for _, c := range columns {
		p.load(memory{base: c.at}, pairEven)
		p.larger(pairEven)
		p.add(c.step, c.at)
	}
	p.repeat("AX", "singleLine")
	p.store(pairBest, memory{base: "R10"})
	p.next(1)
	p.sub("$2", "R12")
	p.repeat("R15", "single")
}

// tellNaN writes whether there was any.
func (p *pairMax) tellNaN() {
	switch {
	case p.masks:
		p.op("KMOVW", "K6", "AX")
	case p.arm:
		p.three(neonFCMEQ, pairTest, pairFound, pairFound)
		p.whole("", "VMOV", fmt.Sprintf("V%d.D[0]", pairTest), "AX")
		p.whole("", "VMOV", fmt.Sprintf("V%d.D[1]", pairTest), "R12")
		p.whole("", "AND", "R12", "AX")
		p.whole("", "MVN", "AX", "AX")
	default:
		p.op("VMOVMSKPS", p.reg(pairFound), "AX")
	}
	p.whole("MOVQ", "MOVD", "AX", p.field("nan"))
}
