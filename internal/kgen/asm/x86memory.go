package asm

import (
	"fmt"

	"cresset/internal/kgen/recipe"
)

// inMemory reports whether an operand would be read from memory, by the instruction that needs it.
func (m *x86) inMemory(p *placer, v int) bool {
	switch p.values[v].shared {
	case parameter:
		return p.reg[v] == none && m.wide && p.elem.Size() > 1
	case constant:
		return p.reg[v] == none && (!m.wide || p.elem.Size() > 1) // no instruction repeats a byte
	}
	return p.reg[v] == none && p.values[v].class == vectors
}

// operand returns what stands for a value as an instruction's operand that may be in memory, and the suffix of the
// instruction's name where that repeats one element.
func (m *x86) operand(p *placer, v int) (text, suffix string) {
	if !m.inMemory(p, v) {
		return m.name(vectors, p.in(v)), ""
	}
	switch p.values[v].shared {
	case constant:
		return m.constant(p, p.values[v].bits)
	case parameter:
		return m.scalar(p, v), ".BCST"
	case table:
		return m.pool.Words(p.values[v].words...), ""
	}
	return m.slot(p, v), ""
}

// constant returns the address of a constant: one element under AVX-512, which repeats it, else a vector.
func (m *x86) constant(p *placer, bits uint64) (text, suffix string) {
	words := []uint32{uint32(bits)}
	switch p.elem.Size() {
	case 8:
		words = append(words, uint32(bits>>32))
	case 1:
		words[0] = uint32(uint8(bits)) * 0x01010101
	}
	if m.wide {
		return m.pool.Words(words...), ".BCST"
	}
	for len(words) < 8 {
		words = append(words, words...)
	}
	return m.pool.Words(words...), ""
}

func (m *x86) scalar(p *placer, v int) string {
	return fmt.Sprintf("%d(DX)", p.values[v].scalar*p.elem.Size())
}

func (m *x86) slot(p *placer, v int) string { return fmt.Sprintf("%d(SP)", p.slot[v]) }

func (m *x86) fetch(p *placer, v, r int) {
	broadcast := x86Name{"VBROADCASTSS", "VBROADCASTSD"}.of(p)
	reg := m.name(p.values[v].class, r)
	switch {
	case p.values[v].shared == constant && p.values[v].bits == 0:
		p.fn.Op("VPXOR"+map[bool]string{true: "D"}[m.wide], reg, reg, reg)
	case p.values[v].shared == constant:
		o, _ := m.constant(p, p.values[v].bits)
		p.fn.Op(broadcast, o, reg)
	case p.values[v].shared == table:
		p.fn.Op("VMOVUPS", m.pool.Words(p.values[v].words...), reg)
	case p.values[v].shared == parameter && p.elem.Size() == 1:
		p.fn.Op("VPBROADCASTB", m.scalar(p, v), reg)
	case p.values[v].shared == parameter:
		p.fn.Op(broadcast, m.scalar(p, v), reg)
	case p.values[v].shared == accumulator:
		m.start(p, recipe.FoldOp(p.values[v].bits), r)
	case p.values[v].class == masks:
		p.fn.Op("KMOV"+maskSize(p), m.slot(p, v), reg)
	default:
		p.fn.Op("VMOVUPS", m.slot(p, v), reg)
	}
}

func (m *x86) spill(p *placer, v, r int) {
	move := "VMOVUPS"
	if p.values[v].class == masks {
		move = "KMOV" + maskSize(p)
	}
	p.fn.Op(move, m.name(p.values[v].class, r), m.slot(p, v))
}

func (m *x86) move(p *placer, c class, from, to int) {
	p.fn.Op("VMOVAPS", m.name(c, from), m.name(c, to))
}

// x86Pointers are the registers of the operands' addresses; AX counts elements, CX holds their number, DX points to the
// scalars.
var x86Pointers = []string{"DI", "SI", "R8", "R9", "R10"}

// at returns the address of an operand's elements of the instruction's chain.
func (m *x86) at(p *placer, in *inst) string {
	size := in.elem.Size()
	lanes := m.bytes() / p.elem.Size()
	text := fmt.Sprintf("(%s)(AX*%d)", x86Pointers[in.operand], size)
	if offset := in.chain * lanes * size; offset > 0 {
		text = fmt.Sprint(offset) + text
	}
	return text
}

func (m *x86) load(p *placer, in *inst) {
	dst := p.out(in.dst)
	if in.elem != p.elem {
		m.loadAs(p, in, dst)
		return
	}
	m.read(p, m.moves(p, x86Name{"VMOVUPS", "VMOVUPD"}), in, m.name(vectors, dst))
}

func (m *x86) store(p *placer, in *inst) {
	if in.elem != p.elem {
		m.storeAs(p, in)
		return
	}
	register := m.name(vectors, p.in(in.args[0]))
	if p.streams { // the last steps are stores, so that nothing takes the register before it is written
		p.results = append(p.results, result{register, m.at(p, in)})
		return
	}
	m.write(p, in, m.moves(p, x86Name{"VMOVUPS", "VMOVUPD"}), register)
}
