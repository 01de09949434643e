package asm

import (
	"cmp"
	"slices"
	"strings"

	"cresset/internal/kgen/recipe"
)

// unrolls are the numbers of chains that are tried: the first that fits into the registers is taken.
var unrolls = []int{4, 2, 1}

// maxInsts limits the length of an unrolled body.
const maxInsts = 256

// A plan is how a loop is laid out: how many chains run side by side, and which constants and parameters stay in
// registers from iteration to iteration.
type plan struct {
	loop    *recipe.Loop
	elem    recipe.Elem
	chains  int
	unit    int // the least number of chains
	kept    []value
	streams bool // results wait in registers for the stores of a function with non-temporal ones
}

// newPlan finds the plan by trial: it writes the body for each number of chains and counts spills.
func newPlan(m machine, l *recipe.Loop, elem recipe.Elem) plan {
	m = m.trial()
	if !m.scales() {
		l = l.Expanded()
	}
	unit := unitOf(m, l)
	for _, chains := range slices.Concat(unrolls, []int{unit}) {
		if chains%unit != 0 {
			continue
		}
		pl := plan{loop: l, elem: elem, chains: chains, unit: unit, kept: accumulators(m, l, elem)}
		p := pl.body(m, &Func{Name: l.Name}, 0, chains, false)
		if chains > unit && (p.spills > 0 || len(p.insts) > maxInsts) {
			continue
		}
		if p.spills == 0 {
			accs := len(pl.kept)
			pl.kept = append(pl.kept, mostUsed(p, m.registers(vectors)-p.peak[vectors])...)
			for len(pl.kept) > accs && pl.body(m, &Func{Name: l.Name}, 0, chains, false).spills > 0 {
				pl.kept = pl.kept[:len(pl.kept)-1]
			}
		}
		return pl
	}
	panic("asm: no plan for " + l.Name)
}

// mostUsed returns the n shared values that the program needs most often, of which tables that it picks from come first: without a
// register each pick takes a load, while most instructions read a constant from memory themselves. gelu/1e5 takes a twelfth less so
// under AVX2.
func mostUsed(p *placer, n int) []value {
	var shared []int
	for v, of := range p.values {
		if (of.shared == constant || of.shared == parameter || of.shared == table) && len(of.uses) > 0 {
			shared = append(shared, v)
		}
	}
	slices.SortStableFunc(shared, func(v, w int) int {
		return cmp.Or(cmp.Compare(p.picks[w], p.picks[v]), cmp.Compare(len(p.values[w].uses), len(p.values[v].uses)))
	})
	var most []value
	for _, v := range shared[:min(n, len(shared))] {
		most = append(most, p.values[v])
	}
	return most
}

// body writes the loop's body for a number of chains from the first on; the kept values are in the first registers.
func (pl *plan) body(m machine, fn *Func, first, chains int, masked bool) *placer {
	p := newPlacer(m, lower(m, pl.loop, pl.elem, first, chains), fn)
	p.masked, p.streams = masked, pl.streams
	for r, k := range pl.kept {
		v := p.find(k)
		p.keep[v], p.reg[v], p.owner[vectors][r] = true, r, v
	}
	p.write()
	return p
}

// fetchKept loads the kept values into their registers.
func (pl *plan) fetchKept(m machine, fn *Func) {
	p := newPlacer(m, lower(m, pl.loop, pl.elem, 0, pl.unit), fn)
	for r, k := range pl.kept {
		m.fetch(p, p.find(k), r)
	}
}

// accumulators returns the number of registers that folds keep.
func (pl *plan) accumulators() int {
	n := 0
	for _, k := range pl.kept {
		if k.shared == accumulator {
			n++
		}
	}
	return n
}

// find returns the value of this program that is the same constant or parameter as another program's.
func (p *placer) find(k value) int {
	return slices.IndexFunc(p.values, func(v value) bool { return v.equals(k) })
}

// functionName is addF32AVX512 for the loop Add.
func functionName(l *recipe.Loop, elem recipe.Elem, suffix string) string {
	upper := strings.TrimLeft(l.Name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	first := l.Name[:len(l.Name)-len(upper)]
	if len(first) > 1 && upper != "" {
		first = strings.ToLower(first[:len(first)-1]) + first[len(first)-1:]
	} else {
		first = strings.ToLower(first)
	}
	return first + upper + elem.String() + suffix
}

// comment is what the loop's function computes.
func comment(l *recipe.Loop) string {
	if len(l.Dst) == 0 {
		return l.Doc
	}
	return l.Dst[0].Name + "[i] = " + l.Doc
}

// params are the parameters of a loop's function: pointers to the operands' first elements, their number, a pointer to
// the scalars, one to the results of folds, and one to what will be read next. A loop over rows has the number of rows before, and
// perhaps behind how many bytes their scalars are apart.
func params(l *recipe.Loop) []Param {
	var all []Param
	for _, o := range l.Operands() {
		all = append(all, Param{o.Name, "unsafe.Pointer"})
	}
	if l.Rows {
		all = append(all, Param{"rows", "int"})
	}
	all = append(all, Param{"n", "int"})
	if l.Strided {
		all = append(all, Param{"step", "int"})
	}
	if len(l.Scalars) > 0 {
		all = append(all, Param{"scalars", "unsafe.Pointer"})
	}
	if len(l.Folds) > 0 {
		all = append(all, Param{"results", "unsafe.Pointer"})
	}
	if l.Fetches {
		all = append(all, Param{"next", "unsafe.Pointer"})
	}
	return all
}

// sizeIn is the size of an operand's elements in a loop over numbers of type own.
func sizeIn(e, own recipe.Elem) int {
	if e == recipe.Own {
		e = own
	}
	return e.Size()
}
