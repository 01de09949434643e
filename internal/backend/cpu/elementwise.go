package cpu

import (
	"sync"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// A loop computes n elements of up to five operands that are contiguous, results first; params are those of the call. The
// functions below make one of a typed function, so that all that finds the elements is compiled once (plan.go, tile.go).
// Addresses are passed one by one, in registers: small/add takes a tenth more time with an array.
type loop func(dst, a, b, c, d pointer, n int, params any)

// A singleLoop is a loop over a result and an operand that reads one element of the other operand for all. It computes the first elements and returns how many.
type singleLoop func(dst, all, one pointer, n int) int

// elementwise is a kernel whose results depend on the elements of the operands in the same place alone. Its operands may have
// any layout, be constants, and have other dtypes than the loop takes: then they are converted, and results converted back.
type elementwise struct {
	loop    loop
	dtypes  []dtype.DType // of the loop's operands, results first
	results int
	updates bool          // the loop reads its results, too
	copies  bool          // the loop copies its operand
	single  [3]singleLoop // of a loop over two operands, what takes one element of the first or second; nil where there is none
	columns [3]columnLoop // the same for rows of n elements, each with one of its own, which are adjacent
}

func (e *elementwise) run(c *backend.Call) error { return e.apply(c.Out(), c.In(), c.Params) }

// apply runs the loop at once where all operands are contiguous and have its dtypes, else by a plan.
func (e *elementwise) apply(out, in []backend.View, params any) error {
	n := out[0].Layout.Size()
	if n == 0 {
		return nil
	}
	var p pointers
	dtypes := e.dtypes[:len(out)+len(in)]
	for i := range out {
		v := &out[i]
		if v.DType != dtypes[i] || !v.Layout.IsContiguous() {
			return e.applyPlan(out, in, params)
		}
		p[i] = address(v)
	}
	for i, k := 0, len(out); i < len(in); i, k = i+1, k+1 {
		v := &in[i]
		if v.DType != dtypes[k] || v.IsConst() || !v.Layout.IsContiguous() {
			return e.applyPlan(out, in, params)
		}
		p[k] = address(v)
	}
	if n > grain {
		e.split(p, n, params)
	} else { // as call does, which the compiler does not inline
		e.loop(p[0], p[1], p[2], p[3], p[4], n, params)
	}
	return nil
}

// operands are what an elementwise kernel writes and reads.
type operands struct{ out, in []backend.View }

// at returns operand k, results first.
func (o *operands) at(k int) *backend.View {
	if k < len(o.out) {
		return &o.out[k]
	}
	return &o.in[k-len(o.out)]
}

// call runs the loop on n elements from p on.
func (e *elementwise) call(p *pointers, n int, params any) {
	e.loop(p[0], p[1], p[2], p[3], p[4], n, params)
}

// split runs the loop on pieces of the operands, on several threads.
func (e *elementwise) split(p pointers, n int, params any) {
	par.For(n, pieceOf(n), func(lo, hi int) {
		at := e.advance(p, lo)
		e.call(&at, hi-lo, params)
	})
}

// smallOp is how many elements a result has at most that is worth less than a plan.
const smallOp = 32

// staging is room for the elements of the operands of a small op whose layout or dtype the loop does not take.
type staging [maxOperands][smallOp]uint64

var stagings = sync.Pool{New: func() any { return new(staging) }}

// applySmall runs the loop where results are contiguous, and operands are contiguous or have at most two axes, and reports
// whether that is so. It saves small/mul_sum_backward a tenth, the cost of a plan.
func (e *elementwise) applySmall(o *operands, n int, params any) bool {
	room := stagings.Get().(*staging)
	defer stagings.Put(room)
	var p pointers
	for k, dt := range e.dtypes {
		v := o.at(k)
		switch {
		case v.IsConst():
			p[k] = wordAt(&room[k][0])
			putConstant(p[k], dt, v.Const)
			copyMatrix(dt.Size(), p[k], strides{step: 1}, p[k], strides{}, 1, n)
		case v.DType != dt:
			return false
		case v.Layout.IsContiguous():
			p[k] = address(v)
		case k >= e.results && v.Layout.Rank() <= 2:
			p[k] = wordAt(&room[k][0])
			gatherSmall(p[k], v)
		default:
			return false
		}
	}
	e.call(&p, n, params)
	return true
}

// gatherSmall copies the elements of a view of one or two axes.
func gatherSmall(to pointer, v *backend.View) {
	shape, from := v.Layout.Shape(), v.Layout.Strides()
	rows, cols, source := 1, shape[len(shape)-1], strides{step: from[len(shape)-1]}
	if len(shape) > 1 {
		rows, source.row = shape[0], from[0]
	}
	copyMatrix(v.DType.Size(), to, strides{cols, 1}, address(v), source, rows, cols)
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
	return kernelOf(func(dst, a, _, _, _ pointer, n int, _ any) {
		loop(elements[D](dst, n), elements[A](a, n))
	}, of[D](), of[A]()).run
}

// unaryWith is unary for a loop that takes the call's parameters.
//
//go:noinline
func unaryWith[D, A dtype.Element, P any](loop func(dst []D, a []A, p P)) Kernel {
	return kernelOf(func(dst, a, _, _, _ pointer, n int, params any) {
		loop(elements[D](dst, n), elements[A](a, n), params.(P))
	}, of[D](), of[A]()).run
}

// binary makes a kernel of a loop over two operands.
func binary[D, A, B dtype.Element](loop func(dst []D, a []A, b []B)) Kernel { return pair(loop).run }

//go:noinline
func pair[D, A, B dtype.Element](loop func(dst []D, a []A, b []B)) *elementwise {
	return kernelOf(func(dst, a, b, _, _ pointer, n int, _ any) {
		loop(elements[D](dst, n), elements[A](a, n), elements[B](b, n))
	}, of[D](), of[A](), of[B]())
}

// binaryWith is binary for a loop that takes the call's parameters.
//
//go:noinline
func binaryWith[D, A, B dtype.Element, P any](loop func(dst []D, a []A, b []B, p P)) Kernel {
	return kernelOf(func(dst, a, b, _, _ pointer, n int, params any) {
		loop(elements[D](dst, n), elements[A](a, n), elements[B](b, n), params.(P))
	}, of[D](), of[A](), of[B]()).run
}

// sided is binary for operands of one type and a loop whose vector loop l has forms that take a number for one of them. They
// save mul_scalar/1e5 a tenth, which else repeats the number in scratch memory.
//
//go:noinline
func sided[D, A dtype.Element](loop func(dst []D, a, b []A), l vec.Loop) Kernel {
	e := pair(loop)
	with := func(side vec.Loop) singleLoop {
		return func(dst, all, one pointer, n int) int {
			return vec.Unary(l+side, elements[D](dst, n), elements[A](all, n), elements[A](one, 1)...)
		}
	}
	e.single[1], e.single[2] = with(vec.Left), with(vec.Right)
	e.columns = columnLoopsOf(l, e.dtypes[1])
	return e.run
}

// ternary makes a kernel of a loop over three operands.
//
//go:noinline
func ternary[D, A, B, C dtype.Element](loop func(dst []D, a []A, b []B, c []C)) Kernel {
	return kernelOf(func(dst, a, b, c, _ pointer, n int, _ any) {
		loop(elements[D](dst, n), elements[A](a, n), elements[B](b, n), elements[C](c, n))
	}, of[D](), of[A](), of[B](), of[C]()).run
}

// ternaryWith is ternary for a loop that takes the call's parameters.
//
//go:noinline
func ternaryWith[D, A, B, C dtype.Element, P any](loop func(dst []D, a []A, b []B, c []C, p P)) Kernel {
	return kernelOf(func(dst, a, b, c, _ pointer, n int, params any) {
		loop(elements[D](dst, n), elements[A](a, n), elements[B](b, n), elements[C](c, n), params.(P))
	}, of[D](), of[A](), of[B](), of[C]()).run
}
