package asm

import (
	"slices"

	"cresset/internal/kgen/recipe"
)

// A kind says what an instruction does.
type kind uint8

const (
	compute kind = iota // a step of the loop
	prepare             // makes of a Lookup's index what the machine needs beside it
	load                // reads an operand
	store               // writes a result
	fold                // takes a value into accumulators
)

// An inst is one instruction, or a short fixed sequence, over values.
type inst struct {
	kind  kind
	op    recipe.Op     // of a load, what it is to the loop, and of a store, what made the value
	dst   int           // the value that it results in
	args  []int         // the values that it needs
	table *recipe.Table // for Lookup and for the preparation of its index

	acc     int // for fold, the accumulator
	fold    recipe.FoldOp
	operand int // the operand that is loaded or stored, by its place in Operands
	elem    recipe.Elem
	chain   int

	negProduct, negAddend bool // for FMA: -(a*b) + c, a*b - c
	extreme               extreme
}

// An extreme tells that a select chooses the larger or smaller of its operands, of which the second is NaN's choice.
type extreme uint8

const (
	neither extreme = iota
	larger
	smaller
)

// A program is a loop's body as a straight line: chains copies of the steps, which work on vectors that follow each
// other, step by step.
type program struct {
	elem   recipe.Elem // what it computes with
	values []value
	insts  []inst
}

// A value is what an instruction results in, or what all iterations share.
type value struct {
	class  class
	shared source
	bits   uint64   // of a constant, or the operation of an accumulator
	scalar int      // of a parameter or an accumulator, which one
	words  []uint32 // of a table
	uses   []int    // the instructions that need it
}

// A source says where a value comes from that no instruction computes.
type source uint8

const (
	computed source = iota
	constant
	parameter
	accumulator
	table
)

// A class is a kind of register.
type class uint8

const (
	vectors class = iota
	masks
	classes
)

// lower writes the loop for numbers of one type and for a machine: chains of it from the first on.
func lower(m machine, l *recipe.Loop, elem recipe.Elem, first, chains int) *program {
	w := &lowering{program: &program{elem: elem}, machine: m, loop: l, prepared: map[int]int{}}
	for _, v := range accumulators(m, l, elem) {
		w.accs = append(w.accs, w.share(v))
	}
	w.of = make([][]int, first+chains)
	for c := range w.of {
		w.of[c] = make([]int, len(l.Steps))
	}
	if unitOf(m, l) > 2 { // one chain after the other, since a fold of many vectors leaves few registers
		for c := first; c < len(w.of); c++ {
			w.chains(c, c+1)
		}
	} else {
		w.chains(first, len(w.of))
	}
	for at, in := range w.insts {
		for _, a := range in.args {
			w.values[a].uses = append(w.values[a].uses, at)
		}
	}
	return w.program
}

// A lowering is the state while a program is made: of has the values of each chain's steps, accs those of the accumulators.
type lowering struct {
	*program
	machine
	loop     *recipe.Loop
	of       [][]int
	accs     []int
	prepared map[int]int // by an index, what was made of it
}

// chains adds the instructions of chains that run side by side.
func (w *lowering) chains(first, end int) {
	users := usersOf(w.loop)
	for k := range w.loop.Steps {
		for c := first; c < end; c++ {
			w.step(recipe.Ref(k), c, users)
		}
	}
	for n, r := range w.loop.Results {
		for c := first; c < end; c++ {
			w.insts = append(w.insts, inst{kind: store, op: w.loop.Steps[r].Op, dst: -1, args: []int{w.of[c][r]}, chain: c,
				operand: w.loop.DstPlace(n), elem: w.inMemory(w.loop.Dst[n].Elem)})
		}
	}
	for c := first; c < end; c++ {
		w.folds(c, unitOf(w.machine, w.loop))
	}
}

func (w *lowering) step(k recipe.Ref, c int, users [][]recipe.Ref) {
	s := &w.loop.Steps[k]
	switch s.Op {
	case recipe.ConstFloat, recipe.ConstInt:
		w.of[c][k] = w.share(value{shared: constant, bits: s.Word(w.elem)})
	case recipe.Scalar, recipe.ScalarInt:
		w.of[c][k] = w.share(value{shared: parameter, scalar: int(s.Bits)})
	case recipe.FromBits, recipe.ToBits:
		w.of[c][k] = w.of[c][s.Args[0]]
	case recipe.Param, recipe.ParamInt, recipe.ParamMask:
		w.add(k, c, inst{kind: load, op: s.Op, operand: w.loop.SrcPlace(int(s.Bits)), elem: w.inMemory(w.loop.Src[s.Bits].Elem)})
	case recipe.FMA, recipe.FMAExact:
		w.fma(k, c)
	case recipe.Select, recipe.ISelect:
		w.choice(k, c)
	case recipe.Neg:
		if !w.isFolded(k, users) {
			w.add(k, c, inst{op: s.Op, args: w.args(s, c)})
		}
	case recipe.Lookup:
		w.lookup(k, c)
	default:
		w.add(k, c, inst{op: s.Op, args: w.args(s, c)})
	}
}

