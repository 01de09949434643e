package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/op"
)

// windows are size neighbours each along an axis, step apart.
type windows struct{ axis, size, step int }

// Unfold returns, as a view, the windows of size elements that begin at each step-th index of an axis: the axis counts the windows, a
// new last one the elements in each. Windows that overlap share memory: copy them, by Clone, before they are changed in place.
func (x *Tensor) Unfold(axis, size, step int) *Tensor {
	w := windows{x.axis("unfold", axis), size, step}
	from := *x.layout
	n := 1
	if from.Rank() > 0 {
		n = from.Shape()[w.axis]
	}
	switch {
	case size < 0:
		fail("unfold", ErrValue, fmt.Sprintf("size is %d but must be >= 0", size), x)
	case size > n:
		fail("unfold", ErrShape, fmt.Sprintf("maximum size for tensor at dimension %d is %d but size is %d", w.axis, n, size), x)
	case step <= 0:
		fail("unfold", ErrValue, fmt.Sprintf("step is %d but must be > 0", step), x)
	}
	if from.Rank() == 0 {
		return x.viewAs(op.Unfold, unfoldGrad, ifTracked(x, w), from.Unsqueeze(nil, 0).Narrow(nil, 0, 0, size, 1))
	}
	return x.viewAs(op.Unfold, unfoldGrad, ifTracked(x, w), from.Unfold(w.axis, size, step))
}

// unfoldGrad adds up, for each element, the gradients from all windows that it was in.
func unfoldGrad(b *backprop, dy *Tensor) {
	w, shape := b.params().(windows), b.input(0)
	if len(shape) == 0 {
		b.give(0, dy.Sum())
		return
	}
	starts := dy.counting(0, w.step, dy.layout.Shape()[w.axis])
	index := starts.Unsqueeze(1).Add(dy.counting(0, 1, w.size)).Reshape(-1)
	last := dy.layout.Rank() - 1
	order := make([]int, 0, last+1)
	for i := range last {
		if order = append(order, i); i == w.axis {
			order = append(order, last)
		}
	}
	b.give(0, dy.Permute(order...).Flatten(w.axis, w.axis+1).scattered(shape, w.axis, index))
}

// counting returns start, start + step, … of n int64 on x's device and in its scope.
func (x *Tensor) counting(start, step, n int) *Tensor {
	out := x.empty(op.Arange, dtype.Int64, Shape{n})
	launch(op.Arange, dtype.Int64, op.Range{IntStart: int64(start), IntStep: int64(step)}, []*Tensor{out}, nil)
	return out
}
