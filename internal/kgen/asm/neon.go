package asm

import (
	"fmt"

	"cresset/internal/kgen/recipe"
)

// neon is arm64's vector unit, of 16 bytes. Go's assembler lacks most of its instructions on floats, so all are written
// as words, with a comment in ARM's syntax: result first.
type neon struct {
	pool   *pool
	tables bool // the loop that is being written has lookup tables
}

func (m *neon) registers(c class) int {
	switch {
	case c == masks:
		return 0
	case m.tables:
		return neonTable
	}
	return 32
}

func (m *neon) maskClass() class { return vectors }

func (m *neon) bytes() int { return neonBytes }

func (m *neon) scales() bool { return false }

// extremes is false for floats: NEON's own orders -0 before +0 and keeps NaN.
func (m *neon) extremes(less recipe.Op, elem recipe.Elem) bool {
	return less == recipe.ILess && elem != recipe.I64
}

func (m *neon) trial() machine { return &neon{&pool{}, m.tables} }

// neonCode is an instruction by name and code, for 4-byte elements: bits 23 and 22 are 10. With 11 it is one for 8 bytes, and
// with 00 one for bytes where it is of integers.
type neonCode struct {
	name string
	code uint32
}

var (
	neonThree = map[recipe.Op]neonCode{
		recipe.Add:  {"FADD", 0x4e20d400},
		recipe.Sub:  {"FSUB", 0x4ea0d400},
		recipe.Mul:  {"FMUL", 0x6e20dc00},
		recipe.Div:  {"FDIV", 0x6e20fc00},
		recipe.IAdd: {"ADD", 0x4ea08400},
		recipe.ISub: {"SUB", 0x6ea08400},
		recipe.IMul: {"MUL", 0x4ea09c00},
		recipe.IMin: {"UMIN", 0x6ea06c00},
	}
	neonTwo = map[recipe.Op]neonCode{
		recipe.Sqrt:    {"FSQRT", 0x6ea1f800},
		recipe.Neg:     {"FNEG", 0x6ea0f800},
		recipe.Abs:     {"FABS", 0x4ea0f800},
		recipe.Floor:   {"FRINTM", 0x4e219800},
		recipe.Ceil:    {"FRINTP", 0x4ea18800},
		recipe.Round:   {"FRINTN", 0x4e218800},
		recipe.Trunc:   {"FRINTZ", 0x4ea19800},
		recipe.FromInt: {"SCVTF", 0x4e21d800},
	}
	neonLogic = map[recipe.Op]neonCode{
		recipe.IAnd:    {"AND", 0x4e201c00},
		recipe.MaskAnd: {"AND", 0x4e201c00},
		recipe.IOr:     {"ORR", 0x4ea01c00},
		recipe.MaskOr:  {"ORR", 0x4ea01c00},
		recipe.IXor:    {"EOR", 0x6e201c00},
	}
	// Comparisons are of y with x where that has a name: x < y is y > x.
	neonCompare = map[recipe.Op]neonCode{
		recipe.Less:      {"FCMGT", 0x6ea0e400},
		recipe.LessEqual: {"FCMGE", 0x6e20e400},
		recipe.Equal:     {"FCMEQ", 0x4e20e400},
		recipe.IsNaN:     {"FCMEQ", 0x4e20e400},
		recipe.IEqual:    {"CMEQ", 0x6ea08c00},
	}
	// Integers with a sign and without.
	neonLess    = map[bool]neonCode{false: {"CMGT", 0x4ea03400}, true: {"CMHI", 0x6ea03400}}
	neonExtreme = map[bool]map[extreme]neonCode{
		false: {larger: {"SMAX", 0x4ea06400}, smaller: {"SMIN", 0x4ea06c00}},
		true:  {larger: {"UMAX", 0x6ea06400}, smaller: {"UMIN", 0x6ea06c00}},
	}
)

// unsigned reports whether a loop's integers have no sign: those of a byte.
func unsigned(p *placer) bool { return p.elem == recipe.U8 }

