package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/op"
	"cresset/internal/par"
)

// How attention runs, softmax(scale·Q·Kᵀ + mask)·V, without a matrix of all scores:
//
//	heads, and parts of their queries, are shared among threads
//	└─ keys and values of the head are packed, as panels for the micro-kernel of products: all, or runs of those that fill packedBytes
//	   └─ queries are cut into blocks of queryTile rows, under AMX amxQueryTile
//	      └─ keys are cut into blocks of keyTile
//
// Where there are several runs, each is packed once for heldBlocks blocks of queries.
//
// A block of queries meets a block of keys in a tile of scores, which the second cache level holds. Of each row the largest score
// and the sum of exponentials so far are kept (Milakov and Gimelshein, 2018; Dao et al., 2022): where a block of keys has a larger
// score, what has been added up is scaled down by e**(old - new). For the gradient the logarithm of each row's sum is kept, from
// which tiles are computed once more (attention_grad.go).
//
// Blocks of keys begin at multiples of keyTile, and a row knows nothing of the other rows of its block: bits do not depend on
// threads.

const (
	// queryTile is the rows of a tile of scores, nine tiles of the largest micro-kernel, amxQueryTile two of AMX's: attention_causal_bf16/4x8x512x64 takes
	// a fifth less time than with four, of which masked scores are more.
	queryTile, amxQueryTile = 126, 64
	// keyTile is its columns: whole panels, and no power of two, or a column's elements would share a set of the first cache level.
	keyTile = 224
	// fewQueries are not worth a packed copy of keys and values, which are read once each: attention_decode/1x12x1024x64 takes a third of the
	// time so.
	fewQueries = 8
	// packedBytes bounds what all threads together have packed, so that more threads do not need more memory.
	packedBytes = 64 << 20
	// heldBlocks meet a run of keys one after the other, which makes packing it little work beside theirs.
	heldBlocks = 8
)

// Heads is an operand of attention, [batch, heads, rows, width] by its strides. The elements of a row are contiguous.
type Heads[T any] struct {
	Data             []T
	Halves           []dtype.BF16 // instead of Data where AttendsOnAMX
	Batch, Head, Row int
}

func (h *Heads[T]) from(batch, head, row int) []T { return h.Data[h.at(batch, head, row):] }

func (h *Heads[T]) at(batch, head, row int) int { return batch*h.Batch + head*h.Head + row*h.Row }

// AttentionMask is what scores meet, by its strides: either Allow tells which keys a query sees, or Add is added.
type AttentionMask[T dtype.Float] struct {
	Allow                   []bool
	Add                     []T
	Batch, Head, Row, Place int
}

// Attention is one call, of Queries rows of Q against Keys rows of K and V. Each of the Groups heads of K and V is shared by
// Heads/Groups heads of Q that follow each other.
type Attention[T dtype.Float] struct {
	op.Attend
	Batch, Heads, Groups          int
	Queries, Keys, Width, Outputs int // Outputs is the width of V
	Q, K, V, Out                  Heads[T]
	Mask                          *AttentionMask[T]
	Kept                          []bool              // what dropout leaves of the softmax, [Batch, Heads, Queries, Keys]
	Places                        func(batch int) int // what is added to First for the queries of one of the batch; nil: nothing
	LogSum                        []T                 // of each row: log Σ e**score, ∞ where it sees no key
	oneRow                        bool                // the rows are heads of the same query
}

// AttentionForward computes Out and LogSum.
func AttentionForward[T dtype.Float](a *Attention[T]) error { return (*attention[T])(a).forward() }

// attention has the methods that Attention lacks, so that a package which makes a call does not compile them again.
type attention[T dtype.Float] Attention[T]

func (a *attention[T]) forward() error {
	if a.Batch*a.Heads*a.Queries == 0 {
		return nil
	}
	a = a.joined()
	tile := a.queryTile()
	blocks := ceilDiv(a.Queries, tile)
	parts := partsOf(a.Batch*a.Heads, blocks)
	grain := grainOf(2 * ceilDiv(a.Queries, parts) * a.Keys * (a.Width + a.Outputs))
	run := a.run()
	return ForWithWorkspace(a.Batch*a.Heads*parts, grain, a.forwardSpace(run), func(lo, hi int, space []T) {
		var w forwardWorker[T]
		for i := lo; i < hi; i++ {
			w.attentionWorker, w.first, w.end = a.worker(i/parts, space), 0, 0
			first, last := blocks*(i%parts)/parts, blocks*(i%parts+1)/parts
			w.forward(first*tile, min(last*tile, a.Queries), run)
		}
	})
}

// joined returns the attention of one query in which the heads that share keys are rows of one head: keys are read once.
func (a *attention[T]) joined() *attention[T] {
	shared := a.Heads / max(a.Groups, 1)
	if a.Queries > 1 || shared == 1 {
		return a
	}
	j := *a
	j.Heads, j.Queries, j.oneRow = a.Groups, shared, true
	for _, h := range []*Heads[T]{&j.Q, &j.Out} {
		h.Row, h.Head = h.Head, h.Head*shared
	}
	if a.Mask != nil {
		m := *a.Mask
		m.Row, m.Head = m.Head, m.Head*shared
		j.Mask = &m
	}
	return &j
}

