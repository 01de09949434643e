package emit

import (
	"fmt"
	"slices"

	"cresset/dtype"
)

// A region that reduces rows is computed by a row of threads for each, as the kernels of reductions are: a thread takes group after group, in the order that
// the region says, and what threads have is joined in a fixed tree, or in turn. The steps lie in passes over the row: what a pass needs of earlier ones is
// what these have reduced, which lies in registers, and elements, which are computed again of operands that the caches hold.

// blockThreads is how many threads a block has, unless a row has more.
const blockThreads = 256

// mostInFlight is how many groups a thread loads before it computes with them.
const mostInFlight = 4

// lanesOfRow is how many neighbours of a group are computed at once.
func (k *Kernel) lanesOfRow(aligned bool) int {
	if !aligned {
		return 1
	}
	lanes := k.region.Order.Group
	for lanes > 1 && (lanes*k.operations() > mostSteps || !k.space.vectors(lanes, k.classes)) {
		lanes /= 2
	}
	return lanes
}

// groupsInFlight is how many groups are loaded at once: fewer of long formulas, one where groups are computed in parts.
func (k *Kernel) groupsInFlight() int {
	n := mostInFlight
	for n > 1 && (k.Lanes < k.region.Order.Group || n*k.Lanes*(k.operations()+len(k.region.Steps)) > mostSteps/2) {
		n /= 2
	}
	return n
}

// A pass goes over a row once.
type pass struct {
	before   []int // nodes of one value for each row, ahead of it
	nodes    []int // those that are computed for each element
	in       []int // operands that are loaded for each element
	reduced  []int // nodes that it ends
	stored   []int // results that it stores for each element
	rowStore []int // results before it that are stored once
}

// passes orders the nodes.
func (w *writer) passes(of []int) []pass {
	r, in := w.region, len(w.region.In)
	level, last := make([]int, in+len(w.nodes)), 0
	for i := range w.nodes {
		n := &w.nodes[i]
		for _, from := range n.from {
			level[in+i] = max(level[in+i], level[from])
		}
		if n.fold != noFold {
			level[in+i]++
		}
		last = max(last, level[in+i])
	}
	all, needed := make([]pass, last+1), make([][]bool, last+1)
	for p := range needed {
		needed[p] = make([]bool, in+len(w.nodes))
	}
	for i := range w.nodes {
		switch n, at := &w.nodes[i], level[in+i]; {
		case n.fold != noFold:
			all[at-1].reduced = append(all[at-1].reduced, i)
			for _, from := range n.from {
				needed[at-1][from] = true
			}
		case n.row:
			all[at].before = append(all[at].before, i)
		}
	}
	for o := range r.Out {
		i := of[r.Out[o].Step]
		if p, at := &all[level[in+i]], level[in+i]; w.nodes[i].row {
			p.rowStore = append(p.rowStore, o)
		} else {
			p.stored, needed[at][in+i] = append(p.stored, o), true
		}
	}
	for p := range all {
		all[p].fill(w, needed[p])
	}
	return all
}

// fill finds what a pass computes and loads, of the nodes whose elements it needs.
func (p *pass) fill(w *writer, needed []bool) {
	in := len(w.region.In)
	for i := len(w.nodes) - 1; i >= 0; i-- {
		if n := &w.nodes[i]; needed[in+i] && !n.row {
			p.nodes = append(p.nodes, i)
			for _, from := range n.from {
				needed[from] = true
			}
		}
	}
	slices.Reverse(p.nodes)
	for i := range w.region.In {
		if needed[i] && w.alongRow(i) {
			p.in = append(p.in, i)
		}
	}
}

// evaluate computes one lane of a node.
func (w *writer) evaluate(i, lane int) value {
	n := &w.nodes[i]
	from := make([]value, len(n.from))
	for k, f := range n.from {
		w.number(&w.values[f][lane]) // once for all that read it
		from[k] = w.values[f][lane]
	}
	return n.compute(w, from)
}

// alongRow reports whether an operand goes on along the rows.
func (k *Kernel) alongRow(i int) bool {
	c := k.classes[i]
	return c.kind == flat || c.kind == strided && c.axes&1 == 1
}

