package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// reduce lifts a loop over [outer][n][inner] to any axes and layout. A call without parameters reduces all axes.
func reduce[D, S dtype.Element](loop func(dst []D, src []S, outer, n, inner int) error) Kernel {
	return func(c *backend.Call) error {
		in, out := &c.In()[0], dense[D](&c.Out()[0]) // results of reductions are fresh
		l := layout.MiddleOf(*in.Layout, c.Axes())
		if !l.Moved && in.Layout.IsContiguous() {
			return loop(out, dense[S](in), l.Outer, l.N, l.Inner)
		}
		var w workspace
		defer w.free()
		m := middleOf(in, c.Axes())
		if err := w.pack(&m.view); err != nil {
			return err
		}
		return loop(out, dense[S](&m.view), m.outer, m.n, m.inner)
	}
}

// reduceRows lifts a function of a row.
func reduceRows[D, S dtype.Element](row func(row []S) D) Kernel {
	return reduce(func(dst []D, src []S, outer, n, inner int) error {
		return kern.Reduce(dst, src, outer, n, inner, row)
	})
}

// reduceRowsWith lifts a function of a row that takes the call's parameters.
func reduceRowsWith[D, S dtype.Element](row func(row []S, p op.Reduce) D) Kernel {
	return func(c *backend.Call) error {
		p := c.Params.(op.Reduce)
		return reduceRows(func(s []S) D { return row(s, p) })(c)
	}
}

// norm is the norm of some axes.
func norm[T dtype.Float](c *backend.Call) error {
	p := c.Params.(op.Reduce).P
	return reduce(func(dst, src []T, outer, n, inner int) error {
		return kern.NormMiddle(dst, src, outer, n, inner, p)
	})(c)
}

// An extremeLoop finds extremes along the middle axis of [outer][n][inner], their first indices, or both.
type extremeLoop[T dtype.Element] func(value []T, index []int64, src []T, outer, n, inner int) error

// reducePairs lifts a loop that finds elements and their indices.
func reducePairs[T dtype.Element](loop extremeLoop[T]) Kernel {
	return func(c *backend.Call) error {
		var w workspace
		defer w.free()
		m := middleOf(&c.In()[0], c.Axes())
		if err := w.pack(&m.view); err != nil {
			return err
		}
		value, index := dense[T](&c.Out()[0]), dense[int64](&c.Out()[1])
		return loop(value, index, dense[T](&m.view), m.outer, m.n, m.inner)
	}
}

// mapRows lifts a function that maps a row to a row of the same length.
func mapRows[D, S dtype.Element](row func(x []S, y []D)) Kernel {
	return alongAxis(func(outer, n, inner int, x []S, y []D) error {
		return kern.MapRows(y, x, outer, n, inner, func(_ int, x []S, y []D) { row(x, y) })
	})
}

// spread lifts the gradient of a reduction: of dy and a value y of the reduced shape, and the operand x. Row fills one row
// of the result.
func spread[T dtype.Float](row func(dy, y T, x, dx []T, p op.Reduce)) Kernel {
	return func(c *backend.Call) error {
		p, _ := c.Params.(op.Reduce)
		var w workspace
		defer w.free()
		dy, y, m := c.In()[0], c.In()[1], middleOf(&c.In()[2], c.Axes())
		for _, v := range []*backend.View{&dy, &y, &m.view} {
			if err := w.pack(v); err != nil {
				return err
			}
		}
		out := middleOf(&c.Out()[0], c.Axes()).view
		dx := out
		if m.moved {
			if err := w.like(&dx, out.Layout.Shape(), out.DType); err != nil {
				return err
			}
		}
		dys, ys := dense[T](&dy), dense[T](&y)
		err := kern.MapRows(dense[T](&dx), dense[T](&m.view), m.outer, m.n, m.inner, func(at int, x, dx []T) {
			row(dys[at], ys[at], x, dx, p)
		})
		if err != nil || !m.moved {
			return err
		}
		return convert(&out, &dx)
	}
}

// pickGrad puts dy where the index says, and zeros elsewhere: the gradient of a reduction that chooses elements.
func pickGrad[T dtype.Float](c *backend.Call) error {
	out := &c.Out()[0]
	dx, dy, index := dense[T](out), dense[T](&c.In()[0]), dense[int64](&c.In()[1])
	m := middleOf(out, c.Axes())
	return kern.MapRows(dx, dx, m.outer, m.n, m.inner, func(at int, _, dx []T) {
		clear(dx)
		dx[index[at]] = dy[at]
	})
}

// middle is an operand seen as [outer][n][inner], of which n is reduced.
type middle struct {
	view            backend.View
	outer, n, inner int
	moved           bool // its axes have another order than the operand's
}

// middleOf brings the reduced axes of an operand together.
func middleOf(v *backend.View, axes uint32) middle {
	l := layout.MiddleOf(*v.Layout, axes)
	m := middle{view: *v, outer: l.Outer, n: l.N, inner: l.Inner, moved: l.Moved}
	if l.Moved {
		m.view.Layout = new(l.Layout)
	}
	return m
}