func (m *neon) lanes(p *placer) string {
	return map[int]string{1: "16B", 4: "4S", 8: "2D"}[p.elem.Size()]
}

// three writes an instruction of two operands, and two one of one.
func (m *neon) three(p *placer, c neonCode, dst, x, y int) {
	code, lanes := m.sized(p, c)
	p.fn.Word(code|uint32(y)<<16|uint32(x)<<5|uint32(dst), "%s V%d.%[3]s, V%[4]d.%[3]s, V%[5]d.%[3]s", c.name, dst, lanes, x, y)
}

func (m *neon) two(p *placer, c neonCode, dst, x int) {
	code, lanes := m.sized(p, c)
	p.fn.Word(code|uint32(x)<<5|uint32(dst), "%s V%d.%[3]s, V%[4]d.%[3]s", c.name, dst, lanes, x)
}

func (m *neon) sized(p *placer, c neonCode) (code uint32, lanes string) {
	switch p.elem.Size() {
	case 8:
		c.code |= 1 << 22
	case 1:
		c.code &^= 1 << 23
	}
	return c.code, m.lanes(p)
}

// logic writes an instruction on bits.
func (m *neon) logic(p *placer, c neonCode, dst, x, y int) {
	p.fn.Word(c.code|uint32(y)<<16|uint32(x)<<5|uint32(dst), "%s V%d.16B, V%d.16B, V%d.16B", c.name, dst, x, y)
}

func (m *neon) not(p *placer, dst, x int) {
	p.fn.Word(0x6e205800|uint32(x)<<5|uint32(dst), "NOT V%d.16B, V%d.16B", dst, x)
}

func (m *neon) compute(p *placer, in *inst) {
	var x, y int
	if in.extreme != neither {
		x, y := p.in(in.args[0]), p.in(in.args[1])
		m.three(p, neonExtreme[unsigned(p)][in.extreme], p.out(in.dst), x, y)
		return
	}
	if in.op != recipe.FMA && in.op != recipe.Select && in.op != recipe.ISelect {
		x = p.in(in.args[0])
		if len(in.args) > 1 {
			y = p.in(in.args[1])
		}
	}
	switch in.op {
	case recipe.FMA:
		m.fma(p, in)
	case recipe.Sqrt, recipe.Neg, recipe.Abs, recipe.Floor, recipe.Ceil, recipe.Round, recipe.Trunc, recipe.FromInt:
		m.two(p, neonTwo[in.op], p.out(in.dst), x)
	case recipe.IAnd, recipe.IOr, recipe.IXor, recipe.MaskAnd, recipe.MaskOr:
		m.logic(p, neonLogic[in.op], p.out(in.dst), x, y)
	case recipe.MaskNot:
		m.not(p, p.out(in.dst), x)
	case recipe.Shl, recipe.Shr, recipe.Sar:
		m.shift(p, in, x)
	case recipe.ToInt:
		m.toInt(p, in, x)
	case recipe.IMulHigh:
		m.mulHigh(p, in, x, y)
	case recipe.Lookup:
		m.lookup(p, in)
	case recipe.Select, recipe.ISelect:
		yes, no := p.in(in.args[1]), p.in(in.args[2])
		dst := p.over(in.dst, in.args[0])
		m.logic(p, neonCode{"BSL", 0x6e601c00}, dst, yes, no)
	case recipe.ILess:
		m.three(p, neonLess[unsigned(p)], p.out(in.dst), y, x)
	case recipe.Less, recipe.LessEqual, recipe.Equal, recipe.IEqual:
		m.three(p, neonCompare[in.op], p.out(in.dst), y, x)
	case recipe.IsNaN:
		dst := p.out(in.dst)
		m.three(p, neonCompare[in.op], dst, x, x)
		m.not(p, dst, dst)
	default:
		m.three(p, neonThree[in.op], p.out(in.dst), x, y)
	}
}

