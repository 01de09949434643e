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
//	└─ keys and values of the head are packed once, as panels for the micro-kernel of products
//	   └─ queries are cut into blocks of queryTile rows
//	      └─ keys are cut into blocks of keyTile
//
// A block of queries meets a block of keys in a tile of scores, which the second cache level holds. Of each row the largest score
// and the sum of exponentials so far are kept (Milakov and Gimelshein, 2018; Dao et al., 2022): where a block of keys has a larger
// score, what has been added up is scaled down by e**(old - new). For the gradient the logarithm of each row's sum is kept, from
// which tiles are computed once more (attention_grad.go).
//
// Blocks of keys begin at multiples of keyTile, and a row knows nothing of the other rows of its block: bits do not depend on
// threads.

const (
	// queryTile is the rows of a tile of scores, nine tiles of the largest micro-kernel.
	queryTile = 126
	// keyTile is its columns: whole panels, and no power of two, or a column's elements would share a set of the first cache level.
	keyTile = 224
	// fewQueries are not worth a packed copy of keys and values, which are read once each: attention_decode/1x12x1024x64 takes a third of the
	// time so.
	fewQueries = 8
)

// Heads is an operand of attention, [batch, heads, rows, width] by its strides. The elements of a row lie side by side.
type Heads[T any] struct {
	Data             []T
	Batch, Head, Row int
}

func (h *Heads[T]) from(batch, head, row int) []T {
	return h.Data[batch*h.Batch+head*h.Head+row*h.Row:]
}

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
	Seed                          uint64 // of dropout
	LogSum                        []T    // of each row: log Σ e**score, ∞ where it sees no key
	oneRow                        bool   // the rows are heads of the same query
}

// Forward computes Out and LogSum.
func (a *Attention[T]) Forward() error {
	if a.Batch*a.Heads*a.Queries == 0 {
		return nil
	}
	a = a.joined()
	blocks := ceilDiv(a.Queries, queryTile)
	parts := partsOf(a.Batch*a.Heads, blocks)
	grain := grainOf(2 * ceilDiv(a.Queries, parts) * a.Keys * (a.Width + a.Outputs))
	return ForWithWorkspace(a.Batch*a.Heads*parts, grain, a.forwardSpace(), func(lo, hi int, space []T) {
		for i := lo; i < hi; i++ {
			w := a.worker(i/parts, space)
			first, last := blocks*(i%parts)/parts, blocks*(i%parts+1)/parts
			w.forward(first*queryTile, min(last*queryTile, a.Queries))
		}
	})
}

// joined returns the attention of one query in which the heads that share keys are rows of one head: keys are read once.
func (a *Attention[T]) joined() *Attention[T] {
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
	*Attention[T]
	batch, head, group int
	space              []T // what is left of the working memory
}

