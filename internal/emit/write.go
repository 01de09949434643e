package emit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/op"
)

// A writer writes the text of a kernel. Registers are of four kinds, each counted: %r of 32 bits, %rd of 64, %rs of 16 and predicates %p.
type writer struct {
	*Kernel
	body   bytes.Buffer
	counts map[string]int
	tables []string
	word   int    // of the parameters, the next to be read
	params string // where they begin

	values    [][]value // of operands, then of steps, for each lane
	address   []string  // of what is read, then written: of the parameter, and in the loop of the vector
	scalar    [][]string
	extents   []string
	strides   [][]string // of each operand, along each axis
	index     string     // of the vector
	vectors   string
	distance  string // between two vectors of a thread
	rowLength string // where rows are reduced
	shared    bool   // whether memory for joining warps has been declared
	nodes     []node // of a kernel that reduces rows
	guard     string // the predicate of what is stored, if there is one
	labels    int    // of turns of sums, so far
}

// Text returns the kernel's module.
func (k *Kernel) Text() []byte {
	w := &writer{Kernel: k, counts: map[string]int{}, address: make([]string, len(k.classes)), strides: make([][]string, len(k.classes))}
	w.values = make([][]value, len(k.region.In)+len(k.region.Steps))
	switch {
	case k.Columns > 0:
		w.columns()
	case k.reduces():
		w.rowByRow()
	default:
		w.head()
		w.loop()
	}
	var all bytes.Buffer
	all.WriteString(".version 7.0\n.target sm_60\n.address_size 64\n\n")
	_, tables := lines()
	for _, t := range w.tables {
		fmt.Fprintf(&all, ".global .align 4 .b32 %s[%d] = {0x%s};\n", t, len(tables[t]), strings.Join(tables[t], ", 0x"))
	}
	if k.Columns > 0 {
		fmt.Fprintf(&all, ".global .align 4 .b32 counts[%d];\n", kernels.MostCounts)
	}
	fmt.Fprintf(&all, ".visible .entry %s(\n\t.param .align 8 .b8 args[%d]\n)\n.maxntid %d\n{\n", k.Name(), k.ParamBytes(), max(blockThreads, k.region.Order.Threads))
	for _, kind := range []struct{ name, letters string }{{"pred", "p"}, {"b16", "rs"}, {"b32", "r"}, {"b64", "rd"}} {
		if n := w.counts[kind.letters]; n > 0 {
			fmt.Fprintf(&all, "\t.reg .%s %%%s<%d>;\n", kind.name, kind.letters, n+1)
		}
	}
	all.Write(w.body.Bytes())
	all.WriteString("}\n")
	return all.Bytes()
}

// line writes an instruction.
func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.body, "\t"+format+";\n", args...)
}

// label writes a label.
func (w *writer) label(format string, args ...any) { fmt.Fprintf(&w.body, format+":\n", args...) }

// new returns a register that has not been used.
func (w *writer) new(letters string) string {
	w.counts[letters]++
	return fmt.Sprintf("%%%s%d", letters, w.counts[letters])
}

// make writes an instruction whose result is a new register, and returns that.
func (w *writer) make(letters, instruction string, args ...string) string {
	to := w.new(letters)
	w.line("%s %s", instruction, strings.Join(append([]string{to}, args...), ", "))
	return to
}

// param reads the next word of the parameters, or the low part of it.
func (w *writer) param(letters, load string) string {
	at := w.word * 8
	w.word++
	to := w.new(letters)
	w.line("%s %s, [%s+%d]", load, to, w.params, at)
	return to
}

// head finds the thread's first vector, ends threads that have none, and reads the parameters.
func (w *writer) head() {
	block, threads, thread := w.make("r", "mov.u32", "%ctaid.x"), w.make("r", "mov.u32", "%ntid.x"), w.make("r", "mov.u32", "%tid.x")
	w.index = w.make("rd", "mul.wide.u32", block, threads)
	w.line("add.s64 %s, %[1]s, %s", w.index, w.make("rd", "cvt.u64.u32", thread))
	w.parameters()
	w.vectors = w.param("rd", "ld.param.b64")
	w.line("@%s bra $end", w.make("p", "setp.ge.u64", w.index, w.vectors))
	w.distance = w.make("rd", "mul.wide.u32", w.make("r", "mov.u32", "%nctaid.x"), threads)
	w.operands()
}

