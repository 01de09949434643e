package ptx

import (
	"fmt"
	"strings"
)

// watch follows which warps of a gang know of one another's accesses to shared memory, so that an access that only luck puts
// behind another one is a fault, whatever order the warps ran in.
//
// Agents are the warps of each block, its warpgroups, its tensor cores and the TMA. Time is counted in releases. seen[a][b] is the
// time up to which agent a knows what agent b did: barriers hand it on. fenced is the same of b's fences between the generic
// and the asynchronous proxy, and ordered of those before a barrier for tensor memory.
type watch struct {
	now    uint32
	start  uint32 // what happened up to then is of other blocks
	per    int    // agents of a block
	known  []knowledge
	blocks []*block
	tensor bool // they have tensor memory
}

// knowledge is what an agent knows, or what has been left at a barrier for others.
type knowledge struct{ seen, fenced, ordered []uint32 }

func newWatch(g *gang) *watch {
	warps := len(g.blocks[0].warps)
	w := &watch{per: warps + (warps+3)/4 + 2, blocks: g.blocks, tensor: g.blocks[0].tensor != nil}
	w.known = make([]knowledge, w.per*len(g.blocks))
	for i := range w.known {
		w.known[i] = w.blank()
	}
	for _, b := range g.blocks {
		b.shadow = newShadow(len(w.known), len(b.shared))
	}
	return w
}

func (t *watch) blank() knowledge {
	n := len(t.known)
	k := knowledge{seen: make([]uint32, n), fenced: make([]uint32, n)}
	if t.tensor {
		k.ordered = make([]uint32, n)
	}
	return k
}

// begin starts a gang of blocks: what is known of earlier ones counts for nothing.
func (t *watch) begin() {
	if t.now > 1<<31 {
		t.restart()
	}
	t.now++
	t.start = t.now
	t.now++
	for _, b := range t.blocks {
		clear(b.shadow.reading) // of a launch that failed
	}
}

// restart sets the clock back before it overflows.
func (t *watch) restart() {
	t.now = 0
	for i := range t.known {
		t.known[i].forget()
	}
	for _, b := range t.blocks {
		clear(b.shadow.wrote)
		clear(b.shadow.read)
	}
}

// join adds what another knows.
func (k *knowledge) join(o *knowledge) {
	for i, v := range o.seen {
		k.seen[i] = max(k.seen[i], v)
	}
	for i, v := range o.fenced {
		k.fenced[i] = max(k.fenced[i], v)
	}
	for i, v := range o.ordered {
		k.ordered[i] = max(k.ordered[i], v)
	}
}

func (k *knowledge) forget() {
	clear(k.seen)
	clear(k.fenced)
	clear(k.ordered)
}

// agent returns the number of the warp among the agents.
func (w *warp) agent() int { return w.b.rank*w.b.gang.watch.per + w.index }

// group returns the number of the warp's group of four.
func (w *warp) group() int {
	return w.b.rank*w.b.gang.watch.per + len(w.b.warps) + w.index/4
}

// core returns the number of the tensor cores as an agent of the block, for products by tcgen05.
func (b *block) core() int { return b.engine() - 1 }

// engine returns the number of the TMA as an agent of the block.
func (b *block) engine() int { return (b.rank+1)*b.gang.watch.per - 1 }

// release leaves what the warp has done and knows.
func (w *warp) release(to *knowledge) {
	t := w.b.gang.watch
	if t == nil {
		return
	}
	if to.seen == nil {
		*to = t.blank()
	}
	a := w.agent()
	t.known[a].seen[a] = t.now
	to.join(&t.known[a])
	t.now++
}

// acquire takes what others have left.
func (w *warp) acquire(from *knowledge) {
	if t := w.b.gang.watch; t != nil && from.seen != nil {
		t.known[w.agent()].join(from)
	}
}

// fence is fence.proxy.async: what the warp has written is ready for the asynchronous proxy.
func (w *warp) fence() {
	if t := w.b.gang.watch; t != nil {
		a := w.agent()
		t.known[a].fenced[a] = t.now
		t.now++
	}
}

// initFence is fence.mbarrier_init: the barriers that the warp has made are ready for copies and for other blocks.
func (w *warp) initFence() {
	if t := w.b.gang.watch; t != nil {
		w.madeReady = t.now
		t.now++
	}
}

// shadow is what is known of a block's shared memory, for each 4 bytes of it.
type shadow struct {
	wrote   []stamp
	read    [][]uint32 // when each agent read, nil for those that never did
	reading []uint16   // asynchronous reads in flight
}

// stamp is a write.
type stamp struct {
	when uint32
	who  uint16
	how  writing
}

type writing uint8

const (
	byThread writing = iota
	byEngine         // an asynchronous copy that has ended
	inFlight         // one that has not
)

func newShadow(agents, bytes int) *shadow {
	words := (bytes + 3) / 4
	return &shadow{make([]stamp, words), make([][]uint32, agents), make([]uint16, words)}
}

