package asm

import (
	"fmt"

	"cresset/internal/kgen/recipe"
)

// accumulator returns where one lies between calls: R13 points to the first.
func (m *x86) accumulator(n int) string { return fmt.Sprintf("%d(R13)", n*m.bytes()) }

// storeAccumulators writes them back.
func (m *x86) storeAccumulators(fn *Func, pl plan) {
	for r, k := range pl.kept {
		if k.shared == accumulator {
			fn.Op("VMOVUPS", m.name(vectors, r), m.accumulator(k.scalar))
		}
	}
}

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
func (m *x86) present(p *placer, v int) int {
	r := p.in(v)
	if !p.masked {
		return r
	}
	t := p.scratch(vectors)
	p.fn.Op(x86Name{"VMOVAPS", "VMOVAPD"}.of(p)+".Z", m.name(vectors, r), tailMask, m.name(vectors, t))
	return t
}

func (m *x86) foldSum(p *placer, in *inst) {
	acc := m.name(vectors, p.in(in.accs[0]))
	term := m.name(vectors, m.present(p, in.args[0]))
	if in.fold == recipe.FoldDot {
		product := m.name(vectors, p.scratch(vectors))
		p.fn.Op("VMULPD", m.name(vectors, m.present(p, in.args[1])), term, product)
		term = product
	}
	p.fn.Op("VADDPD", term, acc, acc)
}

// foldWidened sums float32 in float64: the first half of the vector and then the second.
func (m *x86) foldWidened(p *placer, in *inst) {
	x := m.present(p, in.args[0])
	y := x
	if in.fold == recipe.FoldDot && in.args[1] != in.args[0] {
		y = m.present(p, in.args[1])
	}
	a, b := p.scratch(vectors), p.scratch(vectors)
	for half, v := range in.accs {
		acc := m.name(vectors, p.in(v))
		m.widen(p, half, x, a)
		if in.fold == recipe.FoldSum {
			p.fn.Op("VADDPD", m.name(vectors, a), acc, acc)
			continue
		}
		if y == x {
			b = a
		} else {
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

// foldExtreme keeps the lane of two equal ones, and NaN: the instruction gives its last operand, here the first, where
// the two do not compare, so that a NaN in the lane stays; one among the elements is moved there.
func (m *x86) foldExtreme(p *placer, in *inst) {
	acc, x := m.name(vectors, p.in(in.accs[0])), m.name(vectors, p.in(in.args[0]))
	name := map[recipe.FoldOp]x86Name{recipe.FoldMax: {"VMAXPS", "VMAXPD"}, recipe.FoldMin: {"VMINPS", "VMINPD"}}[in.fold].of(p)
	compare, move := x86Name{"VCMPPS", "VCMPPD"}.of(p), x86Name{"VMOVAPS", "VMOVAPD"}.of(p)
	if !m.wide {
		nan := m.name(vectors, p.scratch(vectors))
		p.fn.Op(name, acc, x, acc)
		p.fn.Op(compare, "$3", x, x, nan)
		p.fn.Op(x86Name{"VBLENDVPS", "VBLENDVPD"}.of(p), nan, x, acc, acc)
		return
	}
	nan := m.name(masks, p.scratch(masks))
	if p.masked {
		p.fn.Op(name, acc, x, tailMask, acc)
		p.fn.Op(compare, "$3", x, x, tailMask, nan)
	} else {
		p.fn.Op(name, acc, x, acc)
		p.fn.Op(compare, "$3", x, x, nan)
	}
	p.fn.Op(move, x, nan, acc)
}