// partsOf returns into how many parts the blocks of each head are divided, so that threads have as much to do as each other.
func partsOf(heads, blocks int) int {
	threads := par.NumThreads()
	if heads%threads == 0 || heads >= 8*threads {
		return 1
	}
	return min(blocks, ceilDiv(4*threads, heads))
}

// attentionWorker is a thread's work at a head.
type attentionWorker[T dtype.Float] struct {
	*attention[T]
	batch, head, group int
	space              []T // what is left of the working memory
}

func (a *attention[T]) worker(i int, space []T) attentionWorker[T] {
	w := attentionWorker[T]{attention: a, batch: i / a.Heads, head: i % a.Heads, space: space}
	w.group = w.head / (a.Heads / a.Groups)
	if a.Places != nil {
		own := *a
		own.First += a.Places(w.batch)
		w.attention = &own
	}
	return w
}

// lineElems is how many elements fill whole cache lines, where slices of working memory begin.
const lineElems = 16

// room returns how many elements slices of some sizes take together, or the largest int where that overflows.
func room(sizes ...int) int {
	n := uint(0)
	for _, size := range sizes {
		n += (uint(size) + lineElems - 1) / lineElems * lineElems
	}
	return int(min(n, math.MaxInt))
}

// take returns n elements of the working memory.
func (w *attentionWorker[T]) take(n int) []T {
	s := w.space[:n:n]
	w.space = w.space[room(n):]
	return s
}

// direct reports whether products read K and V where they are.
func (a *attention[T]) direct() bool {
	return !a.onAMX() && (a.Queries <= fewQueries || panelCols[T]() == 0)
}

// run returns how many keys are packed at a time, whole blocks: all where that is little, or where products read them in place, one
// where it meets one block of queries.
func (a *attention[T]) run() int {
	blocks := ceilDiv(a.Keys, keyTile)
	if a.onAMX() && a.Queries <= amxQueryTile {
		return keyTile
	}
	if !a.direct() {
		tile := a.panelsSize(a.Width, keyTile) + a.panelsSize(keyTile, a.Outputs)
		blocks = min(blocks, max(1, packedBytes/dtype.Of[T]().Size()/par.NumThreads()/max(tile, 1)))
	}
	return max(blocks, 1) * keyTile
}

func (a *attention[T]) forwardSpace(run int) int {
	rows := min(a.Queries, a.queryTile())
	held := 1
	if run < a.Keys {
		held = heldBlocks
	}
	n := room(rows*a.rowOfScores(min(a.Keys, keyTile)), a.queriesSize(rows), rows, rows, volume(held, room(rows*a.Outputs, rows)))
	if !a.direct() {
		run = min(run, a.Keys)
		n = room(n, a.panelsSize(a.Width, run), a.panelsSize(run, a.Outputs), a.weightsSize(rows), a.tailSize())
	}
	return n
}

// running is what is known of the rows of a block after some blocks of keys.
type running[T dtype.Float] struct {
	most    []T // the largest score
	sum     [queryTile]float64
	out     []T // Σ e**(score-most)·v
	started bool
}

// forwardWorker is a thread's work at the rows of a head.
type forwardWorker[T dtype.Float] struct {
	attentionWorker[T]
	keys, values  rightFactor[T]
	first, end    int // of the keys that the factors hold
	panels        [2][]T
	q, s          []T
	amx           amxAttention[T]
	tops, factors []T
	sums          [queryTile]float64
	blocks        [heldBlocks]running[T]
}

// forward computes the rows from first to last-1, with run keys packed at a time.
func (w *forwardWorker[T]) forward(first, last, run int) {
	tile := w.queryTile()
	lo, hi := w.keysOf(first, last)
	lo = lo / keyTile * keyTile
	held := 1
	if hi-lo > run {
		held = heldBlocks
	}
	w.divide(held, min(run, w.Keys))
	for row := first; row < last; row += held * tile {
		end := min(row+held*tile, last)
		if held > 1 {
			lo, hi = w.keysOf(row, end)
			lo = lo / keyTile * keyTile
		}
		for b := range held {
			w.blocks[b].start()
		}
		for key := lo; key < hi; key += run {
			w.hold(key, min(key+run, hi))
			for at := row; at < end; at += tile {
				w.meet(&w.blocks[(at-row)/tile], at, min(tile, end-at))
			}
		}
		for at := row; at < end; at += tile {
			w.finish(&w.blocks[(at-row)/tile], at, min(tile, end-at))
		}
	}
}

// divide divides the working memory.
func (w *forwardWorker[T]) divide(held, run int) {
	rows := min(w.Queries, w.queryTile())
	w.q, w.s, w.tops, w.factors = w.take(w.queriesSize(rows)), w.take(rows*w.rowOfScores(min(w.Keys, keyTile))), w.take(rows), w.take(rows)
	for b := range held {
		w.blocks[b].most, w.blocks[b].out = w.take(rows), w.take(rows*w.Outputs)
	}
	if !w.direct() {
		w.panels = [2][]T{w.take(w.panelsSize(w.Width, run)), w.take(w.panelsSize(run, w.Outputs))}
		w.amx.weights, w.amx.tail = w.take(w.weightsSize(rows)), w.take(w.tailSize())
	}
}