// operands reads the parameters that tell of operands, and what is the same for all elements.
func (w *writer) operands() {
	in := len(w.region.In)
	for i := range w.region.Out {
		w.address[in+i] = w.param("rd", "ld.param.b64")
	}
	for i := range w.region.In {
		if w.classes[i].kind == constant {
			w.values[i] = slices.Repeat([]value{w.constant(i)}, w.atOnce())
		} else {
			w.address[i] = w.param("rd", "ld.param.b64")
		}
	}
	for i := range w.region.Steps {
		s := &w.region.Steps[i]
		w.scalar = append(w.scalar, nil)
		for range scalarsOf(s) {
			w.scalar[i] = append(w.scalar[i], w.scalarOf(kinds[s.DType]))
		}
	}
	if w.reduces() {
		w.rowLength = w.param("r", "ld.param.b32")
	}
	if w.walks() {
		w.sizes()
	}
	for i := range w.region.In {
		if w.classes[i].kind == uniform {
			v := w.load(i, w.address[i], 1)
			w.number(&v[0])
			w.values[i] = slices.Repeat(v, w.atOnce())
		}
	}
}

// sizes reads extents and strides.
func (w *writer) sizes() {
	for range w.space.extents {
		w.extents = append(w.extents, w.param("r", "ld.param.b32"))
	}
	for i, c := range w.classes {
		w.strides[i] = make([]string, len(w.space.extents))
		for axis := range w.space.extents {
			if c.goesAlong(axis) {
				w.strides[i][axis] = w.param("rd", "ld.param.b64")
			}
		}
	}
}

// loop computes vector after vector.
func (w *writer) loop() {
	w.body.WriteString("$loop:\n")
	at := w.places()
	for i := range w.region.In {
		switch c := w.classes[i]; {
		case c.kind == flat || c.kind == strided && c.axes&1 == 1:
			w.values[i] = w.load(i, at[i], w.Lanes)
		case c.kind == strided:
			w.values[i] = slices.Repeat(w.load(i, at[i], 1), w.Lanes)
		}
	}
	in := len(w.region.In)
	for lane := range w.Lanes {
		for i := range w.region.Steps {
			w.values[in+i] = append(w.values[in+i], w.step(i, lane))
		}
	}
	for i := range w.region.Out {
		w.store(w.region.Out[i].DType, at[in+i], w.values[in+w.region.Out[i].Step])
	}
	w.line("add.s64 %s, %[1]s, %s", w.index, w.distance)
	w.line("@%s bra $loop", w.make("p", "setp.lt.u64", w.index, w.vectors))
	w.body.WriteString("$end:\n\tret;\n")
}

// places returns the address of each operand's vector.
func (w *writer) places() []string {
	at, flats := slices.Clone(w.address), map[int]string{}
	var indices []string
	if w.walks() {
		indices = w.indicesOf(w.extents)
	}
	for i, c := range w.classes {
		switch c.kind {
		case flat:
			bytes := w.Lanes * w.dtypeOf(i).Size()
			if flats[bytes] == "" {
				flats[bytes] = w.make("rd", "mul.lo.s64", w.index, fmt.Sprint(bytes))
			}
			at[i] = w.make("rd", "add.s64", w.address[i], flats[bytes])
		case strided:
			for axis, stride := range w.strides[i] {
				if stride != "" {
					at[i] = w.make("rd", "mad.lo.s64", indices[axis], stride, at[i])
				}
			}
		}
	}
	return at
}

// indicesOf returns the vector's index along each of some axes, or the row's.
func (w *writer) indicesOf(extents []string) []string {
	var all []string
	rest := w.make("r", "cvt.u32.u64", w.index)
	for axis, extent := range extents {
		i := rest
		if axis < len(extents)-1 {
			rest = w.make("r", "div.u32", i, extent)
			i = w.make("r", "sub.s32", i, w.make("r", "mul.lo.s32", rest, extent))
		}
		all = append(all, w.make("rd", "cvt.u64.u32", i))
	}
	return all
}

// step computes one lane of a step's result.
func (w *writer) step(i, lane int) value {
	s := &w.region.Steps[i]
	from := make([]value, len(s.From))
	for n, k := range s.From {
		if s.Op != op.Where && s.Op != op.Copy {
			w.number(&w.values[k][lane]) // once for all steps that read it
		}
		from[n] = w.values[k][lane]
	}
	return w.stepOf(i, from)
}

// stepOf computes a step's result of its operands.
func (w *writer) stepOf(i int, from []value) value {
	s := &w.region.Steps[i]
	switch s.Op {
	case op.Copy:
		return w.cast(from[0], s.To)
	case op.Where:
		return w.choose(from[0], from[1], from[2])
	}
	return w.compute(formulaOf(s.Op, s.DType), kinds[s.DType], from, w.scalar[i], s.To)
}
