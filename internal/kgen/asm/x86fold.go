package asm

import (
	"fmt"

	"cresset/internal/kgen/recipe"
)

// fold takes a vector of elements into its accumulators.
func (m *x86) fold(p *placer, in *inst) {
	switch {
	case !in.fold.IsSum():
		m.foldExtreme(p, in)
	case p.elem == recipe.F32:
		m.foldWidened(p, in)
	default:
		m.foldSum(p, in)
	}
}

// present returns a value's register or, of the last vector, a copy with zeros where there are no elements: those leave
// a sum as it is, which never is -0.
func (m *x86) present(p *placer, v, chain int) int {
	r := p.in(v)
	if !p.masked {
		return r
	}
	t := p.scratch(vectors)
	if m.wide {
		p.fn.Op(x86Name{"VMOVAPS", "VMOVAPD"}.of(p)+".Z", m.name(vectors, r), tailMask, m.name(vectors, t))
	} else {
		p.fn.Op("VANDPS", fmt.Sprintf("%d(R11)", chain*m.bytes()), m.name(vectors, r), m.name(vectors, t))
	}
	return t
}

func (m *x86) foldSum(p *placer, in *inst) {
	acc := m.name(vectors, p.in(in.accs[0]))
	term := m.name(vectors, m.present(p, in.args[0], in.chain))
	if in.fold == recipe.FoldDot {
		product := m.name(vectors, p.scratch(vectors))
		p.fn.Op("VMULPD", m.name(vectors, m.present(p, in.args[1], in.chain)), term, product)
		term = product
	}
	p.fn.Op("VADDPD", term, acc, acc)
}

// foldWidened sums float32 in float64: the first half of the vector and then the second.
func (m *x86) foldWidened(p *placer, in *inst) {
	x := m.present(p, in.args[0], in.chain)
	y := x
	if in.fold == recipe.FoldDot && in.args[1] != in.args[0] {
		y = m.present(p, in.args[1], in.chain)
	}
	a := p.scratch(vectors)
	b := a
	if y != x {
		b = p.scratch(vectors)
	}
	for half, v := range in.accs {
		acc := m.name(vectors, p.in(v))
		m.widen(p, half, x, a)
		if in.fold == recipe.FoldSum {
			p.fn.Op("VADDPD", m.name(vectors, a), acc, acc)
			continue
		}
		if y != x {
			m.widen(p, half, y, b)
		}
		p.fn.Op("VFMADD231PD", m.name(vectors, b), m.name(vectors, a), acc) // the product is exact
	}
}

// widen writes half a vector of float32 as float64.
func (m *x86) widen(p *placer, half, from, to int) {
	lower := m.half(from)
	if half == 1 {
		lower = m.half(to)
		p.fn.Op(map[bool]string{true: "VEXTRACTF64X4", false: "VEXTRACTF128"}[m.wide], "$1", m.name(vectors, from), lower)
	}
	p.fn.Op("VCVTPS2PD", lower, m.name(vectors, to))
}

// x86Extreme are the instructions that give their last operand, in Go's order the first, where the two do not compare.
var x86Extreme = map[recipe.FoldOp]x86Name{recipe.FoldMax: {"VMAXPS", "VMAXPD"}, recipe.FoldMin: {"VMINPS", "VMINPD"}}

// foldExtreme keeps a NaN of the lane, and takes one among the elements there by a second step.
func (m *x86) foldExtreme(p *placer, in *inst) {
	acc, x := m.name(vectors, p.in(in.accs[0])), m.name(vectors, p.in(in.args[0]))
	op := x86Extreme[in.fold].of(p)
	compare, move := x86Name{"VCMPPS", "VCMPPD"}.of(p), x86Name{"VMOVAPS", "VMOVAPD"}.of(p)
	switch {
	case m.wide && p.masked:
		nan := m.name(masks, p.scratch(masks))
		p.fn.Op(op, acc, x, tailMask, acc)
		p.fn.Op(compare, "$3", x, x, tailMask, nan)
		p.fn.Op(move, x, nan, acc)
	case m.wide:
		nan := m.name(masks, p.scratch(masks))
		p.fn.Op(op, acc, x, acc)
		p.fn.Op(compare, "$3", x, x, nan)
		p.fn.Op(move, x, nan, acc)
	default:
		better, nan := m.name(vectors, p.scratch(vectors)), m.name(vectors, p.scratch(vectors))
		blend := x86Name{"VBLENDVPS", "VBLENDVPD"}.of(p)
		p.fn.Op(op, acc, x, better)
		p.fn.Op(compare, "$3", x, x, nan)
		p.fn.Op(blend, nan, x, better, better)
		if p.masked {
			p.fn.Op(blend, m.tail(p, in.chain), better, acc, acc)
			return
		}
		p.fn.Op("VMOVAPS", better, acc)
	}
}
