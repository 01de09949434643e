package asm

import (
	"fmt"
	"slices"

	"cresset/internal/kgen/recipe"
)

// fold takes a vector of elements into its accumulator.
func (m *x86) fold(p *placer, in *inst) {
	switch {
	case in.fold == recipe.FoldFirst:
		m.foldFirst(p, in)
	case in.fold.IsSum():
		m.foldSum(p, in)
	case isInt(p.elem):
		m.foldExtremeInt(p, in)
	default:
		m.foldExtreme(p, in)
	}
}

// foldFirst leaves the loop where a mask is set, with its bits in R12 and the place of the vector in R14.
func (m *x86) foldFirst(p *placer, in *inst) {
	mask := m.name(m.maskClass(), p.in(in.args[0]))
	switch {
	case p.masked && m.wide:
		there := m.name(masks, p.scratch(masks))
		p.fn.Op("KANDW", tailMask, mask, there)
		p.fn.Op("KMOVW", there, "R12")
	case p.masked:
		there := m.tail(p, in.chain)
		p.fn.Op("VANDPS", mask, there, there)
		p.fn.Op(x86Name{"VMOVMSKPS", "VMOVMSKPD"}.of(p), there, "R12")
	case m.wide:
		p.fn.Op("KMOVW", mask, "R12")
	default:
		p.fn.Op(x86Name{"VMOVMSKPS", "VMOVMSKPD"}.of(p), mask, "R12")
	}
	p.fn.Op("LEAQ", fmt.Sprintf("%d(AX)", in.chain*m.bytes()/p.elem.Size()), "R14")
	p.fn.Op("TESTL", "R12", "R12")
	p.fn.Op("JNZ", "found")
}

// placeFound writes where foldFirst left the loop, -1 where it did not.
func (m *x86) placeFound(fn *Func) {
	fn.Op("MOVQ", "$-1", "0(R13)")
	fn.Op("JMP", "next")
	fn.Label("found")
	fn.Op("TZCNTL", "R12", "R12")
	fn.Op("ADDQ", "R14", "R12")
	fn.Op("MOVQ", "R12", "0(R13)")
	fn.Label("next")
}

// foldSum adds, of the last vector only what is there.
func (m *x86) foldSum(p *placer, in *inst) {
	acc, term := m.name(vectors, p.in(in.acc)), m.name(vectors, p.in(in.args[0]))
	if in.fold == recipe.FoldDot {
		product := m.name(vectors, p.scratch(vectors))
		p.fn.Op(x86Name{"VMULPS", "VMULPD"}.of(p), m.name(vectors, p.in(in.args[1])), term, product)
		term = product
	}
	add := x86Name{"VADDPS", "VADDPD"}.of(p)
	switch {
	case p.masked && m.wide:
		p.fn.Op(add, term, acc, tailMask, acc)
	case p.masked:
		there := term
		if in.fold == recipe.FoldSum {
			there = m.name(vectors, p.scratch(vectors))
		}
		p.fn.Op("VANDPS", fmt.Sprintf("%d(R11)", in.chain*m.bytes()), term, there) // zeros leave a sum, which never is -0
		p.fn.Op(add, there, acc, acc)
	default:
		p.fn.Op(add, term, acc, acc)
	}
}

// unlessMultiple jumps unless the number of elements so far is a multiple of a power of two.
func (m *x86) unlessMultiple(fn *Func, count int, label string) {
	fn.Op("TESTQ", fmt.Sprintf("$%d", count-1), "AX")
	fn.Op("JNZ", label)
}

func (m *x86) addFloats(fn *Func, from, to int) {
	acc := m.name(vectors, to)
	fn.Op("VADDPS", m.name(vectors, from), acc, acc)
}

// addWidened adds a vector of float32 to two of float64.
func (m *x86) addWidened(fn *Func, from, to, spare int) {
	t := m.name(vectors, spare)
	fn.Op("VCVTPS2PD", m.half(from), t)
	fn.Op("VADDPD", t, m.name(vectors, to), m.name(vectors, to))
	fn.Op(map[bool]string{true: "VEXTRACTF64X4", false: "VEXTRACTF128"}[m.wide], "$1", m.name(vectors, from), m.half(spare))
	fn.Op("VCVTPS2PD", m.half(spare), t)
	fn.Op("VADDPD", t, m.name(vectors, to+1), m.name(vectors, to+1))
}

