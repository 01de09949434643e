package cpu

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// Kernels along one axis see each operand as lines: all elements along that axis, for each index of the others. A walk
// over the lines' first elements visits them all; those that it hands to different threads share no line.

// newLines returns the walk over the lines of operands along an axis; the first operand's other extents are visited.
func newLines(axis int, views ...*backend.View) *walk {
	heads := make([]*backend.View, len(views))
	for i, v := range views {
		head := *v
		head.Layout = new(v.Layout.Select(nil, axis, 0))
		heads[i] = &head
	}
	return newWalk(heads...)
}

// next moves to the following line of a tile.
func (w *walk) next(at *[layout.MaxOperands]int) {
	for k := range w.loop.N {
		at[k] += w.loop.InnerStep(k)
	}
}

func outOfBounds(bad int64, axis, extent int) error {
	return &backend.IndexError{Text: fmt.Sprintf("index %d is out of bounds for dimension %d with size %d", bad, axis, extent)}
}

// few is how many first elements are better picked than found by sorting all.
const few = 32

// sortLines writes the first elements of each sorted line, and where they were.
func sortLines[T dtype.Number](c *backend.Call) error {
	p := c.Params.(op.Order)
	values, indices, x := &c.Out()[0], &c.Out()[1], &c.In()[0]
	if values.Layout.Size() == 0 {
		return nil
	}
	axis := p.Axis
	n, k := x.Layout.Shape()[axis], values.Layout.Shape()[axis]
	v, from, src := data[T](values), data[int64](indices), data[T](x)
	vStep, fromStep, srcStep := values.Layout.Strides()[axis], indices.Layout.Strides()[axis], x.Layout.Strides()[axis]
	w := newLines(axis, values, indices, x)
	return kern.ForWithLoans(w.count, w.share(), n, func(lo, hi int, line, spare []kern.Sorted[T]) {
		w.tiles(lo, hi, func(at *[layout.MaxOperands]int, count int) {
			for range count {
				for i := range line {
					line[i] = kern.Sorted[T]{Value: src[at[2]+i*srcStep], From: int64(i)}
				}
				first := line[:k]
				if k <= few && k < n {
					first = spare[:k]
					kern.Top(first, line, p.Descending)
				} else {
					kern.Sort(line, spare, p.Descending)
				}
				for i, s := range first {
					v[at[0]+i*vStep], from[at[1]+i*fromStep] = s.Value, s.From
				}
				w.next(at)
			}
		})
	})
}
