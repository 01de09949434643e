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
)

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
		par.For(len(d), grain, func(lo, hi int) { loop(d[lo:hi], a[lo:hi]) })
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

// binary lifts a loop over two operands.
func binary[D, A, B dtype.Element](loop func(dst []D, a []A, b []B)) Kernel {
	return binaryBy(loop, func(d []D, a flat[A], b flat[B]) { flatLoop(loop, d, a, b) })
}

// sided lifts a loop over two operands of one type, whose vector loop l has forms for one that repeats.
func sided[D, A dtype.Element](loop func(dst []D, a, b []A), l vec.Loop) Kernel {
	return binaryBy(loop, func(d []D, a, b flat[A]) {
		done := 0
		switch {
		case b.repeated && !a.repeated:
			done = vec.Unary(l+vec.Right, d, a.elems, b.value)
		case a.repeated && !b.repeated:
			done = vec.Unary(l+vec.Left, d, b.elems, a.value)
		}
		flatLoop(loop, d[done:], a.part(done, len(d)), b.part(done, len(d)))
	})
}

// binaryBy lifts a loop over two operands; those without a layout go to flatten.
func binaryBy[D, A, B dtype.Element](loop func(dst []D, a []A, b []B), flatten func(d []D, a flat[A], b flat[B])) Kernel {
	return func(c *backend.Call) error {
		out, x, y := &c.Out()[0], &c.In()[0], &c.In()[1]
		switch flat := out.Layout.IsContiguous(); {
		case flat && straight(x) && straight(y) && out.Layout.Size() <= grain:
			loop(dense[D](out), dense[A](x), dense[B](y))
		case flat && flattens(x) && flattens(y):
			mapFlat(flatten, out, x, y)
		default:
			mapBinary(loop, out, x, y)
		}
		return nil
	}
}

// mapFlat is binary for operands that flatOf can see.
func mapFlat[D, A, B dtype.Element](loop func(d []D, a flat[A], b flat[B]), out, x, y *backend.View) {
	d := dense[D](out)
	if len(d) == 0 {
		return
	}
	a, b := flatOf[A](x), flatOf[B](y)
	if len(d) <= grain {
		loop(d, a, b)
		return
	}
	par.For(len(d), grain, func(lo, hi int) { loop(d[lo:hi], a.part(lo, hi), b.part(lo, hi)) })
}

// mapBinary is binary for any layouts.
func mapBinary[D, A, B dtype.Element](loop func(dst []D, a []A, b []B), out, x, y *backend.View) {
	if out.Layout.Size() > chunk && mapAcross(loop, out, x, y) {
		return
	}
	w := newWalk(out, x, y)
	w.run(func(lo, hi int) {
		dst, a, b := newCursor[D](w, out, 0), newCursor[A](w, x, 1), newCursor[B](w, y, 2)
		w.tiles(lo, hi, func(at *[layout.MaxOperands]int, n int) {
			d := dst.result(w, at, n)
			loop(d, a.load(w, at, n), b.load(w, at, n))
			dst.store(w, at, d)
		})
	})
}

// flat is an operand without a layout: elements side by side, or one that repeats.
type flat[T dtype.Element] struct {
	elems    []T
	value    T
	repeated bool
}

// flatOf returns the operand of a loop.
func flatOf[T dtype.Element](v *backend.View) flat[T] {
	switch {
	case straight(v):
		return flat[T]{elems: dense[T](v)}
	case v.IsConst():
		return flat[T]{value: constant[T](v.Const), repeated: true}
	}
	return flat[T]{value: data[T](v)[v.Layout.Offset], repeated: true}
}

func (f flat[T]) part(lo, hi int) flat[T] {
	if !f.repeated {
		f.elems = f.elems[lo:hi]
	}
	return f
}

// chunked is the operand with n elements, at most a chunk, in the place of one that repeats.
func (f flat[T]) chunked(n int) flat[T] {
	if f.repeated {
		f.elems = make([]T, min(n, chunk))
		fill(f.elems, f.value)
	}
	return f
}

// flatLoop runs the loop at once, or in chunks where an operand repeats.
func flatLoop[D, A, B dtype.Element](loop func(dst []D, a []A, b []B), d []D, a flat[A], b flat[B]) {
	if !a.repeated && !b.repeated {
		loop(d, a.elems, b.elems)
		return
	}
	a, b = a.chunked(len(d)), b.chunked(len(d))
	for lo := 0; lo < len(d); lo += chunk {
		hi := min(lo+chunk, len(d))
		x, y := a.part(lo, hi).elems, b.part(lo, hi).elems
		loop(d[lo:hi], x[:hi-lo], y[:hi-lo])
	}
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

// binaryWith lifts a loop over two operands that takes the call's parameters.
func binaryWith[D, A, B dtype.Element, P any](loop func(dst []D, a []A, b []B, p P)) Kernel {
	return func(c *backend.Call) error {
		p := c.Params.(P)
		return binary(func(dst []D, a []A, b []B) { loop(dst, a, b, p) })(c)
	}
}

// flattens reports whether flatOf can see the operand.
func flattens(v *backend.View) bool {
	return v.IsConst() || v.Layout.IsContiguous() || v.Layout.IsUniform()
}

// straight reports whether the operand's elements can be handed to a loop as they lie.
func straight(v *backend.View) bool { return !v.IsConst() && v.Layout.IsContiguous() }
