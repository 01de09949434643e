package program

import (
	"slices"

	"cresset/internal/backend"
	"cresset/internal/op"
)

// unfilled drops zeros that are written and overwritten, part by part, before anybody reads them, as the gradients of a tensor's parts are: where an
// elementwise call adds to zeros it gets the number instead of the memory.
func unfilled(calls []*Call, given []*Slot) []*Call {
	calls = slices.Clone(calls)
	for i, c := range calls {
		if s := zeros(c); s != nil && !slices.Contains(given, s) {
			overwrite(calls, i, s)
		}
	}
	return slices.DeleteFunc(calls, func(c *Call) bool { return c == nil })
}

// zeros returns the slot that a call fills as a whole with zeros; nil where it does something else.
func zeros(c *Call) *Slot {
	if c == nil || c.Op != op.Fill || len(c.In) != 1 || !c.In[0].IsConst() || c.In[0].Const.Float() != 0 || signed(c.In[0].Const) {
		return nil
	}
	v := &c.Out[0]
	if s := v.Buf.(*Slot); v.Layout.IsContiguous() && v.Layout.Size()*v.DType.Size() == s.bytes {
		return s
	}
	return nil
}

// signed reports whether a number is -0.
func signed(s backend.Scalar) bool { return s.Kind == backend.FloatScalar && 1/s.F < 0 }

// overwrite goes through what follows the zeros that call i writes, and drops that call where all of them are overwritten before they are read.
func overwrite(calls []*Call, i int, s *Slot) {
	left := calls[i].Out[0].Layout.Size()
	var written []*backend.View
	changed := map[int]*Call{}
	for k := i + 1; k < len(calls) && left > 0; k++ {
		c := calls[k]
		if c == nil || !c.touches(s) {
			continue
		}
		if len(c.Out) != 1 || c.Out[0].Buf != s || !fusible(c) || c.Out[0].DType != calls[i].Out[0].DType {
			return // it may read zeros
		}
		for _, v := range written {
			if !apart(v, &c.Out[0]) {
				return
			}
		}
		own := *c
		own.In = slices.Clone(c.In)
		for n := range own.In {
			v := &own.In[n]
			if v.Buf != s {
				continue
			}
			if !same(v, &c.Out[0]) || c.Op == op.Copy {
				return
			}
			*v = backend.View{DType: v.DType, Const: calls[i].In[0].Const}
		}
		changed[k], written = &own, append(written, &c.Out[0])
		left -= c.Out[0].Layout.Size()
	}
	if left > 0 {
		return
	}
	calls[i] = nil
	for k, c := range changed {
		calls[k] = c
	}
}
