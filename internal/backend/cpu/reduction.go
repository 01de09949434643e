package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/op"
)

func (t *table) addReductions() {
	addSum[int64, uint8](t)
	addSum[int64, int8](t)
	addSum[int64, int16](t)
	addSum[int64, int32](t)
	addSum[int64, int64](t)
	addSum[float32, float32](t)
	addSum[float64, float64](t)
	addMean[float32](t)
	addMean[float64](t)
	addExtreme[uint8](t)
	addExtreme[int8](t)
	addExtreme[int16](t)
	addExtreme[int32](t)
	addExtreme[int64](t)
	addExtreme[float32](t)
	addExtreme[float64](t)
}

func addMean[T dtype.Float](t *table) {
	kernel := reduce(kern.MeanMiddle[T])
	t[op.Mean][dtype.Of[T]()], t[op.MeanAxes][dtype.Of[T]()] = kernel, kernel
}

func addExtreme[T dtype.Number](t *table) {
	dt := dtype.Of[T]()
	t[op.ArgMax][dt] = reduceRows(func(row []T) int64 {
		_, at := kern.MaxRow(row)
		return at
	})
}

// reduceRows lifts a function of a row.
func reduceRows[D, S dtype.Element](row func(row []S) D) Kernel {
	return reduce(func(dst []D, src []S, outer, n, inner int) { kern.Reduce(dst, src, outer, n, inner, row) })
}

func addSum[D, S dtype.Number](t *table) {
	kernel := reduce(kern.SumMiddle[D, S])
	t[op.Sum][dtype.Of[S]()], t[op.SumAxes][dtype.Of[S]()] = kernel, kernel
}

// reduce lifts a loop over [outer][n][inner] to any axes and layout. A call without parameters reduces all axes.
func reduce[D, S dtype.Element](loop func(dst []D, src []S, outer, n, inner int)) Kernel {
	return func(c *backend.Call) error {
		m := middleOf[S](&c.In()[0], axesOf(c))
		loop(dense[D](&c.Out()[0]), m.src, m.outer, m.n, m.inner) // results of reductions are fresh
		return nil
	}
}

// axesOf returns the axes that a call reduces: all where it names none.
func axesOf(c *backend.Call) uint32 {
	switch p := c.Params.(type) {
	case op.Reduce:
		return p.Axes
	case op.Axis:
		if p.Axis >= 0 {
			return 1 << p.Axis
		}
	}
	return ^uint32(0)
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
