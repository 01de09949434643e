package asm

import (
	"fmt"

	"cresset/internal/kgen/recipe"
)

// loadAs reads elements of another type than the loop computes with.
func (m *neon) loadAs(p *placer, in *inst, r int) {
	f, at := fmt.Sprintf("F%d", r), m.at(p, in)
	widen := func(code uint32, format string) {
		p.fn.Word(code|uint32(r)<<5|uint32(r), format, r, r)
	}
	switch in.elem {
	case recipe.F32:
		p.fn.Op("FMOVD", at, f)
		widen(0x0e617800, "FCVTL V%d.2D, V%d.2S")
	case recipe.F16:
		p.fn.Op("FMOVD", at, f)
		widen(0x0e217800, "FCVTL V%d.4S, V%d.4H")
	case recipe.BF16:
		p.fn.Op("FMOVD", at, f)
		widen(0x2e613800, "SHLL V%d.4S, V%d.4H, #16")
	case recipe.U8:
		p.fn.Op("FMOVS", at, f)
		widen(0x2f08a400, "USHLL V%d.8H, V%d.8B, #0")
		widen(0x2f10a400, "USHLL V%d.4S, V%d.4H, #0")
	case recipe.Bool:
		if p.elem == recipe.F64 {
			m.twoBytes(p, in, 0x7d400000, "LDR", r)
		} else {
			p.fn.Op("FMOVS", at, f)
		}
		widen(0x2f08a400, "USHLL V%d.8H, V%d.8B, #0")
		widen(0x2f10a400, "USHLL V%d.4S, V%d.4H, #0")
		if p.elem == recipe.F64 {
			widen(0x2f20a400, "USHLL V%d.2D, V%d.2S, #0")
		}
		m.two(p, neonNegInt, r, r) // 1 becomes a mask of ones
	default:
		p.fn.Op("FMOVQ", at, f)
	}
}

// neonNegInt is 0 - x.
var neonNegInt = neonCode{"NEG", 0x6ea0b800}

// storeAs writes elements of another type than the loop computes with.
func (m *neon) storeAs(p *placer, in *inst) {
	src, t := p.in(in.args[0]), p.scratch(vectors)
	f, at := fmt.Sprintf("F%d", t), m.at(p, in)
	narrow := func(code uint32, format string) {
		p.fn.Word(code|uint32(src)<<5|uint32(t), format, t, src)
		src = t
	}
	switch in.elem {
	case recipe.F32:
		narrow(0x0e616800, "FCVTN V%d.2S, V%d.2D")
		p.fn.Op("FMOVD", f, at)
	case recipe.F16:
		narrow(0x0e216800, "FCVTN V%d.4H, V%d.4S")
		p.fn.Op("FMOVD", f, at)
	case recipe.BF16:
		narrow(0x0f108400, "SHRN V%d.4H, V%d.4S, #16")
		p.fn.Op("FMOVD", f, at)
	case recipe.Bool:
		if p.elem == recipe.F64 {
			narrow(0x0ea12800, "XTN V%d.2S, V%d.2D")
		}
		narrow(0x0e612800, "XTN V%d.4H, V%d.4S")
		narrow(0x0e212800, "XTN V%d.8B, V%d.8H")
		narrow(0x2e20b800, "NEG V%d.8B, V%d.8B") // -1 becomes 1
		if p.elem == recipe.F64 {
			m.twoBytes(p, in, 0x7d000000, "STR", t)
		} else {
			p.fn.Op("FMOVS", f, at)
		}
	default:
		p.fn.Op("FMOVQ", fmt.Sprintf("F%d", src), at)
	}
}

// twoBytes moves two bytes between memory and a register.
func (m *neon) twoBytes(p *placer, in *inst, code uint32, name string, r int) {
	offset := in.chain * neonBytes / p.elem.Size() * in.elem.Size()
	p.fn.Word(code|uint32(offset/2)<<10|uint32(in.operand)<<5|uint32(r), "%s H%d, [R%d, #%d]", name, r, in.operand, offset)
}
