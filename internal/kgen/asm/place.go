package asm

import (
	"fmt"

	"cresset/internal/kgen/recipe"
)

// A machine is an instruction set.
type machine interface {
	// registers returns how many registers of a class values may live in, and maskClass the class of masks.
	registers(c class) int
	maskClass() class
	// scales reports whether there are instructions for Scale, Mantissa and Exponent.
	scales() bool
	// bytes returns the size of a vector.
	bytes() int
	// extremes reports whether there are instructions for a > b ? a : b and for a < b ? a : b by the operation that compares, which
	// choose b where neither is less.
	extremes(less recipe.Op, elem recipe.Elem) bool
	// prepares reports whether a lookup in a table needs more than its index, and pieces how the table is divided into vectors, none
	// where the lookup itself reads it.
	prepares(words []uint32) bool
	pieces(words []uint32) [][]uint32
	// trial returns the machine with a pool of constants of its own, for code that is written only to count registers.
	trial() machine
	// load and so on write an instruction of a kind: they ask the placer for registers and write to its function.
	load(p *placer, in *inst)
	store(p *placer, in *inst)
	fold(p *placer, in *inst)
	prepare(p *placer, in *inst)
	compute(p *placer, in *inst)
	// fetch loads a value from memory into register r, and spill puts it into a slot of the stack.
	fetch(p *placer, v, r int)
	spill(p *placer, v, r int)
	// move copies a register.
	move(p *placer, c class, from, to int)
}

// A placer keeps values in registers while a program is written. A value without a free register takes that of the
// value that is needed last; constants and parameters are read again from memory, others from the stack.
type placer struct {
	*program
	machine
	fn      *Func
	masked  bool     // the last vector, of which only a part is there
	streams bool     // results stay in their registers
	results []result // these
	uppers  int      // the value whose bits R15 has: see x86.lookup

	at     int             // the instruction that is being written
	reg    []int           // the register of each value, none where it has none
	slot   []int           // its place on the stack, none where it was never spilled
	owner  [classes][]int  // the value in each register, none where it is free
	pinned [classes][]bool // registers that the current instruction needs
	keep   map[int]bool    // values that stay in their registers from iteration to iteration

	peak   [classes]int // the most registers in use at once
	spills int
	picks  map[int]int // how often each table is picked from by an instruction that takes no memory: see x86.pick
}

// A result is a register and where it is to be written.
type result struct {
	register, address string
}

const none = -1

func newPlacer(m machine, prog *program, fn *Func) *placer {
	p := &placer{program: prog, machine: m, fn: fn, keep: map[int]bool{}, picks: map[int]int{}, uppers: none}
	p.reg, p.slot = make([]int, len(prog.values)), make([]int, len(prog.values))
	for v := range p.reg {
		p.reg[v], p.slot[v] = none, none
	}
	for c := range p.owner {
		n := m.registers(class(c))
		p.owner[c], p.pinned[c] = make([]int, n), make([]bool, n)
		for r := range p.owner[c] {
			p.owner[c][r] = none
		}
	}
	return p
}

// write writes all instructions whose results are needed.
func (p *placer) write() {
	for p.at = range p.insts {
		in := &p.insts[p.at]
		if in.dst != none && len(p.values[in.dst].uses) == 0 {
			continue
		}
		p.emit(in)
		p.release(in)
		for c := range p.pinned {
			clear(p.pinned[c])
		}
	}
}

// emit writes an instruction.
func (p *placer) emit(in *inst) {
	switch in.kind {
	case load:
		p.load(p, in)
	case store:
		p.store(p, in)
	case fold:
		p.fold(p, in)
	case prepare:
		p.prepare(p, in)
	default:
		p.compute(p, in)
	}
}

// in returns the register of a value that the instruction needs.
func (p *placer) in(v int) int {
	c := p.values[v].class
	if p.reg[v] == none {
		r := p.room(c)
		p.hold(c, r, v)
		p.fetch(p, v, r)
	}
	p.pinned[c][p.reg[v]] = true
	return p.reg[v]
}

// out returns the register for an instruction's result, perhaps that of an argument that is needed no more. All
// arguments must be in their registers, and a sequence must have read them.
func (p *placer) out(v int) int {
	p.release(&p.insts[p.at])
	c := p.values[v].class
	r := p.room(c)
	p.hold(c, r, v)
	return r
}

// over returns the register for a result that starts as the value of an argument: its own where the argument is needed
// no more, else a copy.
func (p *placer) over(v, arg int) int {
	c := p.values[v].class
	if r := p.reg[arg]; r != none && p.dies(arg) {
		p.reg[arg] = none
		p.owner[c][r] = v
		p.reg[v] = r
		return r
	}
	if p.reg[arg] == none {
		r := p.room(c)
		p.hold(c, r, arg) // for the moment
		p.fetch(p, arg, r)
		p.reg[arg] = none
		p.hold(c, r, v)
		return r
	}
	from := p.reg[arg]
	p.pinned[c][from] = true
	r := p.room(c)
	p.hold(c, r, v)
	p.move(p, c, from, r)
	return r
}

// scratch returns a register that is free until the instruction ends.
func (p *placer) scratch(c class) int {
	r := p.room(c)
	p.pinned[c][r] = true
	return r
}

// dies reports whether a value is needed by no later instruction.
func (p *placer) dies(v int) bool { return !p.keep[v] && p.nextUse(v) == none }

func (p *placer) nextUse(v int) int {
	for _, u := range p.values[v].uses {
		if u > p.at {
			return u
		}
	}
	return none
}

func (p *placer) release(in *inst) {
	for _, a := range in.args {
		if r := p.reg[a]; r != none && p.dies(a) {
			p.reg[a] = none
			p.owner[p.values[a].class][r] = none
			p.pinned[p.values[a].class][r] = false
		}
	}
}

func (p *placer) hold(c class, r, v int) {
	p.owner[c][r] = v
	p.reg[v] = r
	p.pinned[c][r] = true
	used := 0
	for n := range p.owner[c] {
		if p.owner[c][n] != none || p.pinned[c][n] {
			used++
		}
	}
	p.peak[c] = max(p.peak[c], used)
}

// room returns a register that nothing needs now.
func (p *placer) room(c class) int {
	best, farthest := none, none
	for r, v := range p.owner[c] {
		switch {
		case p.pinned[c][r]:
		case v == none:
			return r
		case p.keep[v]:
		case p.nextUse(v) > farthest:
			best, farthest = r, p.nextUse(v)
		}
	}
	if best == none {
		panic(fmt.Sprintf("asm: %s: an instruction needs more registers than there are", p.fn.Name))
	}
	v := p.owner[c][best]
	if p.values[v].shared == computed {
		p.spills++
		if p.slot[v] == none {
			p.slot[v] = p.fn.Stack
			p.fn.Stack += slotSize
			p.spill(p, v, best)
		}
	}
	p.reg[v] = none
	p.owner[c][best] = none
	return best
}

const slotSize = 64 // of the stack, for one vector of any machine
