package program

import (
	"slices"

	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// placed lets calls leave results where copies behind them would put these, and nothing else touches them: attention leaves the gradients of queries,
// keys and values beside each other.
func placed(calls []*Call, asked []*Slot, on backend.Placer) []*Call {
	calls = slices.Clone(calls)
	for i, c := range calls {
		for n := range callOut(c) {
			if !on.Places(c.Op, c.DType, n) || slices.ContainsFunc(asked, func(s *Slot) bool { return s == calls[i].Out[n].Buf }) {
				continue
			}
			k, to := copyOf(calls, i, n)
			if k < 0 {
				continue
			}
			own := *calls[i]
			own.Out = slices.Clone(own.Out)
			own.Out[n] = to
			calls[i], calls[k] = &own, nil
		}
	}
	return slices.DeleteFunc(calls, func(c *Call) bool { return c == nil })
}

// callOut returns the results of a call that was not dropped.
func callOut(c *Call) []backend.View {
	if c == nil {
		return nil
	}
	return c.Out
}

// copyOf returns the call behind i that copies its result n, and where to, over the indices of the result; -1 where there is none, or something
// else might touch that place before.
func copyOf(calls []*Call, i, n int) (k int, to backend.View) {
	y := calls[i].Out[n]
	k = next(calls, i, y.Buf)
	if k < 0 || calls[k].Op != op.Copy || calls[k].Then != op.Invalid || next(calls, k, y.Buf) >= 0 {
		return -1, to
	}
	from, out := &calls[k].In[0], &calls[k].Out[0]
	if from.Buf != y.Buf || out.Buf == y.Buf || from.DType != y.DType || out.DType != y.DType || !from.Layout.IsContiguous() || from.Layout.Offset != 0 ||
		from.Layout.Size() != y.Layout.Size() || out.Layout.Overlaps() {
		return -1, to
	}
	l, ok := through(y.Layout, out.Layout)
	if !ok {
		return -1, to
	}
	to = *out
	to.Layout = &l
	for _, c := range calls[i:k] {
		if c == nil {
			continue
		}
		for v := range c.Views {
			if v.Buf == out.Buf && (v.Layout == nil || !apart(v, out) && !apart(v, &to)) {
				return -1, to
			}
		}
	}
	return k, to
}

// through returns where elements lie whose place in memory is y's, which is without gaps, when to moves them there in order.
func through(y, to *layout.Layout) (l layout.Layout, ok bool) {
	shape, strides := y.Shape(), y.Strides()
	order := bySteps(y)
	inMemory, step := make(layout.Shape, len(shape)), 1
	for i := len(order) - 1; i >= 0; i-- {
		axis := order[i]
		if inMemory[i] = shape[axis]; shape[axis] > 1 && strides[axis] != step {
			return l, false
		}
		step *= shape[axis]
	}
	at, ok := to.View(inMemory)
	if !ok || y.Offset != 0 {
		return l, false
	}
	own := make([]int, len(shape))
	for i, axis := range order {
		own[axis] = at.Strides()[i]
	}
	return layout.Of(shape, own, at.Offset), true
}
