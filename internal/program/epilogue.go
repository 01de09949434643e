package program

import (
	"slices"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// followed lets products compute the sum or the product with another tensor that follows them, where nothing else reads what lies between:
// a residual, a gate or a scale costs no launch then.
func followed(calls []*Call, asked []*Slot, on backend.Joiner) []*Call {
	calls = slices.Clone(calls)
	for i := range calls {
		follow(calls, i, asked, on)
	}
	return slices.DeleteFunc(calls, func(c *Call) bool { return c == nil })
}

// follow is followed for call i, and reports whether it computes what follows it now.
func follow(calls []*Call, i int, asked []*Slot, on backend.Joiner) bool {
	p := calls[i]
	if p == nil || p.Then != op.Invalid || p.Epilogue != nil || len(p.Out) != 1 || !on.Joins(p.Op, p.DType) {
		return false
	}
	y := p.Out[0]
	at := next(calls, i, y.Buf)
	if at < 0 || slices.Contains(asked, y.Buf.(*Slot)) || next(calls, at, y.Buf) >= 0 {
		return false
	}
	e := join(calls[at], &y)
	if e == nil || !quiet(calls[:at], i, e.Other.Buf, calls[at].Out[0].Buf) {
		return false
	}
	own := *p
	own.Out, own.Epilogue = []backend.View{like(&calls[at].Out[0], &y)}, e
	calls[i], calls[at] = &own, nil
	return true
}

// next returns the first call behind i that touches a slot; -1 where there is none.
func next(calls []*Call, i int, b backend.Buffer) int {
	for k := i + 1; k < len(calls); k++ {
		if calls[k] != nil && calls[k].touches(b) {
			return k
		}
	}
	return -1
}

func (c *Call) touches(b backend.Buffer) bool {
	for s := range c.Slots {
		if s == b {
			return true
		}
	}
	return false
}

// join returns the epilogue that does what c does with y, nil where none can: the sum or the product with elements that lie as y's do.
func join(c *Call, y *backend.View) *backend.Epilogue {
	if c.Op != op.Add && c.Op != op.Mul || c.Params != nil || c.DType != y.DType || c.Out[0].Buf == y.Buf || !whole(&c.Out[0], y) {
		return nil
	}
	other := -1
	for k := range c.In {
		if !whole(&c.In[k], y) {
			return nil
		}
		if c.In[k].Buf != y.Buf {
			other = k
		}
	}
	if other < 0 || len(c.In) != 2 {
		return nil
	}
	return &backend.Epilogue{Join: c.Op, Other: like(&c.In[other], y)}
}

// like is a view over the indices of y.
func like(v, y *backend.View) backend.View {
	w, l := *v, *y.Layout
	l.Offset = v.Layout.Offset
	w.Layout = &l
	return w
}

// whole reports whether a view has as many elements as y, of its dtype and in their order without gaps, and begins where its memory does
// if it is y.
func whole(v, y *backend.View) bool {
	return v.Buf != nil && v.DType == y.DType && v.DType != dtype.Undefined && y.Layout.IsContiguous() && y.Layout.Offset == 0 &&
		v.Layout.IsContiguous() && v.Layout.Size() == y.Layout.Size() && (v.Buf != y.Buf || v.Layout.Offset == 0)
}

// quiet reports whether no call behind i writes what is joined, or touches where the result goes; nor one before it, which lies elsewhere then.
func quiet(calls []*Call, i int, other, result backend.Buffer) bool {
	for k, c := range calls {
		if c == nil {
			continue
		}
		if c.touches(result) || k > i && c.Writes(other.(*Slot)) || k == i && other == result {
			return false
		}
	}
	return true
}
