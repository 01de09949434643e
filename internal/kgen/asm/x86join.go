package asm

import (
	"fmt"

	"cresset/internal/kgen/recipe"
)

// start makes an accumulator that has seen no element.
func (m *x86) start(p *placer, op recipe.FoldOp, r int) {
	reg := m.name(vectors, r)
	if op.IsSum() {
		p.fn.Op("VPXOR"+map[bool]string{true: "D"}[m.wide], reg, reg, reg)
		return
	}
	infinity := map[recipe.FoldOp]uint64{recipe.FoldMax: 0xfff << 52, recipe.FoldMin: 0x7ff << 52}[op]
	if p.elem == recipe.F32 {
		infinity = map[recipe.FoldOp]uint64{recipe.FoldMax: 0x1ff << 23, recipe.FoldMin: 0xff << 23}[op]
	}
	o, _ := m.constant(p, infinity)
	p.fn.Op(x86Name{"VBROADCASTSS", "VBROADCASTSD"}.of(p), o, reg)
}

// results joins the lanes of every fold, in pairs that are half of what is left apart, and writes what they give. The
// registers behind the accumulators are free.
func (m *x86) results(fn *Func, pl plan) {
	first, other := 0, 0
	for _, k := range pl.kept {
		if k.shared == accumulator {
			other++
		}
	}
	for n, f := range pl.loop.Folds {
		count := pl.unit * perVector(f, pl.elem)
		for half := count / 2; half > 0; half /= 2 {
			for r := range half {
				m.meet(fn, f.Op, pl.elem, "", first+r, first+half+r)
			}
		}
		size := resultSize(f, pl.elem)
		for bytes := m.bytes() / 2; bytes >= size; bytes /= 2 {
			m.upper(fn, bytes, first, other)
			m.meet(fn, f.Op, pl.elem, map[bool]string{true: "X", false: "Y"}[bytes <= 16], first, other)
		}
		fn.Op(map[int]string{4: "VMOVSS", 8: "VMOVSD"}[size], fmt.Sprintf("X%d", first), fmt.Sprintf("%d(R13)", n*size))
		first += count
	}
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

// meet folds the lanes of one register with those of another: into a.
func (m *x86) meet(fn *Func, op recipe.FoldOp, elem recipe.Elem, prefix string, a, b int) {
	if prefix == "" {
		prefix = m.name(vectors, 0)[:1]
	}
	x, y := fmt.Sprint(prefix, a), fmt.Sprint(prefix, b)
	if op.IsSum() {
		fn.Op("VADDPD", y, x, x)
		return
	}
	// A NaN of either must stay. The sum is NaN then too, and what it adds to where it is not does not matter.
	p := &placer{program: &program{elem: elem}}
	t := fmt.Sprint(prefix, b+1)
	fn.Op(x86Name{"VCMPPS", "VCMPPD"}.of(p), "$3", y, y, t)
	fn.Op(x86Extreme[op].of(p), x, y, x)
	fn.Op(x86Name{"VBLENDVPS", "VBLENDVPD"}.of(p), t, y, x, x)
}
