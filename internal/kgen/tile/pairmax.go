package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// A pairForm is how windows two columns apart see the columns, in pairs.
type pairForm struct {
	name, doc string
	before    bool // whether the column before a pair belongs to its window
}

var pairForms = []pairForm{
	{"pairs", "the largest element of every window, each a pair of columns", false},
	{"triples", "the largest element of every window, each a pair of columns and the one before", true},
}

// Registers of a pairMax's vectors.
const (
	halfBest  = iota // the largest so far
	halfEven         // the first columns of pairs, and before that what is read first
	halfOdd          // the second
	halfRead         // what is read then
	halfPrior        // the column before
	halfNone         // minus infinity
	halfEvens        // AVX-512: which elements are even
	halfOdds         //
	halfFound        // AVX2: where NaN was found; AVX-512 has it in K6
	halfTest         //
	halfLowOn        // AVX2: the masks; AVX-512 has them in K2 to K4
	halfHighOn
	halfOutOn
)

// A pairMax writes the function of one form and type. Elements that are not there count as minus infinity. NaN is
// only found, not kept: a window with one is for others to compute.
//
// SI and BX point to the row of x and y, R9 and R10 to the vector, R11 to the line and R8 to the element before it,
// which moves by R14 from line to line. CX counts rows, R12 whole vectors and AX lines; DX is the distance of lines.
type pairMax struct {
	*machine
	elem
	pairForm
	fn   *asm.Func
	file *asm.File
	none string // where minus infinity lies
	last bool   // a row's last vector, which may be one in part
}

func (m *machine) pairMaxes(f *asm.File, e elem) {
	for _, form := range pairForms {
		p := &pairMax{machine: m, elem: e, pairForm: form, file: f}
		p.write()
	}
}

func (p *pairMax) op(name string, operands ...string) { p.fn.Op(name, operands...) }

// ps is the name of an instruction for the type of number.
func (p *pairMax) ps(name string) string { return name + p.suffix }

func (p *pairMax) write() {
	p.fn = newFunc(p.file, p.functionName(p.pairForm.name, p.elem), p.doc)
	p.none = p.file.Words(map[int][]uint32{4: {0xff800000}, 8: {0, 0xfff00000}}[p.size]...)
	p.op("MOVQ", pairMaxCall.at("x"), "SI")
	p.op("MOVQ", pairMaxCall.at("y"), "BX")
	p.op("MOVQ", pairMaxCall.at("rows"), "CX")
	p.op("MOVQ", pairMaxCall.at("lineX"), "DX")
	p.constants()
	p.fn.Label("row")
	p.op("MOVQ", pairMaxCall.at("rowX"), "AX")
	p.op("LEAQ", fmt.Sprintf("(SI)(AX*%d)", rowsAhead), "R11")
	prefetchLines(p.fn, "prefetch", "R11")
	p.op("MOVQ", "SI", "R9")
	p.op("MOVQ", "BX", "R10")
	p.op("MOVQ", pairMaxCall.at("whole"), "R12")
	p.border()
	p.op("TESTQ", "R12", "R12")
	p.op("JEQ", "last")
	p.fn.Label("vector")
	p.window("line")
	p.op("VMOVU"+p.suffix, p.reg(halfBest), "(R10)")
	p.op("ADDQ", fmt.Sprintf("$%d", 2*p.bytes), "R9")
	p.op("ADDQ", fmt.Sprintf("$%d", p.bytes), "R10")
	if p.before {
		p.op("LEAQ", fmt.Sprintf("-%d(R9)", p.size), "R8")
		p.op("MOVQ", "DX", "R14")
	}
	p.op("DECQ", "R12")
	p.op("JNZ", "vector")
	p.fn.Label("last")
	p.last = true
	p.window("lastLine")
	p.store()
	p.op("ADDQ", pairMaxCall.at("rowX"), "SI")
	p.op("ADDQ", pairMaxCall.at("rowY"), "BX")
	p.op("DECQ", "CX")
	p.op("JNZ", "row")
	p.tellNaN()
	p.op("VZEROUPPER")
	p.op("RET")
}

// constants loads what every vector needs.
func (p *pairMax) constants() {
	broadcast := map[int]string{4: "VBROADCASTSS", 8: "VBROADCASTSD"}[p.size]
	p.op(broadcast, p.none, p.reg(halfNone))
	for i, mask := range []string{pairMaxCall.at("low"), pairMaxCall.at("high"), pairMaxCall.at("out")} {
		p.op("MOVQ", mask, "AX")
		if p.masks {
			p.op("VMOVUPS", "(AX)", p.reg(halfTest))
			p.op(map[int]string{4: "VPMOVD2M", 8: "VPMOVQ2M"}[p.size], p.reg(halfTest), fmt.Sprintf("K%d", 2+i))
			continue
		}
		p.op("VMOVUPS", "(AX)", p.reg(halfLowOn+i))
	}
	if !p.masks {
		p.zero(p.fn, halfFound)
		return
	}
	p.op("KXORW", "K6", "K6", "K6")
	for i, r := range []int{halfEvens, halfOdds} {
		p.op("VMOVUPS", p.every(i), p.reg(r))
	}
}

