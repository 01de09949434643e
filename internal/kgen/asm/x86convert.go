package asm

import (
	"fmt"

	"cresset/internal/kgen/recipe"
)

// half returns the register's lower part: the half of a vector, or its first 16 bytes.
func (m *x86) half(r int) string {
	if m.wide {
		return fmt.Sprintf("Y%d", r)
	}
	return fmt.Sprintf("X%d", r)
}

// read writes an instruction that reads memory, of the last vector only what is there; the rest becomes zero.
func (m *x86) read(p *placer, name string, in *inst, dst string) {
	if p.masked && m.wide {
		p.fn.Op(name+".Z", m.at(p, in), tailMask, dst)
		return
	}
	switch {
	case p.masked && in.elem.Size() < p.elem.Size(): // half as large, and then so is the mask
		mask := p.scratch(vectors)
		p.fn.Op("VMOVUPS", fmt.Sprintf("%d(R11)", in.chain*m.bytes()), m.name(vectors, mask))
		narrow := m.half(p.scratch(vectors))
		m.joinLowerWords(p, mask, narrow)
		p.fn.Op("VMASKMOVPS", m.at(p, in), narrow, narrow)
		p.fn.Op(name, narrow, dst)
	case p.masked:
		p.fn.Op(x86Name{"VMASKMOVPS", "VMASKMOVPD"}.of(p), m.at(p, in), m.tail(p, in.chain), dst)
	default:
		p.fn.Op(name, m.at(p, in), dst)
	}
}

// write writes an instruction that writes memory, of the last vector only what is there.
func (m *x86) write(p *placer, in *inst, name string, operands ...string) {
	if p.masked && m.wide {
		operands = append(operands, tailMask)
	} else if p.masked {
		name, operands = x86Name{"VMASKMOVPS", "VMASKMOVPD"}.of(p), append(operands, m.tail(p, in.chain))
	}
	p.fn.Op(name, append(operands, m.at(p, in))...)
}

// loadAs reads elements of another type than the loop computes with.
func (m *x86) loadAs(p *placer, in *inst, r int) {
	if in.elem == recipe.Bool {
		m.loadBools(p, in, r)
		return
	}
	dst := m.name(vectors, r)
	switch in.elem {
	case recipe.F32:
		m.read(p, map[recipe.Elem]string{recipe.F64: "VCVTPS2PD", recipe.I64: "VCVTTPS2QQ"}[p.elem], in, dst)
	case recipe.F64:
		m.read(p, "VCVTTPD2QQ", in, dst)
	case recipe.F16:
		m.read(p, "VCVTPH2PS", in, dst)
	case recipe.U8:
		m.read(p, x86Name{"VPMOVZXBD", "VPMOVZXBQ"}.of(p), in, dst)
	case recipe.BF16:
		m.read(p, "VPMOVZXWD", in, dst)
		p.fn.Op("VPSLLD", "$16", dst, dst)
	default:
		if in.op == recipe.Param { // of a loop of float64
			m.read(p, "VCVTDQ2PD", in, dst)
			return
		}
		m.read(p, x86Name{"VMOVUPS", "VPMOVSXDQ"}.of(p), in, dst)
	}
}

// storeAs writes elements of another type than the loop computes with.
func (m *x86) storeAs(p *placer, in *inst) {
	if in.elem == recipe.Bool {
		m.storeBools(p, in)
		return
	}
	src, t := m.name(vectors, p.in(in.args[0])), p.scratch(vectors)
	switch in.elem {
	case recipe.F32:
		narrow := map[bool]string{true: "VCVTPD2PS", false: "VCVTPD2PSY"}[m.wide]
		if p.elem == recipe.I64 {
			narrow = "VCVTQQ2PS"
		}
		p.fn.Op(narrow, src, m.half(t))
		m.write(p, in, "VMOVUPS", m.half(t))
	case recipe.F64:
		p.fn.Op("VCVTQQ2PD", src, m.name(vectors, t))
		m.write(p, in, "VMOVUPD", m.name(vectors, t))
	case recipe.I32:
		if in.op.Result() == recipe.FloatType { // of float64
			p.fn.Op(map[bool]string{true: "VCVTTPD2DQ", false: "VCVTTPD2DQY"}[m.wide], src, m.half(t))
			m.write(p, in, "VMOVUPS", m.half(t))
			return
		}
		m.storeLowerHalves(p, in, src, t)
	case recipe.U8:
		m.storeLowBytes(p, in, src, t)
	case recipe.F16:
		m.write(p, in, "VCVTPS2PH", "$0", src)
	case recipe.BF16:
		m.storeUpperHalves(p, in, src, t)
	default:
		m.write(p, in, "VMOVUPS", src)
	}
}

