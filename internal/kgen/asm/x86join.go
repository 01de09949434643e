package asm

import (
	"fmt"

	"cresset/internal/kgen/recipe"
)

// start makes an accumulator that has seen no element.
func (m *x86) start(p *placer, op recipe.FoldOp, r int) {
	if op.IsSum() {
		m.zero(p.fn, r)
		return
	}
	o, _ := m.constant(p, startOf(op, p.elem))
	p.fn.Op(x86Name{"VBROADCASTSS", "VBROADCASTSD"}.of(p), o, m.name(vectors, r))
}

// results joins the lanes of every fold and writes what they give.
func (m *x86) results(fn *Func, pl plan) {
	if pl.loop.Finds() {
		m.placeFound(fn)
		return
	}
	pl.join(m, fn, func(n int, f recipe.Fold, at, spare int) {
		size := resultSize(f, pl.elem)
		for bytes := m.bytes() / 2; bytes >= size; bytes /= 2 {
			m.upper(fn, bytes, at, spare)
			m.foldLanes(fn, f.Op, pl.elem, map[bool]string{true: "X", false: "Y"}[bytes <= 16], at, spare, spare+1)
		}
		fn.Op(map[int]string{4: "VMOVSS", 8: "VMOVSD"}[size], fmt.Sprintf("X%d", at), fmt.Sprintf("%d(R13)", n*size))
	})
}

// upper moves the second of two parts of a register, of so many bytes each, to the start of another.
func (m *x86) upper(fn *Func, bytes, from, to int) {
	switch bytes {
	case 32:
		fn.Op("VEXTRACTF64X4", "$1", fmt.Sprintf("Z%d", from), fmt.Sprintf("Y%d", to))
	case 16:
		fn.Op("VEXTRACTF128", "$1", fmt.Sprintf("Y%d", from), fmt.Sprintf("X%d", to))
	case 8:
		fn.Op("VPSHUFD", "$0xee", fmt.Sprintf("X%d", from), fmt.Sprintf("X%d", to))
	case 4:
		fn.Op("VPSHUFD", "$0x55", fmt.Sprintf("X%d", from), fmt.Sprintf("X%d", to))
	}
}

func (m *x86) foldVectors(fn *Func, op recipe.FoldOp, elem recipe.Elem, a, b, spare int) {
	m.foldLanes(fn, op, elem, m.name(vectors, 0)[:1], a, b, spare)
}

// foldLanes is foldVectors for as much of the registers as a prefix names.
func (m *x86) foldLanes(fn *Func, op recipe.FoldOp, elem recipe.Elem, prefix string, a, b, spare int) {
	x, y := fmt.Sprint(prefix, a), fmt.Sprint(prefix, b)
	p := &placer{program: &program{elem: elem}}
	switch {
	case op.IsSum():
		fn.Op("VADDPD", y, x, x)
		return
	case op == recipe.FoldTop:
		fn.Op(x86Extreme[op].of(p), x, y, x)
		return
	case isInt(elem):
		m.extremeInt(p, fn, op, x, y, fmt.Sprint(prefix, spare), x)
		return
	}
	// A NaN of either must stay.
	if prefix == "Z" {
		fn.Op(x86Name{"VCMPPS", "VCMPPD"}.of(p), "$3", y, y, "K1")
		fn.Op(x86Extreme[op].of(p), x, y, x)
		fn.Op(x86Name{"VMOVAPS", "VMOVAPD"}.of(p), y, "K1", x)
		return
	}
	t := fmt.Sprint(prefix, spare)
	fn.Op(x86Name{"VCMPPS", "VCMPPD"}.of(p), "$3", y, y, t)
	fn.Op(x86Extreme[op].of(p), x, y, x)
	fn.Op(x86Name{"VBLENDVPS", "VBLENDVPD"}.of(p), t, y, x, x)
}
