package cpu

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// Kernels along one axis see each operand as lines: all elements along that axis, for each index of the others.

// lines visits the lines of operands along an axis, those of the first operand's other extents.
type lines struct {
	loop  layout.Loop // over the first elements of lines
	count int
}

func (l *lines) init(axis int, views ...*backend.View) {
	var heads [layout.MaxOperands]*layout.Layout
	for i, v := range views {
		heads[i] = new(v.Layout.Select(nil, axis, 0))
	}
	l.loop.Init(heads[:len(views)]...)
	l.count = heads[0].Size()
}

// each calls visit with where the lines [lo, hi) of the operands start.
func (l *lines) each(lo, hi int, visit func(at *[layout.MaxOperands]int)) {
	var at [layout.MaxOperands]int
	for i := lo; i < hi; i++ {
		run, col := i/l.loop.Inner(), i%l.loop.Inner()
		for k := range l.loop.N {
			if i > lo && col > 0 {
				at[k] += l.loop.InnerStep(k)
			} else {
				at[k] = l.loop.Start(k, run) + col*l.loop.InnerStep(k)
			}
		}
		visit(&at)
	}
}

func outOfBounds(bad int64, axis, extent int) error {
	return &backend.IndexError{Text: fmt.Sprintf("index %d is out of bounds for dimension %d with size %d", bad, axis, extent)}
}

// few is how many first elements are better picked one after the other than selected together.
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
	var l lines
	l.init(axis, values, indices, x)
	return kern.ForWithWorkspaces(l.count, max(grain/n, 1), n, func(lo, hi int, line, spare []kern.Ordered) {
		l.each(lo, hi, func(at *[layout.MaxOperands]int) {
			first := line[:k]
			if k <= few && k < n {
				kern.Top(first, src[at[2]:], n, srcStep, p.Descending)
			} else {
				kern.Keys(line, src[at[2]:], srcStep, p.Descending)
				if k < n { // top100/128x1000 takes less than half the time so
					kern.Select(line, spare, k, of[T]().Size())
				}
				kern.Sort(first, spare, of[T]().Size())
			}
			for i, s := range first {
				v[at[0]+i*vStep], from[at[1]+i*fromStep] = src[at[2]+int(s.From)*srcStep], s.From
			}
		})
	})
}
