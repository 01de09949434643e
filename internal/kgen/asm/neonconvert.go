package asm

import (
	"fmt"

	"cresset/internal/kgen/recipe"
)

// loadAs reads elements of another type than the loop computes with.
func (m *neon) loadAs(p *placer, in *inst, r int) {
	f, at := fmt.Sprintf("F%d", r), m.at(p, in)
	if p.elem.Size() == 1 { // a bool
		p.fn.Op("FMOVQ", at, f)
		m.two(p, neonNegInt, r, r)
		return
	}
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
		m.loadBytes(p, in, r)
	case recipe.Bool:
		m.loadBytes(p, in, r)
		m.two(p, neonNegInt, r, r) // 1 becomes a mask of ones
	case recipe.I32:
		if p.elem.Size() == 8 {
			p.fn.Op("FMOVD", at, f)
			widen(0x0f20a400, "SSHLL V%d.2D, V%d.2S, #0")
			if in.op == recipe.Param {
				m.two(p, neonTwo[recipe.FromInt], r, r)
			}
			return
		}
		p.fn.Op("FMOVQ", at, f)
	}
}

// loadBytes makes elements of bytes.
func (m *neon) loadBytes(p *placer, in *inst, r int) {
	widen := func(code uint32, format string) {
		p.fn.Word(code|uint32(r)<<5|uint32(r), format, r, r)
	}
	if p.elem.Size() == 8 {
		m.twoBytes(p, in, 0x7d400000, "LDR", r)
	} else {
		p.fn.Op("FMOVS", m.at(p, in), fmt.Sprintf("F%d", r))
	}
	widen(0x2f08a400, "USHLL V%d.8H, V%d.8B, #0")
	widen(0x2f10a400, "USHLL V%d.4S, V%d.4H, #0")
	if p.elem.Size() == 8 {
		widen(0x2f20a400, "USHLL V%d.2D, V%d.2S, #0")
	}
}

// neonNegInt is 0 - x.
var neonNegInt = neonCode{"NEG", 0x6ea0b800}

// storeAs writes elements of another type than the loop computes with.
func (m *neon) storeAs(p *placer, in *inst) {
	src, t := p.in(in.args[0]), p.scratch(vectors)
	f, at := fmt.Sprintf("F%d", t), m.at(p, in)
	if p.elem.Size() == 1 { // a bool
		m.two(p, neonNegInt, t, src)
		p.fn.Op("FMOVQ", f, at)
		return
	}
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
		m.two(p, neonNegInt, t, src) // -1 becomes 1
		m.narrowToBytes(p, in, t, t)
	case recipe.I32:
		if p.elem.Size() == 8 {
			narrow(0x0ea12800, "XTN V%d.2S, V%d.2D")
			p.fn.Op("FMOVD", f, at)
			return
		}
		p.fn.Op("FMOVQ", fmt.Sprintf("F%d", src), at)
	case recipe.U8:
		m.narrowToBytes(p, in, src, t)
	}
}

// narrowToBytes writes the low bytes of elements, by way of register t.
func (m *neon) narrowToBytes(p *placer, in *inst, src, t int) {
	narrow := func(code uint32, format string) {
		p.fn.Word(code|uint32(src)<<5|uint32(t), format, t, src)
		src = t
	}
	if p.elem.Size() == 8 {
		narrow(0x0ea12800, "XTN V%d.2S, V%d.2D")
	}
	narrow(0x0e612800, "XTN V%d.4H, V%d.4S")
	narrow(0x0e212800, "XTN V%d.8B, V%d.8H")
	if p.elem.Size() == 8 {
		m.twoBytes(p, in, 0x7d000000, "STR", t)
		return
	}
	p.fn.Op("FMOVS", fmt.Sprintf("F%d", t), m.at(p, in))
}

// twoBytes moves two bytes between memory and a register.
func (m *neon) twoBytes(p *placer, in *inst, code uint32, name string, r int) {
	offset := in.chain * neonBytes / p.elem.Size() * in.elem.Size()
	p.fn.Word(code|uint32(offset/2)<<10|uint32(in.operand)<<5|uint32(r), "%s H%d, [R%d, #%d]", name, r, in.operand, offset)
}