// lookup has the index as its first argument, then what the machine made of it, then the vectors that hold the table.
func (w *lowering) lookup(k recipe.Ref, c int) {
	s := &w.loop.Steps[k]
	words := s.Table.Words
	in := inst{op: s.Op, args: w.args(s, c), table: s.Table}
	if index := in.args[0]; w.prepares(words) {
		made, ok := w.prepared[index]
		if !ok {
			made = w.result(value{}, inst{kind: prepare, args: []int{index}, table: s.Table, chain: c})
			w.prepared[index] = made
		}
		in.args = append(in.args, made)
	}
	for _, v := range w.pieces(words) {
		in.args = append(in.args, w.share(value{shared: table, words: v}))
	}
	w.add(k, c, in)
}

// choice finds the selects of the larger or smaller of two: of b < a, a or b, which the machine may have in one.
func (w *lowering) choice(k recipe.Ref, c int) {
	s := &w.loop.Steps[k]
	in := inst{op: s.Op, args: w.args(s, c)}
	if less := &w.loop.Steps[s.Args[0]]; w.extremes(less.Op, w.elem) {
		switch yes, no := s.Args[1], s.Args[2]; {
		case less.Args[0] == no && less.Args[1] == yes:
			in.extreme = larger
		case less.Args[0] == yes && less.Args[1] == no:
			in.extreme = smaller
		}
	}
	if in.extreme != neither {
		in.args = in.args[1:]
	}
	w.add(k, c, in)
}

// fma takes the signs of its operands into the instruction.
func (w *lowering) fma(k recipe.Ref, c int) {
	s := &w.loop.Steps[k]
	in := inst{op: recipe.FMA}
	for n, a := range s.Args {
		if arg := &w.loop.Steps[a]; arg.Op == recipe.Neg {
			a = arg.Args[0]
			if n == 2 {
				in.negAddend = true
			} else {
				in.negProduct = !in.negProduct
			}
		}
		in.args = append(in.args, w.of[c][a])
	}
	w.add(k, c, in)
}

// isFolded reports whether a Neg step is needed only by fma steps.
func (w *lowering) isFolded(k recipe.Ref, users [][]recipe.Ref) bool {
	for _, u := range users[k] {
		if op := w.loop.Steps[u].Op; op != recipe.FMA && op != recipe.FMAExact {
			return false
		}
	}
	return !slices.Contains(w.loop.Ends(), k)
}

func usersOf(l *recipe.Loop) [][]recipe.Ref {
	users := make([][]recipe.Ref, len(l.Steps))
	for k, s := range l.Steps {
		for _, a := range s.Args {
			users[a] = append(users[a], recipe.Ref(k))
		}
	}
	return users
}

func (w *lowering) args(s *recipe.Step, c int) []int {
	var args []int
	for _, a := range s.Args {
		args = append(args, w.of[c][a])
	}
	return args
}

// add appends an instruction that results in step k of chain c.
func (w *lowering) add(k recipe.Ref, c int, in inst) {
	v := value{}
	if w.loop.Steps[k].Op.Result() == recipe.MaskType {
		v.class = w.maskClass()
	}
	in.chain = c
	w.of[c][k] = w.result(v, in)
}

// result appends an instruction that results in a new value.
func (w *lowering) result(v value, in inst) int {
	in.dst = len(w.values)
	w.values = append(w.values, v)
	w.insts = append(w.insts, in)
	return in.dst
}

// equals reports whether two shared values are the same, perhaps in different programs.
func (v *value) equals(other value) bool {
	return v.shared == other.shared && v.bits == other.bits && v.scalar == other.scalar && slices.Equal(v.words, other.words)
}

// share returns the value that equals v, which all chains have in common.
func (w *lowering) share(v value) int {
	for n, have := range w.values {
		if v.shared != computed && have.equals(v) {
			return n
		}
	}
	w.values = append(w.values, v)
	return len(w.values) - 1
}

func (w *lowering) inMemory(e recipe.Elem) recipe.Elem {
	if e == recipe.Own {
		return w.elem
	}
	return e
}