func (m *x86) zero(fn *Func, r int) {
	reg := m.name(vectors, r)
	fn.Op("VPXOR"+map[bool]string{true: "D"}[m.wide], reg, reg, reg)
}

// x86Extreme are the instructions that give their last operand, in Go's order the first, where the two do not compare.
var x86Extreme = map[recipe.FoldOp]x86Name{
	recipe.FoldMax: {"VMAXPS", "VMAXPD"}, recipe.FoldMin: {"VMINPS", "VMINPD"}, recipe.FoldTop: {"VMAXPS", "VMAXPD"},
}

// foldExtreme keeps a NaN of the lane, and takes one among the elements there by a second step, unless none counts.
func (m *x86) foldExtreme(p *placer, in *inst) {
	acc, x := m.name(vectors, p.in(in.acc)), m.name(vectors, p.in(in.args[0]))
	if !m.wide {
		m.blendExtreme(p, in, acc, x)
		return
	}
	mask := []string(nil)
	if p.masked {
		mask = []string{tailMask}
	}
	p.fn.Op(x86Extreme[in.fold].of(p), slices.Concat([]string{acc, x}, mask, []string{acc})...)
	if in.fold == recipe.FoldTop {
		return
	}
	nan := m.name(masks, p.scratch(masks))
	p.fn.Op(x86Name{"VCMPPS", "VCMPPD"}.of(p), slices.Concat([]string{"$3", x, x}, mask, []string{nan})...)
	p.fn.Op(x86Name{"VMOVAPS", "VMOVAPD"}.of(p), x, nan, acc)
}

func (m *x86) foldExtremeInt(p *placer, in *inst) {
	acc, x := m.name(vectors, p.in(in.acc)), m.name(vectors, p.in(in.args[0]))
	switch {
	case p.masked && m.wide:
		p.fn.Op(x86ExtremeInt[in.fold].of(p), x, acc, tailMask, acc)
	case p.masked:
		better := m.name(vectors, p.scratch(vectors))
		m.extremeInt(p, p.fn, in.fold, acc, x, m.name(vectors, p.scratch(vectors)), better)
		p.fn.Op(x86Name{"VBLENDVPS", "VBLENDVPD"}.of(p), m.tail(p, in.chain), better, acc, acc)
	case m.wide:
		p.fn.Op(x86ExtremeInt[in.fold].of(p), x, acc, acc)
	default:
		m.extremeInt(p, p.fn, in.fold, acc, x, m.name(vectors, p.scratch(vectors)), acc)
	}
}

var x86ExtremeInt = map[recipe.FoldOp]x86Name{
	recipe.FoldMax: {"VPMAXSD", "VPMAXSQ"}, recipe.FoldMin: {"VPMINSD", "VPMINSQ"},
}

// extremeInt has the larger or smaller of x and y in dst. The spare register changes under AVX2, which compares int64 and
// blends.
func (m *x86) extremeInt(p *placer, fn *Func, op recipe.FoldOp, x, y, spare, dst string) {
	if m.wide || p.elem.Size() == 4 {
		fn.Op(x86ExtremeInt[op].of(p), y, x, dst)
		return
	}
	if op == recipe.FoldMax {
		fn.Op("VPCMPGTQ", x, y, spare)
	} else {
		fn.Op("VPCMPGTQ", y, x, spare)
	}
	fn.Op("VBLENDVPD", spare, y, x, dst)
}

func (m *x86) blendExtreme(p *placer, in *inst, acc, x string) {
	better, blend := m.name(vectors, p.scratch(vectors)), x86Name{"VBLENDVPS", "VBLENDVPD"}.of(p)
	p.fn.Op(x86Extreme[in.fold].of(p), acc, x, better)
	if in.fold != recipe.FoldTop {
		nan := m.name(vectors, p.scratch(vectors))
		p.fn.Op(x86Name{"VCMPPS", "VCMPPD"}.of(p), "$3", x, x, nan)
		p.fn.Op(blend, nan, x, better, better)
	}
	if p.masked {
		p.fn.Op(blend, m.tail(p, in.chain), better, acc, acc)
		return
	}
	p.fn.Op("VMOVAPS", better, acc)
}
