package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// A reduceLoop reduces the middle axis of src, seen as [outer][n][inner].
type reduceLoop func(dst, src pointer, outer, n, inner int, params any) error

// run reduces any axes of any layout. A call without parameters reduces all axes. Results of reductions are contiguous, and overlap no operand.
func (loop reduceLoop) run(c *backend.Call) error {
	in, out := &c.In()[0], start(&c.Out()[0])
	if l := layout.MiddleOf(*in.Layout, c.Axes()); !l.Moved && in.Layout.IsContiguous() { // spares small ops an allocation
		return loop(out, start(in), l.Outer, l.N, l.Inner, c.Params)
	}
	var w workspace
	defer w.free()
	m := middleOf(in, c.Axes())
	if err := w.pack(&m.view); err != nil {
		return err
	}
	return loop(out, start(&m.view), m.outer, m.n, m.inner, c.Params)
}

// reduce makes a kernel of a loop over [outer][n][inner].
//
//go:noinline
func reduce[D, S dtype.Element](loop func(dst []D, src []S, outer, n, inner int) error) Kernel {
	return reduceLoop(func(dst, src pointer, outer, n, inner int, _ any) error {
		return loop(elements[D](dst, outer*inner), elements[S](src, outer*n*inner), outer, n, inner)
	}).run
}

// reduceRowsWith makes a kernel of a function of a row and the call's parameters.
//
//go:noinline
func reduceRowsWith[T dtype.Element](row func(row []T, p op.Reduce) T) Kernel {
	return reduceLoop(func(dst, src pointer, outer, n, inner int, params any) error {
		p := params.(op.Reduce)
		return kern.Reduce(elements[T](dst, outer*inner), elements[T](src, outer*n*inner), outer, n, inner, func(s []T) T { return row(s, p) })
	}).run
}

// An extremeLoop finds extremes along the middle axis of [outer][n][inner], their first indices, or both.
type extremeLoop[T dtype.Element] func(value []T, index []int64, src []T, outer, n, inner int) error

// reducePairs makes a kernel of a loop that finds elements and their indices.
//
//go:noinline
func reducePairs[T dtype.Element](loop extremeLoop[T]) Kernel {
	return func(c *backend.Call) error {
		return reduceLoop(func(dst, src pointer, outer, n, inner int, _ any) error {
			return loop(elements[T](dst, outer*inner), dense[int64](&c.Out()[1]), elements[T](src, outer*n*inner), outer, n, inner)
		}).run(c)
	}
}

// mapRows makes a kernel of a function that maps a row to a row of the same length.
//
//go:noinline
func mapRows[D, S dtype.Element](row func(x []S, y []D)) Kernel {
	return alongAxis(func(outer, n, inner int, x []S, y []D) error {
		return kern.MapRows(y, x, outer, n, inner, func(_ int, x []S, y []D) { row(x, y) })
	})
}

// scan makes a kernel of a function that maps rows of n elements.
//
//go:noinline
func scan[D, S dtype.Element](rows func(x []S, y []D, n int)) Kernel {
	return alongAxis(func(outer, n, inner int, x []S, y []D) error {
		return kern.MapBlocks(y, x, outer, n, inner, func(_ int, x []S, y []D) { rows(x, y, n) })
	})
}

// spread makes a kernel of the gradient of a reduction: of dy and a value y of the reduced shape, and the operand x. Row fills one row
// of the result.
//
//go:noinline
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
//
//go:noinline
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

// middleOf makes the reduced axes of an operand adjacent.
func middleOf(v *backend.View, axes uint32) middle {
	l := layout.MiddleOf(*v.Layout, axes)
	m := middle{view: *v, outer: l.Outer, n: l.N, inner: l.Inner, moved: l.Moved}
	if l.Moved {
		m.view.Layout = new(l.Layout)
	}
	return m
}
