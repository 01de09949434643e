package asm

import (
	"fmt"
	"math"

	"cresset/internal/kgen/recipe"
)

// x86 is AVX-512 (F, DQ, BW and VL) where wide, else AVX2 with FMA.
type x86 struct {
	wide bool
	pool *pool
}

// tailMask is the mask register of AVX-512 that says which elements of the last vector are there. K0 means all of them
// where an instruction takes a mask, so values live in those between.
const tailMask = "K7"

func (m *x86) registers(c class) int {
	switch {
	case c == masks && m.wide:
		return 6
	case c == masks:
		return 0
	case m.wide:
		return 32
	}
	return 16
}

func (m *x86) maskClass() class {
	if m.wide {
		return masks
	}
	return vectors
}

func (m *x86) scales() bool { return m.wide }

// extremes is true but for those of int64 under AVX2.
func (m *x86) extremes(less recipe.Op, elem recipe.Elem) bool {
	return less == recipe.Less || less == recipe.ILess && (m.wide || elem != recipe.I64)
}

func (m *x86) trial() machine { return &x86{m.wide, &pool{}} }

// bytes returns the size of a vector.
func (m *x86) bytes() int {
	if m.wide {
		return 64
	}
	return 32
}

// name returns a register as the assembler knows it.
func (m *x86) name(c class, r int) string {
	switch {
	case c == masks:
		return fmt.Sprintf("K%d", r+1)
	case m.wide:
		return fmt.Sprintf("Z%d", r)
	}
	return fmt.Sprintf("Y%d", r)
}

// x86Name is an instruction for 4-byte and for 8-byte elements.
type x86Name struct{ narrow, wide string }

func (n x86Name) of(p *placer) string {
	if p.elem.Size() == 8 {
		return n.wide
	}
	return n.narrow
}

// x86Binary are the instructions of two operands, the second of which may be in memory.
var x86Binary = map[recipe.Op]x86Name{
	recipe.Add:  {"VADDPS", "VADDPD"},
	recipe.Sub:  {"VSUBPS", "VSUBPD"},
	recipe.Mul:  {"VMULPS", "VMULPD"},
	recipe.Div:  {"VDIVPS", "VDIVPD"},
	recipe.IAdd: {"VPADDD", "VPADDQ"},
	recipe.ISub: {"VPSUBD", "VPSUBQ"},
	recipe.IMul: {"VPMULLD", "VPMULLQ"},
	recipe.IMin: {"VPMINUD", "VPMINUQ"},
	recipe.IAnd: {"VPAND", "VPAND"},
	recipe.IOr:  {"VPOR", "VPOR"},
	recipe.IXor: {"VPXOR", "VPXOR"},
}

// x86Choice are the selects of the larger or smaller operand.
var x86Choice = map[recipe.Op]map[extreme]x86Name{
	recipe.Select:  {larger: {"VMAXPS", "VMAXPD"}, smaller: {"VMINPS", "VMINPD"}},
	recipe.ISelect: {larger: {"VPMAXSD", "VPMAXSQ"}, smaller: {"VPMINSD", "VPMINSQ"}},
}

var commutes = map[recipe.Op]bool{
	recipe.Add: true, recipe.Mul: true, recipe.IAdd: true, recipe.IMul: true, recipe.IMin: true, recipe.IAnd: true, recipe.IOr: true, recipe.IXor: true,
}

// x86Shift are the shifts by a constant; by a vector they have a V after the direction.
var x86Shift = map[recipe.Op]struct{ constant, vector x86Name }{
	recipe.Shl: {x86Name{"VPSLLD", "VPSLLQ"}, x86Name{"VPSLLVD", "VPSLLVQ"}},
	recipe.Shr: {x86Name{"VPSRLD", "VPSRLQ"}, x86Name{"VPSRLVD", "VPSRLVQ"}},
	recipe.Sar: {x86Name{"VPSRAD", ""}, x86Name{"VPSRAVD", ""}},
}