func (m *x86) storeUpperHalves(p *placer, in *inst, src string, t int) {
	p.fn.Op("VPSRLD", "$16", src, m.name(vectors, t))
	if m.wide {
		m.write(p, in, "VPMOVDW", m.name(vectors, t))
		return
	}
	upper := m.half(p.scratch(vectors))
	p.fn.Op("VEXTRACTI128", "$1", m.name(vectors, t), upper)
	p.fn.Op("VPACKUSDW", upper, m.half(t), m.half(t))
	m.write(p, in, "VMOVDQU", m.half(t))
}

// storeLowerHalves writes the lower words of 8-byte elements.
func (m *x86) storeLowerHalves(p *placer, in *inst, src string, t int) {
	switch {
	case p.elem.Size() == 4:
		m.write(p, in, "VMOVUPS", src)
	case m.wide:
		m.write(p, in, "VPMOVQD", src)
	default:
		m.joinLowerWords(p, p.reg[in.args[0]], m.half(t))
		m.write(p, in, "VMOVUPS", m.half(t))
	}
}

// storeLowBytes writes the low bytes of elements.
func (m *x86) storeLowBytes(p *placer, in *inst, src string, t int) {
	if m.wide {
		m.write(p, in, x86Name{"VPMOVDB", "VPMOVQB"}.of(p), src)
		return
	}
	upper, x := m.half(p.scratch(vectors)), m.half(t)
	low, _ := m.words(0xff)
	p.fn.Op("VPAND", low, src, m.name(vectors, t))
	if p.elem.Size() == 8 {
		m.joinLowerWords(p, t, upper)
		p.fn.Op("VPACKUSDW", upper, upper, x)
	} else {
		p.fn.Op("VEXTRACTI128", "$1", m.name(vectors, t), upper)
		p.fn.Op("VPACKUSDW", upper, x, x)
	}
	p.fn.Op("VPACKUSWB", x, x, x)
	m.write(p, in, x86Name{"VMOVQ", "VMOVD"}.of(p), x)
}

// joinLowerWords joins the lower words of four 8-byte elements.
func (m *x86) joinLowerWords(p *placer, r int, x string) {
	p.fn.Op("VEXTRACTI128", "$1", m.name(vectors, r), x)
	p.fn.Op("VSHUFPS", "$0x88", x, m.half(r), x)
}

// loadBools makes a mask of bytes that are 0 or 1.
func (m *x86) loadBools(p *placer, in *inst, r int) {
	if p.elem.Size() == 1 {
		m.loadByteMask(p, in, r)
		return
	}
	t := p.scratch(vectors)
	if m.wide {
		x := fmt.Sprintf("X%d", t)
		if p.elem.Size() == 8 && !p.masked {
			p.fn.Op("VMOVQ", m.at(p, in), x)
		} else {
			m.read(p, "VMOVDQU8", in, x)
		}
		p.fn.Op("VPTESTMB", x, x, m.name(masks, r))
		return
	}
	dst, zero := m.name(vectors, r), m.name(vectors, t)
	m.read(p, x86Name{"VPMOVZXBD", "VPMOVZXBQ"}.of(p), in, dst)
	p.fn.Op("VPXOR", zero, zero, zero)
	p.fn.Op(x86Binary[recipe.ISub].of(p), dst, zero, dst)
}

// storeBools makes bytes of a mask: -1 where it is set, then their absolute values.
func (m *x86) storeBools(p *placer, in *inst) {
	if p.elem.Size() == 1 {
		m.storeByteMask(p, in)
		return
	}
	src, t := p.in(in.args[0]), p.scratch(vectors)
	x := fmt.Sprintf("X%d", t)
	if m.wide {
		p.fn.Op("VPMOVM2B", m.name(masks, src), x)
		p.fn.Op("VPABSB", x, x)
		if p.elem.Size() == 8 && !p.masked {
			p.fn.Op("VMOVQ", x, m.at(p, in))
			return
		}
		m.write(p, in, "VMOVDQU8", x)
		return
	}
	if p.elem.Size() == 8 {
		m.joinLowerWords(p, src, x)
		p.fn.Op("VPACKSSDW", x, x, x)
	} else {
		p.fn.Op("VEXTRACTI128", "$1", m.name(vectors, src), x)
		p.fn.Op("VPACKSSDW", x, m.half(src), x)
	}
	p.fn.Op("VPACKSSWB", x, x, x)
	p.fn.Op("VPABSB", x, x)
	m.write(p, in, x86Name{"VMOVQ", "VMOVD"}.of(p), x)
}