// ofRow is what the parameters tell of a row, and where the thread stands.
type ofRow struct {
	length string // of a row; %r, as all here but the last
	x      string // the thread's place in the row
	end    string // the length, 0 behind the last row: its threads join those of their warp
	number string // of the row, 0 behind the last
	first  string // a predicate: the thread stores what there is one of for the row
	at     []string
}

// rowByRow writes a kernel that reduces rows.
func (w *writer) rowByRow() {
	w.parameters()
	rows := w.make("r", "cvt.u32.u64", w.param("rd", "ld.param.b64"))
	w.operands()
	t := w.ofRow(rows)
	nodes, of := w.Kernel.nodes()
	w.nodes, w.values = nodes, append(w.values[:len(w.region.In)], make([][]value, len(nodes))...)
	for i := range w.region.In {
		if w.classes[i].kind == strided && !w.alongRow(i) {
			w.once(i, w.load(i, t.at[i], 1)[0])
		}
	}
	for n, p := range w.passes(of) {
		for _, i := range p.before {
			w.once(len(w.region.In)+i, w.evaluate(i, 0))
		}
		w.guard = "@" + t.first + " "
		for _, o := range p.rowStore {
			w.store(w.region.Out[o].DType, t.at[len(w.region.In)+o], w.values[len(w.region.In)+of[w.region.Out[o].Step]][:1])
		}
		w.guard = ""
		if len(p.nodes)+len(p.reduced) > 0 {
			w.pass(n, &p, of, t)
		}
	}
	w.body.WriteString("$end:\n\tret;\n")
}

// once makes a value the one of all lanes.
func (w *writer) once(k int, v value) {
	w.number(&v)
	w.values[k] = slices.Repeat([]value{v}, w.atOnce())
}

// ofRow finds the thread's row, and ends blocks that have none.
func (w *writer) ofRow(rows string) *ofRow {
	t := &ofRow{length: w.rowLength, x: w.make("r", "mov.u32", "%tid.x")}
	of := max(blockThreads/w.region.Order.Threads, 1)
	start := w.make("r", "mul.lo.u32", w.make("r", "mov.u32", "%ctaid.x"), fmt.Sprint(of))
	w.line("@%s bra $end", w.make("p", "setp.ge.u32", start, rows))
	row := w.make("r", "add.s32", start, w.make("r", "mov.u32", "%tid.y"))
	inside := w.make("p", "setp.lt.u32", row, rows)
	t.number, t.end = w.make("r", "selp.b32", row, "0", inside), w.make("r", "selp.b32", t.length, "0", inside)
	t.first = w.make("p", "and.pred", w.make("p", "setp.eq.u32", t.x, "0"), inside)
	t.at = slices.Clone(w.address)
	var indices []string
	first := w.make("rd", "mul.wide.u32", t.number, t.length)
	if w.walks() {
		w.index = w.make("rd", "cvt.u64.u32", t.number)
		indices = w.indicesOf(w.extents[1:])
	}
	for i, c := range w.classes {
		switch c.kind {
		case flat:
			t.at[i] = w.make("rd", "mad.lo.s64", first, fmt.Sprint(w.dtypeOf(i).Size()), t.at[i])
		case strided:
			for axis, stride := range w.strides[i] {
				if axis > 0 && stride != "" {
					t.at[i] = w.make("rd", "mad.lo.s64", indices[axis-1], stride, t.at[i])
				}
			}
		}
	}
	return t
}

