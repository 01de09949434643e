package cpu

import (
	"sync"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/par"
)

// walk visits operands of one shape in tiles: stretches of the innermost axis of at most chunk elements. Tiles depend on
// the layouts alone, not on the number of threads.
type walk struct {
	loop   layout.Loop
	size   int
	inner  int // elements of a run
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
		operands[i] = v.Layout
		if v.IsConst() {
			l := layout.Of(views[0].Layout.Shape, zeros[:views[0].Layout.Rank()], 0)
			operands[i] = &l
		}
	}
	w.loop.Init(operands[:len(views)]...)
	w.inner = w.loop.Inner()
	w.perRun = (w.inner + chunk - 1) / chunk
	w.count = w.loop.Runs() * w.perRun
	return w
}

var zeros [layout.MaxRank]int

// run hands ranges of tiles to body, on several threads where the work is large. The walk must not be used afterwards.
func (w *walk) run(body func(lo, hi int)) {
	par.For(w.count, w.share(), body)
	walks.Put(w)
}

// share returns how many tiles are worth a thread.
func (w *walk) share() int {
	if w.size <= grain {
		return w.count
	}
	return max(grain/max(w.size/w.count, 1), 1)
}

// tiles calls visit for each tile of [lo, hi) with the operands' storage offsets and the number of elements.
func (w *walk) tiles(lo, hi int, visit func(at *[layout.MaxOperands]int, n int)) {
	var at [layout.MaxOperands]int
	for t := lo; t < hi; t++ {
		run, part := t/w.perRun, t%w.perRun
		first := part * chunk
		for k := range w.loop.N {
			at[k] = w.loop.Start(k, run) + first*w.loop.InnerStep(k)
		}
		visit(&at, min(chunk, w.inner-first))
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
	for k := range s {
		s[k] = c.data[i]
		i += step
	}
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
	step := w.loop.InnerStep(c.operand)
	if step == 1 {
		return
	}
	i := at[c.operand]
	for _, v := range d {
		c.data[i] = v
		i += step
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
