package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/op"
)

func addAttention[T dtype.Float](t *table) {
	t[op.Attention][dtype.Of[T]()] = attention[T]
	t[op.AttentionGrad][dtype.Of[T]()] = attentionGrad[T]
}

// addRoundedAttention adds attention of bfloat16 that computes in it where the machine can.
func (t *table) addRoundedAttention() {
	t[op.Attention][dtype.BFloat16] = orWide(attentionBF16, t[op.Attention][dtype.Float32])
	t[op.AttentionGrad][dtype.BFloat16] = orWide(attentionGradBF16, t[op.AttentionGrad][dtype.Float32])
}

// attentionBF16 is attention of bfloat16 on AMX.
func attentionBF16(c *backend.Call) (bool, error) {
	k, v := c.In()[1].Layout.Shape(), c.In()[2].Layout.Shape()
	if !kern.AttendsOnAMX(k[2], k[3], v[3]) {
		return false, nil
	}
	return true, attention[float32](c)
}

// attentionGradBF16 is its gradient.
func attentionGradBF16(c *backend.Call) (bool, error) {
	k, v := c.In()[2].Layout.Shape(), c.In()[3].Layout.Shape()
	if !kern.AttendsOnAMX(k[2], k[3], v[3]) {
		return false, nil
	}
	return true, attentionGrad[float32](c)
}

// attention writes the result and the logarithm of each row's sum, of queries, keys and values and, where given, a mask, what
// dropout keeps of the softmax, and places for each of the batch that are added to First.
func attention[T dtype.Float](c *backend.Call) error {
	var w workspace
	defer w.free()
	in := c.In()
	a, err := attentionOf[T](&w, c, in[:3], 3)
	if err != nil {
		return err
	}
	a.Out, a.LogSum = headsOf[T](&c.Out()[0]), dense[T](&c.Out()[1])
	if c.Has(5) {
		v := &in[5]
		places, step := data[int64](v)[v.Layout.Offset:], v.Layout.Strides()[0]
		a.Places = func(batch int) int { return int(places[batch*step]) }
	}
	return kern.Float[T]().Attention(a)
}

// attentionGrad writes the gradients for queries, keys, values and, where asked for, the mask, of dy, the operands, the result, the
// logarithms, the mask and what dropout keeps.
func attentionGrad[T dtype.Float](c *backend.Call) error {
	var w workspace
	defer w.free()
	in, outs := c.In(), c.Out()
	for _, i := range []int{0, 4} {
		if err := w.packRows(&in[i]); err != nil {
			return err
		}
	}
	a, err := attentionOf[T](&w, c, in[1:4], 6)
	if err != nil {
		return err
	}
	a.Out, a.LogSum = headsOf[T](&in[4]), dense[T](&in[5])
	var delta backend.View
	if err := w.like(&delta, in[5].Layout.Shape(), in[5].DType); err != nil {
		return err
	}
	dq := outs[0]
	if dq.DType != dtype.Of[T]() { // sums of all keys are rounded once
		if err := w.like(&dq, dq.Layout.Shape(), dtype.Of[T]()); err != nil {
			return err
		}
	}
	g := kern.AttentionGrad[T]{Attention: *a, DOut: headsOf[T](&in[0]), Delta: dense[T](&delta),
		DQ: headsOf[T](&dq), DK: headsOf[T](&outs[1]), DV: headsOf[T](&outs[2])}
	if len(outs) > 3 && outs[3].Layout.Size() > 0 {
		g.DMask = maskOf[T](&outs[3])
	}
	if err := kern.Float[T]().AttentionBackward(&g); err != nil || dq.Buf == outs[0].Buf {
		return err
	}
	return convert(&outs[0], &dq)
}

// attentionOf describes a call with queries, keys and values, and operands mask and mask+1, a mask and what dropout keeps.
func attentionOf[T dtype.Float](w *workspace, c *backend.Call, qkv []backend.View, mask int) (*kern.Attention[T], error) {
	for i := range qkv {
		if err := w.packRows(&qkv[i]); err != nil {
			return nil, err
		}
	}
	q, k, v := qkv[0].Layout.Shape(), qkv[1].Layout.Shape(), qkv[2].Layout.Shape()
	a := &kern.Attention[T]{
		Attend: c.Params.(op.Attend), Batch: q[0], Heads: q[1], Groups: k[1], Queries: q[2], Keys: k[2], Width: q[3], Outputs: v[3],
		Q: headsOf[T](&qkv[0]), K: headsOf[T](&qkv[1]), V: headsOf[T](&qkv[2]),
	}
	if c.Has(mask) && c.In()[mask].Layout.Size() > 0 {
		a.Mask = maskOf[T](&c.In()[mask])
	}
	if c.Has(mask + 1) {
		a.Kept = dense[bool](&c.In()[mask+1])
	}
	return a, nil
}

// packRows makes v a view each of whose rows is contiguous.
func (w *workspace) packRows(v *backend.View) error {
	if last := v.Layout.Rank() - 1; v.Layout.Strides()[last] == 1 || v.Layout.Shape()[last] == 1 {
		return nil
	}
	return w.pack(v)
}

func headsOf[T dtype.Element](v *backend.View) kern.Heads[T] {
	if v.Layout.Size() == 0 {
		return kern.Heads[T]{}
	}
	s := v.Layout.Strides()
	h := kern.Heads[T]{Batch: s[0], Head: s[1], Row: s[2]}
	if v.DType == dtype.BFloat16 {
		h.Halves = data[dtype.BF16](v)[v.Layout.Offset:]
	} else {
		h.Data = data[T](v)[v.Layout.Offset:]
	}
	return h
}

func maskOf[T dtype.Float](v *backend.View) *kern.AttentionMask[T] {
	s := v.Layout.Strides()
	m := &kern.AttentionMask[T]{Batch: s[0], Head: s[1], Row: s[2], Place: s[3]}
	if v.DType == dtype.Bool {
		m.Allow = data[bool](v)[v.Layout.Offset:]
	} else {
		m.Add = data[T](v)[v.Layout.Offset:]
	}
	return m
}