// pass writes a pass over the row, and what it reduces.
func (w *writer) pass(n int, p *pass, of []int, t *ofRow) {
	var folds []*fold
	for _, i := range p.reduced {
		folds = append(folds, w.begin(i))
	}
	o, many := w.region.Order, w.groupsInFlight()
	apart := o.Threads * o.Group
	k := w.make("r", "mul.lo.u32", t.x, fmt.Sprint(o.Group))
	if many > 1 {
		fmt.Fprintf(&w.body, "$many%d:\n", n)
		last := w.make("r", "add.s32", k, fmt.Sprint((many-1)*apart))
		w.line("@%s bra $rest%d", w.make("p", "setp.ge.u32", last, t.end), n)
		w.elements(p, folds, of, t, k, many)
		w.line("add.s32 %s, %[1]s, %d", k, many*apart)
		w.line("bra $many%d", n)
		fmt.Fprintf(&w.body, "$rest%d:\n", n)
	}
	w.line("@%s bra $join%d", w.make("p", "setp.ge.u32", k, t.end), n)
	fmt.Fprintf(&w.body, "$group%d:\n", n)
	if w.Lanes == o.Group {
		w.elements(p, folds, of, t, k, 1)
	} else {
		i := w.make("r", "mov.u32", k)
		stop := w.make("r", "min.u32", w.make("r", "add.s32", k, fmt.Sprint(o.Group)), t.end)
		fmt.Fprintf(&w.body, "$lane%d:\n", n)
		w.elements(p, folds, of, t, i, 1)
		w.line("add.s32 %s, %[1]s, %d", i, w.Lanes)
		w.line("@%s bra $lane%d", w.make("p", "setp.lt.u32", i, stop), n)
	}
	w.line("add.s32 %s, %[1]s, %d", k, apart)
	w.line("@%s bra $group%d", w.make("p", "setp.lt.u32", k, t.end), n)
	fmt.Fprintf(&w.body, "$join%d:\n", n)
	for _, f := range folds {
		w.once(len(w.region.In)+f.at, w.joined(f, t))
	}
}

// elements computes so many vectors from index k of the row on, each so many elements apart, adds them to what is reduced, and stores results.
func (w *writer) elements(p *pass, folds []*fold, of []int, t *ofRow, k string, many int) {
	in, o := len(w.region.In), w.region.Order
	at := make([][]string, many)
	for m := range many {
		index := k
		if m > 0 {
			index = w.make("r", "add.s32", k, fmt.Sprint(m*o.Threads*o.Group))
		}
		at[m] = w.along(p, t, index)
	}
	for _, i := range p.in {
		w.values[i] = nil
		for m := range many {
			w.values[i] = append(w.values[i], w.loadWide(i, at[m][i])...)
		}
	}
	for _, i := range p.nodes {
		w.values[in+i] = nil
	}
	turn := func(step func(a *adder, w *writer)) {
		for _, f := range folds {
			if f.own != nil {
				step(f.own, w)
			}
		}
	}
	turn((*adder).begin)
	for lane := range many * w.Lanes {
		for _, i := range p.nodes {
			w.values[in+i] = append(w.values[in+i], w.evaluate(i, lane))
		}
		for _, f := range folds {
			var from []string
			for _, k := range f.from {
				from = append(from, w.number(&w.values[k][lane]))
			}
			w.take(f, from, func() string {
				return w.make("r", "add.s32", k, fmt.Sprint(lane/w.Lanes*o.Threads*o.Group+lane%w.Lanes))
			})
		}
	}
	turn((*adder).end)
	for m := range many {
		for _, out := range p.stored {
			w.storeWide(w.region.Out[out].DType, at[m][in+out], w.values[in+of[w.region.Out[out].Step]][m*w.Lanes:][:w.Lanes])
		}
	}
}

// along returns the addresses of an index of the row.
func (w *writer) along(p *pass, t *ofRow, index string) []string {
	at, wide, in := slices.Clone(t.at), w.make("rd", "cvt.u64.u32", index), len(w.region.In)
	move := func(i int) {
		step := fmt.Sprint(w.dtypeOf(i).Size())
		if w.classes[i].kind == strided {
			step = w.strides[i][0]
		}
		at[i] = w.make("rd", "mad.lo.s64", wide, step, t.at[i])
	}
	for _, i := range p.in {
		move(i)
	}
	for _, out := range p.stored {
		move(in + out)
	}
	return at
}

// loadWide is load of w.Lanes elements, by as many instructions as these need.
func (w *writer) loadWide(i int, at string) []value {
	each := min(w.Lanes, vectorBytes/w.dtypeOf(i).Size())
	var all []value
	for first := 0; first < w.Lanes; first += each {
		all = append(all, w.load(i, offset(at, first*w.dtypeOf(i).Size()), each)...)
	}
	return all
}

// storeWide is store likewise.
func (w *writer) storeWide(dt dtype.DType, at string, lanes []value) {
	each := min(len(lanes), vectorBytes/dt.Size())
	for first := 0; first < len(lanes); first += each {
		w.store(dt, offset(at, first*dt.Size()), lanes[first:first+each])
	}
}

func offset(at string, bytes int) string {
	if bytes == 0 {
		return at
	}
	return fmt.Sprintf("%s+%d", at, bytes)
}
