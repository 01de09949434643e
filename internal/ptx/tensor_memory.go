package ptx

import "fmt"

// tensorMemory is what a block's products by tcgen05 add into: 128 lanes of 512 columns of 32 bits. Columns are allocated, and followed as shared
// memory is (watch.go): the tensor cores are an agent, tcgen05.commit hands on what they did, and what passes a barrier counts only between
// tcgen05.fence::before_thread_sync on one side and ::after_thread_sync on the other. What products read in shared memory lies behind the latter too.
type tensorMemory struct {
	words        [tensorLanes][tensorColumns]uint32
	allocated    []tensorRoom
	relinquished bool
	columns      [tensorColumns]tensorColumn
	read         [][]uint32      // when each agent read a column, nil for those that never did
	issued       []tensorProduct // that no tcgen05.commit has followed
	rows         [tensorLanes + 256]operandRow
}

const (
	tensorLanes   = 128
	tensorColumns = 512
	tensorUnit    = 32 // columns: the least that is allocated
)

// tensorRoom is allocated columns.
type tensorRoom struct{ first, columns int }

// tensorColumn is what is known of a column.
type tensorColumn struct {
	when    uint32 // the products into it ended; 0 for never
	by      int    // the agent that issued the last one
	pending int    // products that have not ended
	loading int    // tcgen05.ld of it that have not been waited for
}

// start makes the memory ready for a block.
func (m *tensorMemory) start(agents int) {
	m.allocated, m.relinquished, m.issued = m.allocated[:0], false, m.issued[:0]
	m.columns = [tensorColumns]tensorColumn{}
	if m.read == nil {
		m.read = make([][]uint32, agents)
	}
	clear(m.read)
}

// free finds the last room for so many columns, so that code which takes its address for 0 is found; -1 where there is none.
func (m *tensorMemory) free(columns int) int {
	for first := tensorColumns - columns; first >= 0; first -= tensorUnit {
		if !m.taken(first, columns) {
			return first
		}
	}
	return -1
}

func (m *tensorMemory) taken(first, columns int) bool {
	for _, r := range m.allocated {
		if first < r.first+r.columns && r.first < first+columns {
			return true
		}
	}
	return false
}

// holds tells what is wrong with columns that an instruction names; "" is nothing.
func (m *tensorMemory) holds(first, columns int) string {
	for _, r := range m.allocated {
		if first >= r.first && first+columns <= r.first+r.columns {
			return ""
		}
	}
	return fmt.Sprintf("columns %d to %d of tensor memory are not in one allocation", first, first+columns-1)
}

// fill poisons columns with NaN.
func (m *tensorMemory) fill(first, columns int) {
	for lane := range m.words {
		row := m.words[lane][first:][:columns]
		for i := range row {
			row[i] = allLanes
		}
	}
	for i := first; i < first+columns; i++ {
		m.columns[i] = tensorColumn{}
		for _, row := range m.read {
			if row != nil {
				row[i] = 0
			}
		}
	}
}

// beforeSync and afterSync are tcgen05.fence: they put the warp's accesses to tensor memory before a barrier that follows, and behind one
// that it has waited for.
func (w *warp) beforeSync() {
	t, a := w.b.gang.watch, w.agent()
	t.known[a].ordered[a] = t.now
	t.now++
}

func (w *warp) afterSync() {
	t := w.b.gang.watch
	if w.behind.seen == nil {
		w.behind = t.blank()
	}
	w.behind.join(&t.known[w.agent()])
}

// Problems of an access to tensor memory, beside those to shared memory.
const (
	readsUnwritten = "no product has been added up there"
	readsProduct   = "a product into it has not been waited for"
	writesLoading  = "tcgen05.ld still reads it: no tcgen05.wait::ld stands between"
	fencedBefore   = "no tcgen05.fence::before_thread_sync stands between the access by %s and the barrier"
	fencedBehind   = "no tcgen05.fence::after_thread_sync stands between the barrier and this"
)

// tensorBehind tells what keeps a warp from coming behind what an agent did at a time: all is known once a barrier was passed, and counts between
// fences.
func (w *warp) tensorBehind(who int, when uint32, unordered string) (problem string) {
	t := w.b.gang.watch
	k := &t.known[w.agent()]
	switch {
	case who == w.agent() || when <= t.start:
		return noProblem
	case k.seen[who] < when:
		return unordered
	case k.ordered[who] < when:
		return fencedBefore
	case !w.isBehind(who, when):
		return fencedBehind
	}
	return noProblem
}

// isBehind reports whether tcgen05.fence::after_thread_sync has put the warp behind what an agent did at a time.
func (w *warp) isBehind(who int, when uint32) bool {
	return who == w.agent() || w.behind.seen != nil && w.behind.seen[who] >= when
}

// readsColumn tells what is wrong with a read of a column; products of one warp end in their order, and need not wait for each other.
func (w *warp) readsColumn(i int, ordered bool) (problem string, who int) {
	c, core := &w.b.tensor.columns[i], w.b.core()
	switch {
	case ordered && c.by == w.agent() && (c.pending > 0 || c.when > 0):
		return noProblem, 0
	case c.pending > 0:
		return readsProduct, core
	case c.when == 0:
		return readsUnwritten, core
	}
	return w.tensorBehind(core, c.when, readsProduct), core
}

// writesColumn tells what is wrong with a write to a column: other warps may read it.
func (w *warp) writesColumn(i int) (problem string, who int) {
	m := w.b.tensor
	if m.columns[i].loading > 0 {
		return writesLoading, unknownAgent
	}
	for agent, row := range m.read {
		if row == nil || row[i] == 0 {
			continue
		}
		if problem := w.tensorBehind(agent, row[i], writesRead); problem != noProblem {
			return problem, agent
		}
	}
	return noProblem, 0
}

// tensorRace is the fault of an access to a column.
func (w *warp) tensorRace(mask uint32, column int, problem string, who int) *Fault {
	f := w.fault(DataRace, mask)
	f.Detail = fmt.Sprintf("column %d of tensor memory: %s", column, w.b.gang.watch.explain(problem, who))
	return f
}

// tensorLeft finds columns that a block which ends has not given back, and commits that it has not waited for.
func (b *block) tensorLeft(w *warp) *Fault {
	if b.tensor != nil && len(b.tensor.allocated) > 0 {
		return w.misuse(0, "the block ends with %d columns of tensor memory", b.tensor.allocated[0].columns)
	}
	for i := range b.gang.commits {
		if c := &b.gang.commits[i]; c.block == b {
			f := c.by.faultAt(DataRace, c.pc, 1<<c.lane)
			f.Detail = fmt.Sprintf("block %s ends and has not waited for these products", triple(b.id))
			return f
		}
	}
	return nil
}