// fma adds the product to a register, or subtracts it.
func (m *neon) fma(p *placer, in *inst) {
	x, y := p.in(in.args[0]), p.in(in.args[1])
	dst := p.over(in.dst, in.args[2])
	if in.negAddend {
		m.two(p, neonTwo[recipe.Neg], dst, dst)
	}
	if in.negProduct {
		m.three(p, neonCode{"FMLS", 0x4ea0cc00}, dst, x, y)
		return
	}
	m.three(p, neonCode{"FMLA", 0x4e20cc00}, dst, x, y)
}

// shift is by a constant, or to the left by each element, which is negative for a shift to the right.
func (m *neon) shift(p *placer, in *inst, x int) {
	if v := &p.values[in.args[1]]; v.shared == constant {
		m.shiftBy(p, in, x, uint32(v.bits))
		return
	}
	count := p.in(in.args[1])
	if in.op != recipe.Shl {
		negated := p.scratch(vectors)
		m.two(p, neonNegInt, negated, count)
		count = negated
	}
	code := neonCode{"USHL", 0x6ea04400}
	if in.op == recipe.Sar {
		code = neonCode{"SSHL", 0x4ea04400}
	}
	m.three(p, code, p.out(in.dst), x, count)
}

func (m *neon) shiftBy(p *placer, in *inst, x int, n uint32) {
	c := map[recipe.Op]neonCode{
		recipe.Shl: {"SHL", 0x4f005400}, recipe.Shr: {"USHR", 0x6f000400}, recipe.Sar: {"SSHR", 0x4f000400},
	}[in.op]
	width := uint32(8 * p.elem.Size())
	amount := 2*width - n
	if in.op == recipe.Shl {
		amount = width + n
	}
	dst, lanes := p.out(in.dst), m.lanes(p)
	p.fn.Word(c.code|amount<<16|uint32(x)<<5|uint32(dst), "%s V%d.%[3]s, V%[4]d.%[3]s, #%[5]d", c.name, dst, lanes, x, n)
}

// toInt has NEON's own results below 2**31, and the least int32 elsewhere.
func (m *neon) toInt(p *placer, in *inst, x int) {
	converted, bound := p.scratch(vectors), p.scratch(vectors)
	m.two(p, neonCode{"FCVTZS", 0x4ea1b800}, converted, x)
	m.constant(p, bound, 0x4f000000)
	dst := p.out(in.dst)
	m.three(p, neonCompare[recipe.Less], dst, bound, x)
	m.constant(p, bound, 1<<31)
	m.logic(p, neonCode{"BSL", 0x6e601c00}, dst, converted, bound)
}

// mulHigh takes the 64-bit products of the lower elements and of the upper ones, and their odd words.
func (m *neon) mulHigh(p *placer, in *inst, x, y int) {
	low, high := p.scratch(vectors), p.scratch(vectors)
	word := func(code uint32, format string, d, n, k int) {
		p.fn.Word(code|uint32(k)<<16|uint32(n)<<5|uint32(d), format, d, n, k)
	}
	word(0x2ea0c000, "UMULL V%d.2D, V%d.2S, V%d.2S", low, x, y)
	word(0x6ea0c000, "UMULL2 V%d.2D, V%d.4S, V%d.4S", high, x, y)
	word(0x4e805800, "UZP2 V%d.4S, V%d.4S, V%d.4S", p.out(in.dst), low, high)
}

// constant loads a repeated constant into a register, and words four different ones.
func (m *neon) constant(p *placer, r int, bits uint64) {
	if p.elem.Size() == 8 {
		m.words(p, r, []uint32{uint32(bits), uint32(bits >> 32), uint32(bits), uint32(bits >> 32)})
		return
	}
	w := uint32(bits)
	if p.elem.Size() == 1 {
		w = uint32(uint8(bits)) * 0x01010101
	}
	m.words(p, r, []uint32{w, w, w, w})
}

func (m *neon) words(p *placer, r int, words []uint32) {
	p.fn.Op("FMOVQ", fmt.Sprintf("%d(R7)", m.pool.place(bytesOf(words))), fmt.Sprintf("F%d", r))
}