// every is the numbers of every second element, from the first.
func (p *pairMax) every(first int) string {
	var words []uint32
	for i := range p.lanes(p.elem) {
		words = append(words, uint32(2*i+first))
		if p.size == 8 {
			words = append(words, 0)
		}
	}
	return p.file.Words(words...)
}

// border points R8 at what stands before a row's first pair.
func (p *pairMax) border() {
	if !p.before {
		return
	}
	p.op("LEAQ", p.none, "R8")
	p.op("XORL", "R14", "R14")
	p.op("CMPQ", pairMaxCall.at("border"), "$0")
	p.op("JNE", "bordered")
	p.op("LEAQ", fmt.Sprintf("-%d(R9)", p.size), "R8")
	p.op("MOVQ", "DX", "R14")
	p.fn.Label("bordered")
}

// window folds the lines of a vector of windows, in order.
func (p *pairMax) window(label string) {
	p.op("VMOVA"+p.suffix, p.reg(halfNone), p.reg(halfBest))
	p.op("MOVQ", "R9", "R11")
	p.op("MOVQ", pairMaxCall.at("lines"), "AX")
	p.fn.Label(label)
	p.load("(R11)", halfLowOn, halfEven)
	p.load(fmt.Sprintf("%d(R11)", p.bytes), halfHighOn, halfRead)
	if !p.before {
		p.find(halfEven, halfRead)
	}
	p.part()
	if p.before {
		p.prior()
		p.find(halfPrior, halfEven)
		p.find(halfOdd, halfOdd)
		p.larger(halfPrior)
		p.op("ADDQ", "R14", "R8")
	}
	p.larger(halfEven)
	p.larger(halfOdd)
	p.op("ADDQ", "DX", "R11")
	p.op("DECQ", "AX")
	p.op("JNZ", label)
}

// load reads a vector; what is not there is minus infinity.
func (p *pairMax) load(from string, mask, to int) {
	switch {
	case !p.last:
		p.op(p.ps("VMOVU"), from, p.reg(to))
	case p.masks:
		p.op(p.ps("VMOVA"), p.reg(halfNone), p.reg(to))
		p.op(p.ps("VMOVU"), from, fmt.Sprintf("K%d", 2+mask-halfLowOn), p.reg(to))
	default:
		p.op(p.ps("VMASKMOV"), from, p.reg(mask), p.reg(to))
		p.op(p.ps("VBLENDV"), p.reg(mask), p.reg(to), p.reg(halfNone), p.reg(to))
	}
}

// part parts pairs into their first and their second columns.
func (p *pairMax) part() {
	even, odd, read := p.reg(halfEven), p.reg(halfOdd), p.reg(halfRead)
	if p.masks {
		p.op(p.ps("VMOVA"), p.reg(halfOdds), odd)
		p.op(p.ps("VPERMI2"), read, even, odd)
		p.op(p.ps("VPERMT2"), read, p.reg(halfEvens), even)
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
	prior, odd := p.reg(halfPrior), p.reg(halfOdd)
	p.op(map[int]string{4: "VBROADCASTSS", 8: "VBROADCASTSD"}[p.size], "(R8)", prior)
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
	p.op(p.ps("VCMP"), "$3", p.reg(a), p.reg(b), p.reg(halfTest))
	p.op("VORPS", p.reg(halfTest), p.reg(halfFound), p.reg(halfFound))
}

// larger keeps the first of equal elements: the instruction gives its last operand, here the first, where they are equal.
func (p *pairMax) larger(x int) {
	p.op(p.ps("VMAX"), p.reg(halfBest), p.reg(x), p.reg(halfBest))
}

// store writes the last vector.
func (p *pairMax) store() {
	if p.masks {
		p.op(p.ps("VMOVU"), p.reg(halfBest), "K4", "(R10)")
		return
	}
	p.op(p.ps("VMASKMOV"), p.reg(halfBest), p.reg(halfOutOn), "(R10)")
}

// tellNaN writes whether there was any.
func (p *pairMax) tellNaN() {
	if p.masks {
		p.op("KMOVW", "K6", "AX")
	} else {
		p.op("VMOVMSKPS", p.reg(halfFound), "AX")
	}
	p.op("MOVQ", "AX", pairMaxCall.at("nan"))
}
