package cpu

import (
	"sync"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/par"
)

// walk visits operands of one shape in tiles: stretches of the innermost axis, of at most chunk elements where one has to go
// through scratch. Tiles depend on the layouts alone, not on the number of threads.
type walk struct {
	loop   layout.Loop
	size   int
	inner  int // elements of a run
	tile   int // elements of a tile
	perRun int // tiles of a run
	count  int // tiles in all
}

// walks holds walks to be used again: they are large next to the work of a small op.
var walks = sync.Pool{New: func() any { return new(walk) }}

// newWalk returns the walk over the views, the result first. Constants take part with stride 0. Run ends its use.
func newWalk(views ...*backend.View) *walk {
	w := walks.Get().(*walk)
	if w.size = views[0].Layout.Size(); w.size == 0 {
		w.count = 0
		return w
	}
	var operands [layout.MaxOperands]*layout.Layout
	for i, v := range views {
		if !v.IsConst() {
			operands[i] = v.Layout
		}
	}
	w.loop.Init(operands[:len(views)]...)
	w.inner = w.loop.Inner()
	w.tile = chunk
	if w.isStraight() {
		w.tile = pieceOf(w.size)
	}
	w.perRun = (w.inner + w.tile - 1) / w.tile
	w.count = w.loop.Runs() * w.perRun
	return w
}

// isStraight reports whether the elements of each run lie side by side.
func (w *walk) isStraight() bool {
	for k := range w.loop.N {
		if w.loop.InnerStep(k) != 1 {
			return false
		}
	}
	return true
}

// run hands ranges of tiles to body, on several threads where the work is large. The walk must not be used afterwards.
func (w *walk) run(body func(lo, hi int)) {
	par.For(w.count, w.share(), body)
	walks.Put(w)
}

// share returns how many tiles are worth a thread.
func (w *walk) share() int {
	if w.size == 0 {
		return 1
	}
	return max(pieceOf(w.size)/max(w.size/w.count, 1), 1)
}

// tiles calls visit for each tile of [lo, hi) with the operands' storage offsets, which visit may change, and the number of
// elements.
func (w *walk) tiles(lo, hi int, visit func(at *[layout.MaxOperands]int, n int)) {
	if lo == hi {
		return
	}
	run, part := lo/w.perRun, lo%w.perRun
	start, at := w.corner(run, 0), [layout.MaxOperands]int{}
	for range hi - lo {
		first := part * w.tile
		for k := range w.loop.N {
			at[k] = start[k] + first*w.loop.InnerStep(k)
		}
		visit(&at, min(w.tile, w.inner-first))
		if part++; part == w.perRun {
			run, part = run+1, 0
			w.advance(&start, run)
		}
	}
}

// advance moves from the start of the run before to that of run, which need not be there.
func (w *walk) advance(start *[layout.MaxOperands]int, run int) {
	if w.loop.Rank > 1 && run%w.loop.Extents[w.loop.Rank-2] != 0 {
		w.down(start)
		return
	}
	*start = w.corner(run, 0)
}

// corner returns where the operands' elements lie at a column of a run, and down moves on by a run of the same matrix.
func (w *walk) corner(run, col int) (at [layout.MaxOperands]int) {
	for k := range w.loop.N {
		at[k] = w.loop.Start(k, run) + col*w.loop.InnerStep(k)
	}
	return at
}

func (w *walk) down(at *[layout.MaxOperands]int) {
	for k := range w.loop.N {
		at[k] += w.loop.Steps[k][w.loop.Rank-2]
	}
}

// skip moves on by n elements of a run.
func (w *walk) skip(at *[layout.MaxOperands]int, n int) {
	for k := range w.loop.N {
		at[k] += n * w.loop.InnerStep(k)
	}
}

// cursor reads or writes one operand of a walk.
type cursor[T dtype.Element] struct {
	data    []T
	operand int
	scratch []T
	filled  bool // scratch holds a constant
}

func newCursor[T dtype.Element](w *walk, v *backend.View, operand int) cursor[T] {
	c := cursor[T]{operand: operand}
	if !v.IsConst() {
		c.data = data[T](v)
		return c
	}
	c.scratch = make([]T, min(chunk, w.inner))
	c.filled = true
	fill(c.scratch, constant[T](v.Const))
	return c
}

// sides reports whether one of the two operands behind the result lies as that does, side by side, and the other repeats.
func (w *walk) sides() bool {
	x, y := w.loop.InnerStep(1), w.loop.InnerStep(2)
	return w.loop.InnerStep(0) == 1 && (x == 0 && y == 1 || x == 1 && y == 0)
}

// flat returns n elements of an operand that lie side by side or repeat.
func (c *cursor[T]) flat(w *walk, at *[layout.MaxOperands]int, n int) flat[T] {
	if c.filled {
		return flat[T]{value: c.scratch[0], repeated: true}
	}
	i := at[c.operand]
	if w.loop.InnerStep(c.operand) == 0 {
		return flat[T]{value: c.data[i], repeated: true}
	}
	return flat[T]{elems: c.data[i : i+n]}
}

func (c *cursor[T]) room(n int) []T {
	if len(c.scratch) < n {
		c.scratch = make([]T, n)
	}
	return c.scratch[:n]
}

// load returns n elements of the operand as a contiguous slice.
func (c *cursor[T]) load(w *walk, at *[layout.MaxOperands]int, n int) []T {
	if c.filled {
		return c.scratch[:n]
	}
	i, step := at[c.operand], w.loop.InnerStep(c.operand)
	if step == 1 {
		return c.data[i : i+n]
	}
	s := c.room(n)
	if step == 0 {
		fill(s, c.data[i])
		return s
	}
	takeEvery(s, c.data[i:], step)
	return s
}

// result returns where a loop writes n elements: the operand itself or, where that is strided, scratch for store.
func (c *cursor[T]) result(w *walk, at *[layout.MaxOperands]int, n int) []T {
	if w.loop.InnerStep(c.operand) == 1 {
		i := at[c.operand]
		return c.data[i : i+n]
	}
	return c.room(n)
}

// store puts a result that went to scratch in its place.
func (c *cursor[T]) store(w *walk, at *[layout.MaxOperands]int, d []T) {
	if step := w.loop.InnerStep(c.operand); step != 1 {
		putEvery(c.data[at[c.operand]:], step, d)
	}
}

// fill writes v to the first elements and copies those on, which the machine does in wide words.
func fill[T any](s []T, v T) {
	n := min(len(s), 32)
	for i := range s[:n] {
		s[i] = v
	}
	for n < len(s) {
		n += copy(s[n:], s[:min(n, chunk)])
	}
}