// Problems of an access to shared memory; "" is none.
const (
	readsInFlight  = "an asynchronous copy into it has not been waited for"
	readsUnordered = "no barrier stands between this and the write by %s"
	writesRead     = "no barrier stands between this and the read by %s"
	writesInFlight = "an asynchronous copy into it is in flight"
	writesReading  = "an asynchronous instruction still reads it"
	readsUnfenced  = "no fence.proxy.async stands between the write by %s and this read by the asynchronous proxy"
	unknownAgent   = -1
	noProblem      = ""
)

// reads notes that agent a reads a word.
func (t *watch) reads(s *shadow, a, word int) (problem string, who int) {
	at := &s.wrote[word]
	if at.when > t.start {
		switch {
		case at.how == inFlight:
			return readsInFlight, unknownAgent
		case int(at.who) != a && t.known[a].seen[at.who] < at.when:
			return readsUnordered, int(at.who)
		}
	}
	t.noteRead(s, a, word)
	return noProblem, 0
}

// readsAsync is reads by the asynchronous proxy for agent a, which has to come behind a fence of who wrote.
func (t *watch) readsAsync(s *shadow, a, word int) (problem string, who int) {
	at := &s.wrote[word]
	if at.when <= t.start {
		return noProblem, 0
	}
	switch k := &t.known[a]; {
	case at.how == inFlight:
		return readsInFlight, unknownAgent
	case int(at.who) != a && k.seen[at.who] < at.when:
		return readsUnordered, int(at.who)
	case at.how == byThread && k.fenced[at.who] < at.when:
		return readsUnfenced, int(at.who)
	}
	return noProblem, 0
}

// noteRead notes a read by agent a that has ended now.
func (t *watch) noteRead(s *shadow, a, word int) {
	if s.read[a] == nil {
		s.read[a] = make([]uint32, len(s.wrote))
	}
	s.read[a][word] = t.now
}

// mayWrite tells what is wrong with a write by agent a.
func (t *watch) mayWrite(s *shadow, a, word int) (problem string, who int) {
	switch at := &s.wrote[word]; {
	case at.when > t.start && at.how == inFlight:
		return writesInFlight, unknownAgent
	case s.reading[word] > 0:
		return writesReading, unknownAgent
	}
	seen := t.known[a].seen
	for b, row := range s.read {
		if row != nil && b != a && row[word] > t.start && seen[b] < row[word] {
			return writesRead, b
		}
	}
	return noProblem, 0
}

// lock keeps a chunk of 16 bytes from being written while the asynchronous proxy reads it, until endRead.
func (s *shadow) lock(at uint32) {
	for word := at / 4; word < at/4+4; word++ {
		s.reading[word]++
	}
}

// endRead notes that agent a has read a chunk that was locked.
func (t *watch) endRead(s *shadow, a int, at uint32) {
	for word := int(at / 4); word < int(at/4)+4; word++ {
		s.reading[word]--
		t.noteRead(s, a, word)
	}
}

// writes notes that agent a writes a word.
func (t *watch) writes(s *shadow, a, word int) (problem string, who int) {
	if problem, who = t.mayWrite(s, a, word); problem == noProblem {
		s.wrote[word] = stamp{t.now, uint16(a), byThread}
	}
	return problem, who
}

// watchShared follows a request to shared memory of the warp's own block.
func (w *warp) watchShared(m *access, mask uint32) *Fault {
	size := uint64(m.total())
	for left := mask; left != 0; left &= left - 1 {
		lane := trailing(left)
		if w.addr[lane]+size > uint64(len(w.b.shared)) || w.addr[lane]+size < size {
			continue // a fault of its own
		}
		if f := w.watchRange(w.b, m, lane, w.addr[lane], size); f != nil {
			return f
		}
	}
	return nil
}

// watchRange follows one lane's access to size bytes at an offset of a block's shared memory.
func (w *warp) watchRange(of *block, m *access, lane int, at, size uint64) *Fault {
	t, a := w.b.gang.watch, w.agent()
	step := t.reads
	if m.write {
		step = t.writes
	}
	for word := at / 4; word < (at+size+3)/4; word++ {
		if problem, who := step(of.shadow, a, int(word)); problem != noProblem {
			if m.write && size < 4 && problem == writesRead {
				continue // the neighbour in the same word
			}
			return w.race(m, lane, problem, who)
		}
	}
	return nil
}

// race is the fault of an access that nothing orders.
func (w *warp) race(m *access, lane int, problem string, who int) *Fault {
	f := w.badAccess(DataRace, m, lane)
	f.Detail = w.b.gang.watch.explain(problem, who)
	return f
}

// explain names the agent that a problem is about.
func (t *watch) explain(problem string, who int) string {
	if who == unknownAgent || !strings.Contains(problem, "%s") {
		return problem
	}
	name := "the TMA"
	switch warps := len(t.blocks[0].warps); {
	case who%t.per < warps:
		name = fmt.Sprintf("warp %d", who%t.per)
	case who%t.per == t.per-2:
		name = "the tensor cores"
	case who%t.per < t.per-2:
		name = fmt.Sprintf("the group of warp %d", 4*(who%t.per-warps))
	}
	if len(t.blocks) > 1 {
		name += fmt.Sprintf(" of block %s", triple(t.blocks[who/t.per].id))
	}
	return fmt.Sprintf(problem, name)
}
