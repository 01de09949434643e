package cpu

import (
	"sync"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// A loop computes n elements of operands that are contiguous, results first; params are those of the call. The functions
// below make one of a typed function, so that all that finds the elements is compiled once (plan.go, tile.go).
type loop func(p pointers, n int, params any)

// A singleLoop is a loop that reads one element of an operand for all. It computes the first elements and returns how many.
type singleLoop func(p pointers, n int) int

// elementwise is a kernel whose results depend on the elements of the operands in the same place alone. Its operands may have
// any layout, be constants, and have other dtypes than the loop takes: then they are converted, and results converted back.
type elementwise struct {
	loop    loop
	dtypes  []dtype.DType // of the loop's operands, results first
	results int
	updates bool          // the loop reads its results, too
	copies  bool          // the loop copies its operand
	single  [3]singleLoop // of a loop over two operands, what takes one element of the first or second; nil where there is none
}

func (e *elementwise) run(c *backend.Call) error {
	var v views
	n := 0
	for i := range c.Out() {
		v[n] = &c.Out()[i]
		n++
	}
	for i := range c.In() {
		v[n] = &c.In()[i]
		n++
	}
	return e.apply(&v, c.Params)
}

// views are the operands of an elementwise kernel, results first.
type views [maxOperands]*backend.View

// apply runs the loop at once where all operands lie as it takes them, else by a plan.
func (e *elementwise) apply(v *views, params any) error {
	n := v[0].Layout.Size()
	if n == 0 {
		return nil
	}
	p, ok := e.asTheyLie(v)
	switch {
	case !ok && n <= smallOp && e.applySmall(v, n, params):
	case !ok:
		return e.applyPlan(v, params)
	case n <= grain:
		e.loop(p, n, params)
	default:
		par.For(n, pieceOf(n), func(lo, hi int) { e.loop(e.advance(p, lo), hi-lo, params) })
	}
	return nil
}

// asTheyLie returns where the operands lie, if all are contiguous and have the dtypes of the loop.
func (e *elementwise) asTheyLie(views *views) (p pointers, ok bool) {
	for k, dt := range e.dtypes {
		v := views[k]
		if v.IsConst() || v.DType != dt || !v.Layout.IsContiguous() {
			return p, false
		}
		p[k] = address(v)
	}
	return p, true
}

// smallOp is how many elements a result has at most that is worth less than a plan.
const smallOp = 32

// repeated holds what stands for all elements of an operand, once for each.
type repeated [maxOperands][smallOp]uint64

var repeats = sync.Pool{New: func() any { return new(repeated) }}

// applySmall runs the loop where the operands are contiguous but for constants and single elements, and reports whether they
// are. It saves small/mul_sum_backward a tenth, the cost of a plan.
func (e *elementwise) applySmall(views *views, n int, params any) bool {
	room := repeats.Get().(*repeated)
	defer repeats.Put(room)
	var p pointers
	for k, dt := range e.dtypes {
		v, size, word := views[k], dt.Size(), wordAt(&room[k][0])
		switch {
		case v.IsConst():
			putConstant(word, dt, v.Const)
			p[k] = word
		case v.DType != dt:
			return false
		case v.Layout.IsContiguous():
			p[k] = address(v)
		case k >= e.results && v.Layout.IsUniform():
			p[k] = word
			copyMatrix(size, word, strides{}, address(v), strides{}, 1, 1)
		default:
			return false
		}
		if p[k] == word {
			copyMatrix(size, word, strides{step: 1}, word, strides{}, 1, n)
		}
	}
	e.loop(p, n, params)
	return true
}

// advance returns the pointers n elements on, which must be within the operands.
func (e *elementwise) advance(p pointers, n int) pointers {
	for k, dt := range e.dtypes {
		p[k] = ahead(p[k], n*dt.Size())
	}
	return p
}

const (
	grain = 32 * 1024 // elements that are worth another thread
	piece = 8 * 1024  // elements that a thread takes at a time, once there are several
	huge  = 2 << 20   // elements of a result that no cache holds
)

// pieceOf returns how many elements of a result of n a loop takes at a time: all where there is work for one thread only, and
// of a huge result so many that vector loops write it by non-temporal stores, which saves add/1e7 a quarter.
func pieceOf(n int) int {
	switch {
	case n < 2*grain:
		return max(n, 1)
	case n < huge:
		return piece
	}
	return 2 * vec.StreamAbove
}

// The constructors below are not inlined, for each row of the table would compile its closures anew.

// kernelOf makes a kernel with one result of a loop over elements of these dtypes, the result's first.
func kernelOf(l loop, dtypes ...dtype.DType) *elementwise {
	return &elementwise{results: 1, loop: l, dtypes: dtypes}
}

// of returns the dtype of an element.
//
//go:noinline
func of[T dtype.Element]() dtype.DType { return dtype.Of[T]() }

// unary makes a kernel of a loop over one operand.
//
//go:noinline
func unary[D, A dtype.Element](loop func(dst []D, a []A)) Kernel {
	return kernelOf(func(p pointers, n int, _ any) {
		loop(elements[D](p[0], n), elements[A](p[1], n))
	}, of[D](), of[A]()).run
}

// unaryWith is unary for a loop that takes the call's parameters.
//
//go:noinline
func unaryWith[D, A dtype.Element, P any](loop func(dst []D, a []A, p P)) Kernel {
	return kernelOf(func(p pointers, n int, params any) {
		loop(elements[D](p[0], n), elements[A](p[1], n), params.(P))
	}, of[D](), of[A]()).run
}

// binary makes a kernel of a loop over two operands.
func binary[D, A, B dtype.Element](loop func(dst []D, a []A, b []B)) Kernel { return pair(loop).run }

//go:noinline
func pair[D, A, B dtype.Element](loop func(dst []D, a []A, b []B)) *elementwise {
	return kernelOf(func(p pointers, n int, _ any) {
		loop(elements[D](p[0], n), elements[A](p[1], n), elements[B](p[2], n))
	}, of[D](), of[A](), of[B]())
}

// binaryWith is binary for a loop that takes the call's parameters.
//
//go:noinline
func binaryWith[D, A, B dtype.Element, P any](loop func(dst []D, a []A, b []B, p P)) Kernel {
	return kernelOf(func(p pointers, n int, params any) {
		loop(elements[D](p[0], n), elements[A](p[1], n), elements[B](p[2], n), params.(P))
	}, of[D](), of[A](), of[B]()).run
}

// sided is binary for operands of one type and a loop whose vector loop l has forms that take a number for one of them. They
// save mul_scalar/1e5 a tenth, which else repeats the number in scratch memory.
//
//go:noinline
func sided[D, A dtype.Element](loop func(dst []D, a, b []A), l vec.Loop) Kernel {
	e := pair(loop)
	with := func(side vec.Loop, one, all int) singleLoop {
		return func(p pointers, n int) int {
			return vec.Unary(l+side, elements[D](p[0], n), elements[A](p[all], n), elements[A](p[one], 1)...)
		}
	}
	e.single[1], e.single[2] = with(vec.Left, 1, 2), with(vec.Right, 2, 1)
	return e.run
}

// ternary makes a kernel of a loop over three operands.
//
//go:noinline
func ternary[D, A, B, C dtype.Element](loop func(dst []D, a []A, b []B, c []C)) Kernel {
	return kernelOf(func(p pointers, n int, _ any) {
		loop(elements[D](p[0], n), elements[A](p[1], n), elements[B](p[2], n), elements[C](p[3], n))
	}, of[D](), of[A](), of[B](), of[C]()).run
}

// ternaryWith is ternary for a loop that takes the call's parameters.
//
//go:noinline
func ternaryWith[D, A, B, C dtype.Element, P any](loop func(dst []D, a []A, b []B, c []C, p P)) Kernel {
	return kernelOf(func(p pointers, n int, params any) {
		loop(elements[D](p[0], n), elements[A](p[1], n), elements[B](p[2], n), elements[C](p[3], n), params.(P))
	}, of[D](), of[A](), of[B](), of[C]()).run
}