func (a *Attention[T]) worker(i int, space []T) attentionWorker[T] {
	w := attentionWorker[T]{Attention: a, batch: i / a.Heads, head: i % a.Heads, space: space}
	w.group = w.head / (a.Heads / a.Groups)
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
func (a *Attention[T]) direct() bool { return a.Queries <= fewQueries || panelCols[T]() == 0 }

func (a *Attention[T]) forwardSpace() int {
	rows := min(a.Queries, queryTile)
	n := room(rows*min(a.Keys, keyTile), rows*a.Width, rows*a.Outputs, rows, rows, rows)
	if !a.direct() {
		n = room(n, packedSize[T](a.Width, a.Keys), packedSize[T](a.Keys, a.Outputs))
	}
	return n
}

// running is what is known of the rows of a block after some blocks of keys.
type running[T dtype.Float] struct {
	most    []T // the largest score
	sum     [queryTile]float64
	out     []T // Σ e**(score-most)·v
	started bool
	tops    []T
	factors []T
	sums    [queryTile]float64
}

// forward computes the rows from first to last-1.
func (w *attentionWorker[T]) forward(first, last int) {
	k := Matrix[T]{Row: 1, Col: w.K.Row}
	v := Matrix[T]{Row: w.V.Row, Col: 1}
	var keys, values rightFactor[T]
	lo, hi := w.keysOf(first, last)
	lo = lo / keyTile * keyTile
	if lo < hi {
		k.Data, v.Data = w.headOf(&w.K, w.Width, lo), w.headOf(&w.V, w.Outputs, lo)
		keys, values = rightFactor[T]{Matrix: k}, rightFactor[T]{Matrix: v}
		if !w.direct() {
			keys.pack(w.take(packedSize[T](w.Width, hi-lo)), w.Width, hi-lo)
			values.pack(w.take(packedSize[T](hi-lo, w.Outputs)), hi-lo, w.Outputs)
		}
	}
	rows := min(w.Queries, queryTile)
	q, s := w.take(rows*w.Width), w.take(rows*min(w.Keys, keyTile))
	r := running[T]{most: w.take(rows), tops: w.take(rows), factors: w.take(rows), out: w.take(rows * w.Outputs)}
	for row := first; row < last; row += queryTile {
		m := min(queryTile, last-row)
		w.gather(q, &w.Q, w.Width, row, m, w.Scale)
		r.start(m)
		from, to := w.keysOf(row, row+m)
		for c := from / keyTile * keyTile; c < to; c += keyTile {
			n := min(keyTile, to-c)
			s := s[:m*n]
			keys.columns(c-lo, w.Width).multiply(m, n, w.Width, Matrix[T]{q, w.Width, 1}, s, n, false)
			w.cap(s)
			w.mask(s, row, m, c, n)
			r.meet(s, m, n, w.Outputs)
			if w.Keep < 1 {
				w.drop(s, row, m, c, n)
			}
			values.rows(c-lo).multiply(m, w.Outputs, n, Matrix[T]{s, n, 1}, r.out[:m*w.Outputs], w.Outputs, r.started)
			r.started = true
		}
		w.finish(&r, row, m)
	}
}

// headOf returns the head's part of an operand from a row on, nothing where its rows have no elements.
func (w *attentionWorker[T]) headOf(h *Heads[T], width, row int) []T {
	if width == 0 {
		return nil
	}
	return h.from(w.batch, w.group, row)
}

// gather copies rows of an operand that has a head for each of the queries', times scale, one after the other.
func (w *attentionWorker[T]) gather(dst []T, h *Heads[T], width, row, count int, by float64) {
	if width == 0 {
		return
	}
	for i := range count {
		copy(dst[i*width:][:width], h.from(w.batch, w.head, row+i))
	}
	scale(dst[:count*width], by)
}

func (r *running[T]) start(rows int) {
	r.started = false
	for i := range rows {
		r.most[i], r.sum[i] = T(math.Inf(-1)), 0
	}
}

// meet replaces a tile of scores by their exponentials, and scales what was added up before to the same largest score.
func (r *running[T]) meet(s []T, m, n, outputs int) {
	tops, factors := r.tops[:m], r.factors[:m]
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
	expRows(s, s, n, tops, r.sums[:m], s[:0])
	for i, sum := range r.sums[:m] {
		r.sum[i] = float64(r.sum[i]*float64(factors[i])) + sum
	}
	if changed && r.started && outputs > 0 {
		scaleRows(r.out[:m*outputs], outputs, factors)
	}
}

// finish writes the rows of a block.
func (w *attentionWorker[T]) finish(r *running[T], row, m int) {
	at := (w.batch*w.Heads+w.head)*w.Queries + row
	for i, sum := range r.sum[:m] {
		if sum == 0 {
			r.factors[i], w.LogSum[at+i] = 0, T(math.Inf(1))
			continue
		}
		r.factors[i] = T(1 / (sum * w.Keep))
		w.LogSum[at+i] = T(float64(r.most[i]) + math.Log(sum))
	}
	if w.Outputs == 0 {
		return
	}
	out := r.out[:m*w.Outputs]
	if r.started && w.Keep > 0 {
		scaleRows(out, w.Outputs, r.factors[:m])
	} else {
		clear(out)
	}
	for i := range m {
		copy(w.Out.from(w.batch, w.head, row+i)[:w.Outputs], out[i*w.Outputs:])
	}
}
