package program

import (
	"slices"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// summedByNorms lets norms add what an addition before them adds, as they do to residuals: between the layers of a model under Autocast no launch is left then that casts
// what a product made and adds it. Where an elementwise op makes what is added the addition joins its region instead.
func summedByNorms(calls []*Call, asked []*Slot, on backend.Caster) []*Call {
	calls = slices.Clone(calls)
	for i, c := range calls {
		if c == nil || c.Op != op.LayerNorm && c.Op != op.RMSNorm || c.DType != dtype.Float32 || len(c.In) != 3 || c.In[0].DType != c.DType {
			continue
		}
		k := additionOf(calls, i)
		if k < 0 {
			continue
		}
		for n := range 2 {
			if own, cast := c.adding(calls, i, k, n, asked, on); own != nil {
				calls[i], calls[k] = own, nil
				if cast >= 0 {
					calls[cast] = nil
				}
				break
			}
		}
	}
	return slices.DeleteFunc(calls, func(c *Call) bool { return c == nil })
}

// additionOf returns the call before a norm that makes its operand as the sum of two like it, where nothing else has touched that; else -1.
func additionOf(calls []*Call, i int) int {
	sum := &calls[i].In[0]
	if _, ok := sum.Buf.(*Slot); !ok {
		return -1
	}
	k := next(calls, -1, sum.Buf)
	if k >= i || next(calls, k, sum.Buf) != i {
		return -1
	}
	a := calls[k]
	if a.Op != op.Add || a.DType != sum.DType || a.Params != nil || a.Then != op.Invalid || a.Epilogue != nil || len(a.In) != 2 || !whole(&a.Out[0], sum) {
		return -1
	}
	for n := range a.In {
		if v := &a.In[n]; v.Buf == sum.Buf || !whole(v, sum) {
			return -1
		}
	}
	return k
}

// adding returns the norm with operand n of the addition as a residual, and the cast that made this, whose operand is taken instead, or -1; nil where that
// cannot be.
func (c *Call) adding(calls []*Call, i, k, n int, asked []*Slot, on backend.Caster) (own *Call, cast int) {
	x, y := calls[k].In[1-n], calls[k].In[n]
	if cast = castTo(calls, k, &y, asked); cast >= 0 {
		y = calls[cast].In[0]
	}
	if !on.Takes(c.Op, c.DType, 3, y.DType) {
		return nil, -1
	}
	for _, v := range []*backend.View{&x, &y} {
		s := v.Buf.(*Slot)
		if madeByElement(calls[:k], s) || slices.ContainsFunc(calls[k:i], func(c *Call) bool { return c != nil && c.Writes(s) }) {
			return nil, -1
		}
	}
	own = new(*c)
	own.In = append(slices.Clone(c.In), like(&y, &c.In[0]))
	own.In[0] = like(&x, &c.In[0])
	own.Out = append(slices.Clone(c.Out), c.In[0])
	return own, cast
}

// madeByElement reports whether the last call that writes a slot may be a step of a region.
func madeByElement(calls []*Call, s *Slot) bool {
	for _, c := range slices.Backward(calls) {
		if c != nil && c.Writes(s) {
			return fusible(c)
		}
	}
	return false
}
