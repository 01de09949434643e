package asm

import "cresset/internal/kgen/recipe"

// Bytes have instructions of their own, none of which repeats an element of memory or multiplies, and under AVX2 none that tells
// which of two without sign is less. Masks are of 64 bits.

var x86Bytes = map[recipe.Op]string{recipe.IAdd: "VPADDB", recipe.ISub: "VPSUBB", recipe.IMin: "VPMINUB"}

var x86ByteChoice = map[extreme]string{larger: "VPMAXUB", smaller: "VPMINUB"}

// maskSize is the part of an instruction's name for a mask of all lanes.
func maskSize(p *placer) string {
	switch p.elem.Size() {
	case 1:
		return "Q"
	case 8:
		return "B" // a mask with more bits than lanes would tell of elements that are not there once it is negated
	}
	return "W"
}

// moves is the name of an instruction that moves a vector, which can be masked.
func (m *x86) moves(p *placer, name x86Name) string {
	switch {
	case p.elem.Size() > 1:
		return name.of(p)
	case m.wide:
		return "VMOVDQU8"
	}
	return "VMOVDQU"
}

// emitBytes writes a step of a loop over bytes.
func (m *x86) emitBytes(p *placer, in *inst) {
	switch in.op {
	case recipe.IAdd, recipe.ISub, recipe.IMin:
		m.bytePair(p, in, x86Bytes[in.op])
	case recipe.IAnd, recipe.IOr, recipe.IXor:
		m.bytePair(p, in, m.logical(p, in.op))
	case recipe.IMul:
		m.multiplyBytes(p, in)
	case recipe.ISelect:
		if in.extreme != neither {
			m.bytePair(p, in, x86ByteChoice[in.extreme])
			return
		}
		m.chooseBytes(p, in)
	case recipe.ILess, recipe.IEqual:
		m.compareBytes(p, in)
	case recipe.MaskAnd, recipe.MaskOr, recipe.MaskNot:
		m.combine(p, in)
	default:
		panic("asm: " + p.fn.Name + ": bytes have no " + in.op.String())
	}
}

func (m *x86) bytePair(p *placer, in *inst, name string) {
	x := m.name(vectors, p.in(in.args[0]))
	y, _ := m.operand(p, in.args[1])
	p.fn.Op(name, y, x, m.name(vectors, p.out(in.dst)))
}

// multiplyBytes multiplies as words of 16 bits: the even bytes with what stands above them, which their low halves do not see,
// and the odd ones with zeros below, which leaves their low halves above.
func (m *x86) multiplyBytes(p *placer, in *inst) {
	x, y := m.name(vectors, p.in(in.args[0])), m.name(vectors, p.in(in.args[1]))
	even, odd := m.name(vectors, p.scratch(vectors)), m.name(vectors, p.scratch(vectors))
	and, or := m.logical(p, recipe.IAnd), m.logical(p, recipe.IOr)
	upper, suffix := m.words(0xff00ff00)
	p.fn.Op(and+suffix, upper, y, odd)
	p.fn.Op("VPSRLW", "$8", x, even)
	p.fn.Op("VPMULLW", even, odd, odd)
	p.fn.Op("VPMULLW", x, y, even)
	lower, suffix := m.words(0x00ff00ff)
	p.fn.Op(and+suffix, lower, even, even)
	p.fn.Op(or, even, odd, m.name(vectors, p.out(in.dst)))
}

// words returns the address of a word that fills a vector.
func (m *x86) words(word uint32) (text, suffix string) {
	return m.constant(&placer{program: &program{elem: recipe.I32}}, uint64(word))
}

func (m *x86) chooseBytes(p *placer, in *inst) {
	mask := m.name(m.maskClass(), p.in(in.args[0]))
	no := m.name(vectors, p.in(in.args[2]))
	yes, _ := m.operand(p, in.args[1])
	name, operands := "VPBLENDVB", []string{mask, yes, no}
	if m.wide {
		name, operands = "VPBLENDMB", []string{yes, no, mask}
	}
	p.fn.Op(name, append(operands, m.name(vectors, p.out(in.dst)))...)
}

// compareBytes has under AVX2 only equality: x < y where x is not the larger of both.
func (m *x86) compareBytes(p *placer, in *inst) {
	x := m.name(vectors, p.in(in.args[0]))
	y, _ := m.operand(p, in.args[1])
	switch less := in.op == recipe.ILess; {
	case m.wide:
		predicate := map[bool]string{true: "$1", false: "$0"}[less]
		p.fn.Op("VPCMPUB", predicate, y, x, m.name(masks, p.out(in.dst)))
	case less:
		t := m.name(vectors, p.scratch(vectors))
		p.fn.Op("VPMAXUB", y, x, t)
		p.fn.Op("VPCMPEQB", x, t, t)
		ones, _ := m.constant(p, 0xff)
		p.fn.Op("VPXOR", ones, t, m.name(vectors, p.out(in.dst)))
	default:
		p.fn.Op("VPCMPEQB", y, x, m.name(vectors, p.out(in.dst)))
	}
}

// loadByteMask makes a mask of as many bytes that are 0 or 1 as a vector has.
func (m *x86) loadByteMask(p *placer, in *inst, r int) {
	t := m.name(vectors, p.scratch(vectors))
	if m.wide {
		m.read(p, "VMOVDQU8", in, t)
		p.fn.Op("VPTESTMB", t, t, m.name(masks, r))
		return
	}
	dst := m.name(vectors, r)
	m.read(p, "VMOVDQU", in, dst)
	p.fn.Op("VPXOR", t, t, t)
	p.fn.Op("VPSUBB", dst, t, dst)
}

// storeByteMask makes such bytes of a mask.
func (m *x86) storeByteMask(p *placer, in *inst) {
	src, t := m.name(m.maskClass(), p.in(in.args[0])), m.name(vectors, p.scratch(vectors))
	if m.wide {
		p.fn.Op("VPMOVM2B", src, t)
		src = t
	}
	p.fn.Op("VPABSB", src, t)
	m.write(p, in, m.moves(p, x86Name{}), t)
}
