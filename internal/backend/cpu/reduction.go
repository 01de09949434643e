package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/op"
	"cresset/internal/par"
)

func (t *table) addReductions() {
	addSum[int64, uint8](t)
	addSum[int64, int8](t)
	addSum[int64, int16](t)
	addSum[int64, int32](t)
	addSum[int64, int64](t)
	addSum[float32, float32](t)
	addSum[float64, float64](t)
}

func addSum[D, S dtype.Number](t *table) {
	kernel := reduce(kern.SumMiddle[D, S])
	t[op.Sum][dtype.Of[S]()], t[op.SumAxes][dtype.Of[S]()] = kernel, kernel
}

// reduce lifts a loop over [outer][n][inner] to any axes and layout. A call without parameters reduces all axes.
func reduce[D, S dtype.Element](loop func(dst []D, src []S, outer, n, inner int)) Kernel {
	return func(c *backend.Call) error {
		out, in := &c.Out()[0], &c.In()[0]
		axes := ^uint32(0)
		if p, ok := c.Params.(op.Reduce); ok {
			axes = p.Axes
		}
		m := middleOf[S](in, axes)
		dst := dense[D](out) // results of reductions are fresh
		perOuter := m.n * m.inner
		if len(m.src) <= grain || m.outer == 1 {
			loop(dst, m.src, m.outer, m.n, m.inner)
			return nil
		}
		par.For(m.outer, max(grain/max(perOuter, 1), 1), func(lo, hi int) {
			loop(dst[lo*m.inner:hi*m.inner], m.src[lo*perOuter:hi*perOuter], hi-lo, m.n, m.inner)
		})
		return nil
	}
}

// middle is an operand seen as [outer][n][inner], of which n is reduced.
type middle[T dtype.Element] struct {
	src             []T
	outer, n, inner int
}

// middleOf brings the reduced axes together: they stay in place where they are neighbours in a contiguous operand, else
// a copy moves them to the back.
func middleOf[T dtype.Element](v *backend.View, axes uint32) middle[T] {
	shape := v.Layout.Shape
	first, last, count := -1, -1, 0
	for i := range shape {
		if axes&(1<<i) != 0 {
			if first < 0 {
				first = i
			}
			last = i
			count++
		}
	}
	if count == 0 {
		return middle[T]{packed[T](v), v.Layout.Size(), 1, 1}
	}
	w := *v
	if last-first+1 != count {
		order := make([]int, 0, len(shape))
		for i := range shape {
			if axes&(1<<i) == 0 {
				order = append(order, i)
			}
		}
		first = len(order)
		for i := range shape {
			if axes&(1<<i) != 0 {
				order = append(order, i)
			}
		}
		w.Layout = v.Layout.Permute(order)
		last = len(shape) - 1
	}
	m := middle[T]{outer: 1, n: 1, inner: 1}
	for i, d := range w.Layout.Shape {
		switch {
		case i < first:
			m.outer *= d
		case i <= last:
			m.n *= d
		default:
			m.inner *= d
		}
	}
	m.src = packed[T](&w)
	return m
}