// compute writes a step.
func (m *x86) compute(p *placer, in *inst) {
	if p.elem.Size() == 1 {
		m.emitBytes(p, in)
		return
	}
	switch in.op {
	case recipe.FMA:
		m.fma(p, in)
	case recipe.Neg:
		m.withConstant(p, in, recipe.IXor, 1<<63)
	case recipe.Abs:
		m.withConstant(p, in, recipe.IAnd, 1<<63-1)
	case recipe.Sqrt:
		m.unary(p, in, x86Name{"VSQRTPS", "VSQRTPD"})
	case recipe.Floor, recipe.Ceil, recipe.Round, recipe.Trunc:
		m.round(p, in)
	case recipe.FromInt:
		m.unary(p, in, x86Name{"VCVTDQ2PS", ""})
	case recipe.ToInt:
		m.unary(p, in, x86Name{"VCVTTPS2DQ", ""})
	case recipe.Shl, recipe.Shr, recipe.Sar:
		m.shift(p, in)
	case recipe.Scale:
		m.pair(p, in, x86Name{"VSCALEFPS", "VSCALEFPD"})
	case recipe.Mantissa:
		m.mantissa(p, in)
	case recipe.Exponent:
		m.exponent(p, in)
	case recipe.IMulHigh:
		m.mulHigh(p, in)
	case recipe.Lookup:
		m.lookup(p, in)
	case recipe.Select, recipe.ISelect:
		if in.extreme != neither {
			m.pair(p, in, x86Choice[in.op][in.extreme])
			return
		}
		m.choose(p, in)
	case recipe.Less, recipe.LessEqual, recipe.Equal, recipe.IsNaN, recipe.ILess, recipe.IEqual:
		m.compare(p, in)
	case recipe.MaskAnd, recipe.MaskOr, recipe.MaskNot:
		m.combine(p, in)
	default:
		m.binary(p, in)
	}
}

func (m *x86) binary(p *placer, in *inst) {
	x, y := in.args[0], in.args[1]
	if commutes[in.op] && m.inMemory(p, x) && !m.inMemory(p, y) {
		x, y = y, x
	}
	m.pair(p, &inst{dst: in.dst, args: []int{x, y}}, x86Name{m.logical(p, in.op), m.logical(p, in.op)})
}

// pair writes an instruction of two operands, the second of which may be in memory.
func (m *x86) pair(p *placer, in *inst, name x86Name) {
	rx := m.name(vectors, p.in(in.args[0]))
	oy, suffix := m.operand(p, in.args[1])
	p.fn.Op(name.of(p)+suffix, oy, rx, m.name(vectors, p.out(in.dst)))
}

// logical is the instruction's name: under AVX-512 those on bits have a size too.
func (m *x86) logical(p *placer, op recipe.Op) string {
	name := x86Binary[op].of(p)
	if m.wide && (op == recipe.IAnd || op == recipe.IOr || op == recipe.IXor) {
		return name + x86Name{"D", "Q"}.of(p)
	}
	return name
}

func (m *x86) unary(p *placer, in *inst, name x86Name) {
	o, suffix := m.operand(p, in.args[0])
	p.fn.Op(name.of(p)+suffix, o, m.name(vectors, p.out(in.dst)))
}

// round has the direction in its first operand, and 8 for not telling that the result is inexact.
func (m *x86) round(p *placer, in *inst) {
	name := x86Name{"VROUNDPS", "VROUNDPD"}
	if m.wide {
		name = x86Name{"VRNDSCALEPS", "VRNDSCALEPD"}
	}
	direction := map[recipe.Op]string{recipe.Round: "$8", recipe.Floor: "$9", recipe.Ceil: "$10", recipe.Trunc: "$11"}[in.op]
	p.fn.Op(name.of(p), direction, m.name(vectors, p.in(in.args[0])), m.name(vectors, p.out(in.dst)))
}

// withConstant combines the bits of the operand with those of a constant, given for 8 bytes.
func (m *x86) withConstant(p *placer, in *inst, op recipe.Op, bits uint64) {
	if p.elem.Size() != 8 {
		bits >>= 32
	}
	r := p.in(in.args[0])
	o, suffix := m.constant(p, bits)
	p.fn.Op(m.logical(p, op)+suffix, o, m.name(vectors, r), m.name(vectors, p.out(in.dst)))
}