// hold makes the factors those of the keys from first to end-1.
func (w *forwardWorker[T]) hold(first, end int) {
	if w.first == first && w.end == end {
		return
	}
	w.first, w.end = first, end
	if w.onAMX() {
		w.keys.packHalves(w.panels[0], w.halvesOf(&w.K, first).Transposed(), w.Width, end-first)
		w.values.packHalves(w.panels[1], w.halvesOf(&w.V, first), end-first, w.Outputs)
		return
	}
	w.keys = rightFactor[T]{Matrix: Matrix[T]{w.headOf(&w.K, w.Width, first), 1, w.K.Row}}
	w.values = rightFactor[T]{Matrix: Matrix[T]{w.headOf(&w.V, w.Outputs, first), w.V.Row, 1}}
	if !w.direct() {
		w.keys.pack(w.panels[0], w.Width, end-first)
		w.values.pack(w.panels[1], end-first, w.Outputs)
	}
}

// meet adds to a block of m rows what they get from the keys at hand.
func (w *forwardWorker[T]) meet(r *running[T], row, m int) {
	from, to := w.keysOf(row, row+m)
	from, to = max(from/keyTile*keyTile, w.first), min(to, w.end)
	if from >= to {
		return
	}
	if w.onAMX() {
		w.packQueries(row, m)
	} else {
		w.gather(w.q, &w.Q, w.Width, row, m, w.Scale)
	}
	for c := from; c < to; c += keyTile {
		n := min(keyTile, to-c)
		apart := w.rowOfScores(n)
		s := w.s[:m*apart]
		w.score(s, m, c, n)
		w.cap(s)
		w.mask(s, row, m, c, n)
		w.exponentials(r, s, m, apart)
		if w.Keep < 1 {
			w.drop(s, row, m, c, n)
		}
		w.weigh(r, s, m, c, n)
		r.started = true
	}
}

// score computes a tile of scores, of the queries at hand and n keys from c on.
func (w *forwardWorker[T]) score(s []T, m, c, n int) {
	keys := w.keys.columns(c - w.first)
	if w.onAMX() {
		w.scoreOnAMX(keys, s, w.rowOfScores(n))
		return
	}
	keys.multiply(m, n, w.Width, Matrix[T]{w.q, w.Width, 1}, s, n, false)
}

// weigh adds to rows the values that n keys from c on have, by the weights of a tile.
func (w *forwardWorker[T]) weigh(r *running[T], s []T, m, c, n int) {
	values, out := w.values.rows(c-w.first), r.out[:m*w.Outputs]
	if w.onAMX() {
		w.weighOnAMX(values, s, m, c, n, out, r.started)
		return
	}
	values.multiply(m, w.Outputs, n, Matrix[T]{s, n, 1}, out, w.Outputs, r.started)
}

func (r *running[T]) start() {
	r.started = false
	fillWith(r.most, T(math.Inf(-1)))
	clear(r.sum[:])
}

// exponentials replaces a tile of scores by them, and scales what was added up before to the same largest score.
func (w *forwardWorker[T]) exponentials(r *running[T], s []T, m, n int) {
	tops, factors := w.tops[:m], w.factors[:m]
	topRows(s, n, tops)
	changed := false
	for i, top := range tops {
		factors[i] = 1
		if old := r.most[i]; top > old {
			factors[i] = T(math.Exp(float64(old) - float64(top)))
			r.most[i] = top
			changed = true
		}
		tops[i] = r.most[i]
		if math.IsInf(float64(tops[i]), -1) { // no score is above -∞: each counts as nothing
			tops[i] = 0
		}
	}
	expRows(s, s, n, tops, w.sums[:m], s[:0])
	for i, sum := range w.sums[:m] {
		r.sum[i] = float64(r.sum[i]*float64(factors[i])) + sum
	}
	if changed && r.started && w.Outputs > 0 {
		scaleRows(r.out[:m*w.Outputs], w.Outputs, factors)
	}
}

// finish writes the rows of a block.
func (w *forwardWorker[T]) finish(r *running[T], row, m int) {
	at := (w.batch*w.Heads+w.head)*w.Queries + row
	for i, sum := range r.sum[:m] {
		if sum == 0 {
			w.factors[i], w.LogSum[at+i] = 0, T(math.Inf(1))
			continue
		}
		w.factors[i] = T(1 / (sum * w.Keep))
		w.LogSum[at+i] = T(float64(r.most[i]) + math.Log(sum))
	}
	if w.Outputs == 0 {
		return
	}
	out := r.out[:m*w.Outputs]
	if r.started && w.Keep > 0 {
		scaleRows(out, w.Outputs, w.factors[:m])
	} else {
		clear(out)
	}
	w.Out.store(w.batch, w.head, row, m, out)
}
