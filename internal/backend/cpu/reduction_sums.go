package cpu

import (
	"math/bits"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
)

// A sumLoop sums, or takes the mean, along the middle axis of [outer][n][inner].
type sumLoop[D, S dtype.Number] func(dst []D, src []S, outer, n, inner int)

// untyped returns the loop over untyped memory.
//
//go:noinline
func (loop sumLoop[D, S]) untyped() reduceLoop {
	return func(dst, src pointer, outer, n, inner int, _ any) error {
		loop(elements[D](dst, outer*inner), elements[S](src, outer*n*inner), outer, n, inner)
		return nil
	}
}

// sums makes a kernel that sums any axes of any layout. Two runs of axes with others between them, as in the gradient of a bias
// of channels, are not brought together: the last run is summed where it lies, into wide sums of type A, and then the first.
func sums[D, A, S dtype.Number](whole sumLoop[D, S], last sumLoop[A, S], first sumLoop[D, A]) Kernel {
	return sumKernel{whole.untyped(), last.untyped(), first.untyped(), of[A]()}.run
}

type sumKernel struct {
	whole, last, first reduceLoop
	wide               dtype.DType
}

func (s sumKernel) run(c *backend.Call) error {
	in := &c.In()[0]
	b, a, ok := twoRuns(in.Layout, c.Axes())
	if !ok || !in.Layout.IsContiguous() {
		return s.whole.run(c)
	}
	var w workspace
	defer w.free()
	var wide backend.View
	if err := w.like(&wide, layout.Shape{b.Outer, b.Inner}, s.wide); err != nil {
		return err
	}
	if err := s.last(start(&wide), start(in), b.Outer, b.N, b.Inner, nil); err != nil {
		return err
	}
	return s.first(start(&c.Out()[0]), start(&wide), a.Outer, a.N, a.Inner/b.N, nil)
}

// leastInner is how many columns, where it is not one, are worth sums of their own rather than a copy.
const leastInner = 8

// twoRuns parts axes that are two runs of neighbours, and tells whether they are, and are quick to sum one by one.
func twoRuns(l *layout.Layout, axes uint32) (last, first layout.Middle, ok bool) {
	top := bits.LeadingZeros32(axes)
	length := bits.LeadingZeros32(^(axes << top))
	before := axes << top << length >> length >> top
	if before == 0 || l.Size() == 0 {
		return last, first, false
	}
	last, first = layout.MiddleOf(*l, axes&^before), layout.MiddleOf(*l, before)
	return last, first, !first.Moved && (last.Inner == 1 || last.Inner >= leastInner)
}