// fma picks the form by which operand is overwritten, and puts what is in memory where the form takes it.
func (m *x86) fma(p *placer, in *inst) {
	x, y, z := in.args[0], in.args[1], in.args[2]
	name := [2][2]string{{"VFMADD", "VFMSUB"}, {"VFNMADD", "VFNMSUB"}}[index(in.negProduct)][index(in.negAddend)]
	write := func(form string, memory, reg, dst int) {
		// The result's register holds dst already, so that dst no longer counts as in a register.
		r := m.name(vectors, p.in(reg))
		o, suffix := m.operand(p, memory)
		d := m.name(vectors, p.over(in.dst, dst))
		p.fn.Op(name+form+x86Name{"PS", "PD"}.of(p)+suffix, o, r, d)
	}
	if m.inMemory(p, x) && !m.inMemory(p, y) {
		x, y = y, x
	}
	ends := func(v, other, another int) bool {
		return !m.inMemory(p, v) && p.dies(v) && v != other && v != another
	}
	switch {
	case ends(z, x, y):
		write("231", y, x, z)
	case ends(x, y, z) && m.inMemory(p, y) && !m.inMemory(p, z):
		write("132", y, z, x)
	case ends(x, y, z):
		write("213", z, y, x)
	case ends(y, x, z):
		write("213", z, x, y)
	default:
		write("231", y, x, z)
	}
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (m *x86) shift(p *placer, in *inst) {
	x, y := in.args[0], in.args[1]
	r := m.name(vectors, p.in(x))
	if v := &p.values[y]; v.shared == constant {
		p.fn.Op(x86Shift[in.op].constant.of(p), fmt.Sprintf("$%d", v.bits), r, m.name(vectors, p.out(in.dst)))
		return
	}
	o, suffix := m.operand(p, y)
	p.fn.Op(x86Shift[in.op].vector.of(p)+suffix, o, r, m.name(vectors, p.out(in.dst)))
}

// mantissa is in [3/4, 3/2), NaN of what is negative; that of float64 is halved from √2 on.
func (m *x86) mantissa(p *placer, in *inst) {
	number := m.name(vectors, p.in(in.args[0]))
	dst := m.name(vectors, p.out(in.dst))
	p.fn.Op(x86Name{"VGETMANTPS", "VGETMANTPD"}.of(p), "$11", number, dst)
	if p.elem.Size() == 8 {
		root, suffix := m.constant(p, math.Float64bits(math.Sqrt2))
		large := m.name(masks, p.scratch(masks))
		p.fn.Op("VCMPPD"+suffix, "$29", root, dst, large)
		half, suffix := m.constant(p, math.Float64bits(0.5))
		p.fn.Op("VMULPD"+suffix, half, dst, large, dst)
	}
}

// exponent is the difference of two exponents: that of a mantissa below 1 is -1, and NaN that of one that is NaN.
func (m *x86) exponent(p *placer, in *inst) {
	of := m.name(vectors, p.scratch(vectors))
	exponent := x86Name{"VGETEXPPS", "VGETEXPPD"}.of(p)
	p.fn.Op(exponent, m.name(vectors, p.in(in.args[1])), of)
	number := m.name(vectors, p.in(in.args[0]))
	dst := m.name(vectors, p.out(in.dst))
	p.fn.Op(exponent, number, dst)
	p.fn.Op(x86Name{"VSUBPS", "VSUBPD"}.of(p), of, dst, dst)
}

// mulHigh takes the 64-bit products of the even elements and of the odd ones, and joins their upper halves.
func (m *x86) mulHigh(p *placer, in *inst) {
	x, y := m.name(vectors, p.in(in.args[0])), m.name(vectors, p.in(in.args[1]))
	even, odd := m.name(vectors, p.scratch(vectors)), m.name(vectors, p.scratch(vectors))
	p.fn.Op("VPSRLQ", "$32", x, even)
	p.fn.Op("VPSRLQ", "$32", y, odd)
	p.fn.Op("VPMULUDQ", even, odd, odd)
	p.fn.Op("VPMULUDQ", x, y, even)
	p.fn.Op("VPSRLQ", "$32", even, even)
	dst := m.name(vectors, p.out(in.dst))
	if m.wide {
		p.fn.Op("MOVL", "$0xaaaa", "R12")
		p.fn.Op("KMOVW", "R12", "K0")
		k := m.name(masks, p.scratch(masks))
		p.fn.Op("KMOVW", "R12", k)
		p.fn.Op("VPBLENDMD", odd, even, k, dst)
		return
	}
	p.fn.Op("VPBLENDD", "$0xaa", odd, even, dst)
}

// choose is a select: the first value where the mask is set.
func (m *x86) choose(p *placer, in *inst) {
	mask, yes, no := in.args[0], in.args[1], in.args[2]
	rm := m.name(m.maskClass(), p.in(mask))
	if v := &p.values[no]; m.wide && v.shared == constant && v.bits == 0 {
		r := m.name(vectors, p.in(yes))
		p.fn.Op(x86Name{"VMOVAPS", "VMOVAPD"}.of(p)+".Z", r, rm, m.name(vectors, p.out(in.dst)))
		return
	}
	rn := m.name(vectors, p.in(no))
	oy, suffix := m.operand(p, yes)
	dst := m.name(vectors, p.out(in.dst))
	if m.wide {
		p.fn.Op(x86Name{"VBLENDMPS", "VBLENDMPD"}.of(p)+suffix, oy, rn, rm, dst)
		return
	}
	p.fn.Op(x86Name{"VBLENDVPS", "VBLENDVPD"}.of(p), rm, oy, rn, dst)
}

// x86Predicate are the numbers of ordered, quiet comparisons, and those with the operands exchanged.
var x86Predicate = map[recipe.Op]struct{ straight, exchanged int }{
	recipe.Equal: {0, 0}, recipe.IsNaN: {3, 3}, recipe.Less: {17, 30}, recipe.LessEqual: {18, 29}, recipe.ILess: {1, 6}, recipe.IEqual: {0, 0},
}

func (m *x86) compare(p *placer, in *inst) {
	x, y := in.args[0], in.args[len(in.args)-1]
	predicate := x86Predicate[in.op].straight
	ints := in.op == recipe.ILess || in.op == recipe.IEqual
	if m.inMemory(p, x) && !m.inMemory(p, y) && (m.wide || !ints) {
		x, y, predicate = y, x, x86Predicate[in.op].exchanged
	}
	if !m.wide && ints { // there are only equal and greater: y > x
		name := x86Name{"VPCMPGTD", "VPCMPGTQ"}
		if in.op == recipe.IEqual {
			name = x86Name{"VPCMPEQD", "VPCMPEQQ"}
		}
		ry := m.name(vectors, p.in(y))
		ox, _ := m.operand(p, x)
		p.fn.Op(name.of(p), ox, ry, m.name(vectors, p.out(in.dst)))
		return
	}
	name := x86Name{"VCMPPS", "VCMPPD"}
	if ints {
		name = x86Name{"VPCMPD", "VPCMPQ"}
	}
	rx := m.name(vectors, p.in(x))
	oy, suffix := m.operand(p, y)
	p.fn.Op(name.of(p)+suffix, fmt.Sprintf("$%d", predicate), oy, rx, m.name(m.maskClass(), p.out(in.dst)))
}

// combine is a logical operation on masks.
func (m *x86) combine(p *placer, in *inst) {
	c := m.maskClass()
	x := m.name(c, p.in(in.args[0]))
	if in.op == recipe.MaskNot {
		if m.wide {
			p.fn.Op("KNOT"+maskSize(p), x, m.name(c, p.out(in.dst)))
			return
		}
		o, _ := m.constant(p, 1<<64-1)
		p.fn.Op("VPXOR", o, x, m.name(c, p.out(in.dst)))
		return
	}
	names := map[recipe.Op][2]string{recipe.MaskAnd: {"VPAND", "KAND" + maskSize(p)}, recipe.MaskOr: {"VPOR", "KOR" + maskSize(p)}}
	y := m.name(c, p.in(in.args[1]))
	p.fn.Op(names[in.op][index(m.wide)], y, x, m.name(c, p.out(in.dst)))
}
