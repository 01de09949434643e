package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern/vec"
	"cresset/internal/layout"
	"cresset/internal/par"
)

// A loop computes contiguous slices of equal length. The drivers below lift it to any layout: operands that do not lie
// contiguously along the innermost axis pass through a scratch chunk that stays in the L1 cache.

const (
	chunk = 1024      // elements of a scratch buffer
	grain = 32 * 1024 // elements that are worth another thread
	piece = 8 * 1024  // elements that a thread takes at a time, once there are several
	huge  = 2 << 20   // elements of a result that no cache holds
)

// pieceOf returns how many elements of a result of n a loop takes at a time: all where there is work for one thread only, and
// of a huge result so many that the loop takes it for one (vec.Around).
func pieceOf(n int) int {
	switch {
	case n < 2*grain:
		return max(n, 1)
	case n < huge:
		return piece
	}
	return 2 * vec.Around
}

// nullary lifts a loop without operands that have elements.
func nullary[D dtype.Element](loop func(dst []D)) Kernel {
	return func(c *backend.Call) error {
		out := &c.Out()[0]
		mapUnary(out, out, func(dst, _ []D) { loop(dst) })
		return nil
	}
}

// unary lifts a loop over one operand.
func unary[D, A dtype.Element](loop func(dst []D, a []A)) Kernel {
	return func(c *backend.Call) error {
		mapUnary(&c.Out()[0], &c.In()[0], loop)
		return nil
	}
}

func mapUnary[D, A dtype.Element](out, in *backend.View, loop func(dst []D, a []A)) {
	if out.Layout.IsContiguous() && straight(in) {
		d, a := dense[D](out), dense[A](in)
		if len(d) <= grain {
			loop(d, a)
			return
		}
		par.For(len(d), pieceOf(len(d)), func(lo, hi int) { loop(d[lo:hi], a[lo:hi]) })
		return
	}
	w := newWalk(out, in)
	w.run(func(lo, hi int) {
		dst, src := newCursor[D](w, out, 0), newCursor[A](w, in, 1)
		w.tiles(lo, hi, func(at *[layout.MaxOperands]int, n int) {
			d := dst.result(w, at, n)
			loop(d, src.load(w, at, n))
			dst.store(w, at, d)
		})
	})
}

// ternary lifts a loop over three operands.
func ternary[D, A, B, C dtype.Element](loop func(dst []D, a []A, b []B, c []C)) Kernel {
	return func(call *backend.Call) error {
		out, x, y, z := &call.Out()[0], &call.In()[0], &call.In()[1], &call.In()[2]
		w := newWalk(out, x, y, z)
		w.run(func(lo, hi int) {
			dst, a, b, c := newCursor[D](w, out, 0), newCursor[A](w, x, 1), newCursor[B](w, y, 2), newCursor[C](w, z, 3)
			w.tiles(lo, hi, func(at *[layout.MaxOperands]int, n int) {
				d := dst.result(w, at, n)
				loop(d, a.load(w, at, n), b.load(w, at, n), c.load(w, at, n))
				dst.store(w, at, d)
			})
		})
		return nil
	}
}

// unaryWith lifts a loop over one operand that takes the call's parameters.
func unaryWith[D, A dtype.Element, P any](loop func(dst []D, a []A, p P)) Kernel {
	return func(c *backend.Call) error {
		p := c.Params.(P)
		mapUnary(&c.Out()[0], &c.In()[0], func(dst []D, a []A) { loop(dst, a, p) })
		return nil
	}
}

// straight reports whether the operand's elements can be handed to a loop as they lie.
func straight(v *backend.View) bool { return !v.IsConst() && v.Layout.IsContiguous() }
