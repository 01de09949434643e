package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern/vec"
	"cresset/internal/layout"
	"cresset/internal/par"
)

// A pair is a loop over two operands.
type pair[D, A, B dtype.Element] struct {
	loop func(dst []D, a []A, b []B)
	// side, if there is one, computes the first elements where one of the operands repeats, and says how many.
	side func(d []D, a flat[A], b flat[B]) int
	// columns, if there is one, computes rows of n elements of which each meets a number of the first operand or of the second,
	// and reports whether it did. around says that no cache holds the result.
	columns func(d []D, n int, a []A, b []B, around bool) bool
}

// binary lifts a loop over two operands.
func binary[D, A, B dtype.Element](loop func(dst []D, a []A, b []B)) Kernel {
	return pair[D, A, B]{loop: loop}.run
}

// sided lifts a loop over two operands of one type, whose vector loop l has forms for one that repeats.
func sided[D, A dtype.Element](loop func(dst []D, a, b []A), l vec.Loop) Kernel {
	return sidedPair[D](loop, l).run
}

func sidedPair[D, A dtype.Element](loop func(dst []D, a, b []A), l vec.Loop) pair[D, A, A] {
	return pair[D, A, A]{loop: loop, side: func(d []D, a, b flat[A]) int {
		switch {
		case b.repeated && !a.repeated:
			return vec.Unary(l+vec.Right, d, a.elems, b.value)
		case a.repeated && !b.repeated:
			return vec.Unary(l+vec.Left, d, b.elems, a.value)
		}
		return 0
	}}
}

// binaryWith lifts a loop over two operands that takes the call's parameters.
func binaryWith[D, A, B dtype.Element, P any](loop func(dst []D, a []A, b []B, p P)) Kernel {
	return func(c *backend.Call) error {
		p := c.Params.(P)
		return binary(func(dst []D, a []A, b []B) { loop(dst, a, b, p) })(c)
	}
}

func (p pair[D, A, B]) run(c *backend.Call) error {
	out, x, y := &c.Out()[0], &c.In()[0], &c.In()[1]
	switch flat := out.Layout.IsContiguous(); {
	case flat && straight(x) && straight(y) && out.Layout.Size() <= grain:
		p.loop(dense[D](out), dense[A](x), dense[B](y))
	case flat && flattens(x) && flattens(y):
		p.runFlat(out, x, y)
	default:
		if out.Layout.Size() > chunk {
			if mapAcross(p.loop, out, x, y) {
				return nil
			}
			if p.mapColumns(out, x, y) {
				return nil
			}
			if done, err := mapRepeated(p.loop, out, x, y); done || err != nil {
				return err
			}
		}
		p.walk(out, x, y)
	}
	return nil
}

// runFlat is run for operands that flatOf can see.
func (p pair[D, A, B]) runFlat(out, x, y *backend.View) {
	d := dense[D](out)
	if len(d) == 0 {
		return
	}
	a, b := flatOf[A](x), flatOf[B](y)
	if len(d) <= grain {
		p.flat(d, a, b)
		return
	}
	par.For(len(d), pieceOf(len(d)), func(lo, hi int) { p.flat(d[lo:hi], a.part(lo, hi), b.part(lo, hi)) })
}

// flat runs the loop over operands without a layout, in chunks where one repeats.
func (p pair[D, A, B]) flat(d []D, a flat[A], b flat[B]) {
	if !a.repeated && !b.repeated {
		p.loop(d, a.elems, b.elems)
		return
	}
	if p.side != nil {
		done := p.side(d, a, b)
		d, a, b = d[done:], a.part(done, len(d)), b.part(done, len(d))
	}
	a, b = a.chunked(len(d)), b.chunked(len(d))
	for lo := 0; lo < len(d); lo += chunk {
		hi := min(lo+chunk, len(d))
		x, y := a.part(lo, hi).elems, b.part(lo, hi).elems
		p.loop(d[lo:hi], x[:hi-lo], y[:hi-lo])
	}
}

// walk is run for any layouts.
func (p pair[D, A, B]) walk(out, x, y *backend.View) {
	w := newWalk(out, x, y)
	sided := p.side != nil && w.sides()
	w.run(func(lo, hi int) {
		dst, a, b := newCursor[D](w, out, 0), newCursor[A](w, x, 1), newCursor[B](w, y, 2)
		w.tiles(lo, hi, func(at *[layout.MaxOperands]int, n int) {
			d, done := dst.result(w, at, n), 0
			if sided {
				done = p.side(d, a.flat(w, at, n), b.flat(w, at, n))
				w.skip(at, done)
			}
			if done < n {
				p.loop(d[done:], a.load(w, at, n-done), b.load(w, at, n-done))
				dst.store(w, at, d)
			}
		})
	})
}
