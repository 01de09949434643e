package asm

import (
	"fmt"

	"cresset/internal/kgen/recipe"
)

// NEON returns the file of all loops for arm64.
func NEON(loops []*recipe.Loop) *File {
	f := &File{}
	for _, l := range loops {
		m := &neon{&f.pool, hasTables(l)}
		for _, elem := range l.Elems {
			if l.Rows {
				m.rowLoop(f, l, elem)
				continue
			}
			m.loop(f, l, elem)
		}
	}
	return f
}

const neonBytes = 16

// loop adds a loop's function for one type of number, which computes as many whole vectors as n elements hold. R0 and
// those that follow point to the operands, R5 counts what is left, R6 points to the scalars, R7 to the constants.
func (m *neon) loop(f *File, l *recipe.Loop, elem recipe.Elem) {
	pl := newPlan(m, l, elem)
	fn := f.Func(functionName(l, elem, "NEON"), comment(l), params(l)...)
	lanes := neonBytes / elem.Size()
	for n, o := range l.Operands() {
		fn.Op("MOVD", fn.Arg(o.Name), fmt.Sprintf("R%d", n))
	}
	fn.Op("MOVD", fn.Arg("n"), "R5")
	if len(l.Scalars) > 0 {
		fn.Op("MOVD", fn.Arg("scalars"), "R6")
	}
	fn.Op("MOVD", "$"+poolName+"(SB)", "R7")
	pl.fetchKept(m, fn)
	if pl.chains > 1 {
		m.repeat(fn, pl, "several", "single", pl.chains, lanes)
		fn.Label("single")
	}
	m.repeat(fn, pl, "whole", "done", 1, lanes)
	fn.Label("done")
	fn.Op("RET")
	if fn.Stack > 0 {
		fn.Stack += slotBase
	}
}

// repeat runs the body while there are elements enough for it.
func (m *neon) repeat(fn *Func, pl plan, name, next string, chains, lanes int) {
	step := fmt.Sprintf("$%d", chains*lanes)
	fn.Op("CMP", step, "R5")
	fn.Op("BLT", next)
	fn.Label(name)
	pl.body(m, fn, 0, chains, false)
	for n, o := range pl.loop.Operands() {
		r := fmt.Sprintf("R%d", n)
		fn.Op("ADD", fmt.Sprintf("$%d", chains*lanes*sizeIn(o.Elem, pl.elem)), r, r)
	}
	fn.Op("SUB", step, "R5", "R5")
	pl.endOfRun(m, fn, name+"On")
	fn.Op("CMP", step, "R5")
	fn.Op("BGE", name)
}

// slotBase is where the stack's slots begin, above the saved link register.
const slotBase = 16

func (m *neon) slot(p *placer, v int) string { return fmt.Sprintf("%d(RSP)", slotBase+p.slot[v]) }

func (m *neon) fetch(p *placer, v, r int) {
	switch value := &p.values[v]; value.shared {
	case constant:
		if value.bits == 0 {
			m.logic(p, neonLogic[recipe.IXor], r, r, r)
			return
		}
		m.constant(p, r, value.bits)
	case parameter:
		p.fn.Op("ADD", fmt.Sprintf("$%d", value.scalar*p.elem.Size()), "R6", "R8")
		lanes := map[int]string{1: "B16", 4: "S4", 8: "D2"}[p.elem.Size()]
		p.fn.Op("VLD1R", "(R8)", fmt.Sprintf("[V%d.%s]", r, lanes))
	case accumulator:
		m.start(p, recipe.FoldOp(value.bits), r)
	default:
		p.fn.Op("FMOVQ", m.slot(p, v), fmt.Sprintf("F%d", r))
	}
}

func (m *neon) spill(p *placer, v, r int) {
	p.fn.Op("FMOVQ", fmt.Sprintf("F%d", r), m.slot(p, v))
}

func (m *neon) move(p *placer, c class, from, to int) {
	m.logic(p, neonCode{"ORR", 0x4ea01c00}, to, from, from)
}

// at returns the address of an operand's elements of the instruction's chain.
func (m *neon) at(p *placer, in *inst) string {
	lanes := neonBytes / p.elem.Size()
	return fmt.Sprintf("%d(R%d)", in.chain*lanes*in.elem.Size(), in.operand)
}

func (m *neon) load(p *placer, in *inst) {
	dst := p.out(in.dst)
	if in.elem != p.elem {
		m.loadAs(p, in, dst)
		return
	}
	p.fn.Op("FMOVQ", m.at(p, in), fmt.Sprintf("F%d", dst))
}

func (m *neon) store(p *placer, in *inst) {
	if in.elem != p.elem {
		m.storeAs(p, in)
		return
	}
	p.fn.Op("FMOVQ", fmt.Sprintf("F%d", p.in(in.args[0])), m.at(p, in))
}
