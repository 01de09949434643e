package cpu

import (
	"math/bits"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/layout"
)

// A foldKernel reduces any axes of any layout to accumulators, and these to results.
//
// Two runs of axes with others between them, as in the gradient of a bias of channels, are not made adjacent, which would
// copy the operand: the last run is reduced where it is, and then the accumulators along the first, by the fold again, which
// saves depthwise3x3_grad/32x512x14x14 a fifth. That is nil where an accumulator can not be an element again, as a count can not.
type foldKernel struct {
	fold, again fold
	wide        dtype.DType                           // of accumulators
	finish      func(dst, accs pointer, count, n int) // of accumulators of n elements each
	whole       func(dst, src pointer, n int)         // of one result
	result      int                                   // bytes of one
}

// A fold calls finish with accumulators of runs of src, viewed as [outer][n][inner], and the index in [outer][inner] of the first.
type fold func(src pointer, outer, n, inner int, finish func(at int, accs pointer, count int)) error

// folded makes a kernel of a fold and of what becomes of its accumulators.
//
//go:noinline
func folded[D dtype.Element, T float64 | int64, S dtype.Number](f *kern.Fold[S, T], again *kern.Fold[T, T], finish func(dst []D, accs []T, n int)) Kernel {
	k := &foldKernel{fold: untyped(f), wide: of[T](), result: of[D]().Size(), finish: func(dst, accs pointer, count, n int) {
		finish(elements[D](dst, count), elements[T](accs, count), n)
	}}
	k.whole = func(dst, src pointer, n int) {
		acc := [1]T{f.Row(elements[S](src, n))}
		finish(elements[D](dst, 1), acc[:], n)
	}
	if again != nil {
		k.again = untyped(again)
	}
	return k.run
}

//go:noinline
func untyped[T float64 | int64, S dtype.Number](f *kern.Fold[S, T]) fold {
	return func(src pointer, outer, n, inner int, finish func(at int, accs pointer, count int)) error {
		return f.Reduce(elements[S](src, outer*n*inner), outer, n, inner, func(at int, accs []T) { finish(at, addressOf(accs), len(accs)) })
	}
}

func (k *foldKernel) run(c *backend.Call) error {
	in, out := &c.In()[0], &c.Out()[0]
	if in.Layout.IsContiguous() && out.Layout.Size() == 1 { // saves small/mul_sum_backward a tenth
		k.whole(start(out), start(in), in.Layout.Size())
		return nil
	}
	last, first, ok := twoRuns(in.Layout, c.Axes())
	if k.again == nil || !ok || !in.Layout.IsContiguous() {
		return reduceLoop(func(dst, src pointer, outer, n, inner int, _ any) error {
			return k.fold(src, outer, n, inner, k.into(dst, n))
		}).run(c)
	}
	var w workspace
	defer w.free()
	var parts backend.View
	if err := w.like(&parts, layout.Shape{last.Outer, last.Inner}, k.wide); err != nil {
		return err
	}
	err := k.fold(start(in), last.Outer, last.N, last.Inner, func(at int, accs pointer, count int) {
		copyMatrix(wideBytes, ahead(start(&parts), at*wideBytes), strides{step: 1}, accs, strides{step: 1}, 1, count)
	})
	if err != nil {
		return err
	}
	return k.again(start(&parts), first.Outer, first.N, first.Inner/last.N, k.into(start(out), first.N*last.N))
}

const wideBytes = 8 // of an accumulator

// into makes results of accumulators of n elements each.
func (k *foldKernel) into(dst pointer, n int) func(at int, accs pointer, count int) {
	return func(at int, accs pointer, count int) { k.finish(ahead(dst, at*k.result), accs, count, n) } // within the result
}

// twoRuns parts axes that are two runs of neighbours, and tells whether they are.
func twoRuns(l *layout.Layout, axes uint32) (last, first layout.Middle, ok bool) {
	top := bits.LeadingZeros32(axes)
	length := bits.LeadingZeros32(^(axes << top))
	before := axes << top << length >> length >> top
	if before == 0 || l.Size() == 0 {
		return last, first, false
	}
	last, first = layout.MiddleOf(*l, axes&^before), layout.MiddleOf(*l, before)
	return last, first, !first.Moved
}
