package program

import (
	"slices"

	"cresset/internal/backend"
	"cresset/internal/op"
)

// recast lets calls give results, or take operands, in the dtypes that casts beside them would make of them or make them of, where nothing else touches
// what lies between: under Autocast a norm computes in float32 between products of halves.
func recast(calls []*Call, asked []*Slot, on backend.Caster) []*Call {
	calls = slices.Clone(calls)
	for i, c := range calls {
		if c == nil {
			continue
		}
		own := *c
		own.Out, own.In = slices.Clone(c.Out), slices.Clone(c.In)
		for n := range own.Out {
			if k := castOf(calls, i, &own.Out[n], asked); k >= 0 && narrows(calls[k]) && on.Gives(c.Op, c.DType, n, calls[k].Out[0].DType) {
				own.Out[n], calls[k] = like(&calls[k].Out[0], &own.Out[n]), nil
			}
		}
		for n := range own.In {
			if k := castTo(calls, i, &own.In[n], asked); k >= 0 && on.Takes(c.Op, c.DType, n, calls[k].In[0].DType) {
				own.In[n], calls[k] = like(&calls[k].In[0], &own.In[n]), nil
			}
		}
		calls[i] = &own
	}
	return slices.DeleteFunc(calls, func(c *Call) bool { return c == nil })
}

// narrows reports whether a cast is to a dtype of fewer bytes: what reads the result of a call has less to read then.
func narrows(cast *Call) bool { return cast.Out[0].DType.Size() < cast.In[0].DType.Size() }

// castOf returns the call behind i that casts its result y, which nothing else touches; -1 where there is none, or what it writes is touched before.
func castOf(calls []*Call, i int, y *backend.View, asked []*Slot) int {
	s, ok := y.Buf.(*Slot)
	if !ok || slices.Contains(asked, s) {
		return -1
	}
	k := next(calls, i, y.Buf)
	if k < 0 || calls[k].Op != op.Copy || next(calls, k, y.Buf) >= 0 || !calls[k].casts(&calls[k].In[0], y, &calls[k].Out[0]) {
		return -1
	}
	if at := next(calls, i-1, calls[k].Out[0].Buf); at < k {
		return -1
	}
	return k
}

// castTo returns the call before i that makes its operand x by a cast, which nothing else touches; -1 where there is none, or what it reads is
// written since.
func castTo(calls []*Call, i int, x *backend.View, asked []*Slot) int {
	s, ok := x.Buf.(*Slot)
	if !ok || slices.Contains(asked, s) {
		return -1
	}
	k := next(calls, -1, x.Buf)
	if k >= i || calls[k].Op != op.Copy || next(calls, k, x.Buf) != i || next(calls, i, x.Buf) >= 0 || !calls[k].casts(&calls[k].Out[0], x, &calls[k].In[0]) {
		return -1
	}
	from := calls[k].In[0].Buf.(*Slot)
	if slices.ContainsFunc(calls[k:i], func(c *Call) bool { return c != nil && c.Writes(from) }) {
		return -1
	}
	return k
}

// casts reports whether the call, a copy, is a cast between what a call touches as v, all of one side, and the other side, element by element in order.
func (c *Call) casts(side, v, other *backend.View) bool {
	if c.Then != op.Invalid || c.Epilogue != nil || side.Buf != v.Buf || other.Buf == nil || other.Buf == v.Buf || other.DType == v.DType {
		return false
	}
	return whole(side, v) && other.Layout.IsContiguous() && other.Layout.Size() == v.Layout.Size()
}
