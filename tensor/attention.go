package tensor

import (
	"math"
	"slices"

	"cresset/dtype"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// ScaledDotProductAttention returns softmax(scale·q·kᵀ + mask)·v for queries q (…, H, L, E), keys k (…, H, S, E) and values v
// (…, H, S, V), whose leading axes are broadcast: (…, H, L, V). The softmax is over the keys that a query sees; where it sees none the
// result is zero.
//
// The scores are never in memory as a whole, but for gradients by CreateGraph: memory grows with L and S, not with their product. Gradients
// flow to q, k, v and to a mask that is added. Dropout draws PyTorch's numbers on the CPU, where it keeps a byte for each score; GPUs draw
// others, from a seed, and gradients through it have no derivatives in turn.
func ScaledDotProductAttention(q, k, v *Tensor, opts ...AttentionOption) *Tensor {
	o := readAttention(opts)
	if a := autocastOf(q, k); a != nil {
		ts := a.operands("scaled_dot_product_attention", q, k, v, o.mask)
		q, k, v, o.mask = ts[0], ts[1], ts[2], ts[3]
	}
	o.check(q, k, v)
	k, v = o.sameGroups(k, v)
	p := op.Attend{Scale: 1, SoftCap: o.cap, Keep: 1 - o.p, Causal: o.causal, First: o.offset, Window: o.window}
	if width := q.layout.Shape()[q.layout.Rank()-1]; o.scale != nil {
		p.Scale = float64(*o.scale)
	} else if width > 0 {
		p.Scale = 1 / math.Sqrt(float64(width))
	}
	h := o.heads(q, k, v)
	out := newResult(op.Attention.String(), q.storage.device, q.dtype, h.result(q), q, k, v, o.mask)
	at := h.q.layout.Shape()
	dropout := o.draw(q, Shape{at[0], at[1], at[2], h.k.layout.Shape()[2]})
	logSum := q.empty(op.Attention, statsType(q.dtype), Shape{at[0], at[1], at[2]}, k, v, o.mask)
	in := []*Tensor{h.q, h.k, h.v, h.mask, dropout}
	if o.places != nil {
		in = append(in, o.places.alias(o.places.layout.Expand(nil, Shape{at[0]})))
	}
	launch(op.Attention, q.dtype, p, []*Tensor{out.asHeads(), logSum}, in)
	n := record(out, op.Attention, attentionGrad, attention{p, o.grouped}, q, k, v, o.mask)
	n.save(q, k, v, o.mask, out)
	n.derive(logSum, dropout)
	return out
}

// attention is what the gradient knows of a call.
type attention struct {
	op.Attend
	grouped bool
}

func attentionGrad(b *backprop, dy *Tensor) {
	if b.creates && !b.dropsUnseen() {
		attentionComposed(b, dy)
		return
	}
	a := b.params().(attention)
	q, k, v, mask, out, logSum, dropout := b.saved(0), b.saved(1), b.saved(2), b.saved(3), b.saved(4), b.saved(5), b.saved(6)
	o := attentionOptions{mask: mask, grouped: a.grouped}
	h := o.heads(q, k, v)
	outs := []*Tensor{h.q.likeHeads(), h.k.likeHeads(), h.v.likeHeads()}
	shapes := h.shapes[:]
	var dmask *Tensor
	if b.needs(3) {
		var dmaskHeads *Tensor
		dmask, dmaskHeads = h.maskGrad(mask)
		outs = append(outs, dmaskHeads)
	}
	launch(op.AttentionGrad, q.dtype, a.Attend, outs, []*Tensor{dy.asHeads(), h.q, h.k, h.v, out.asHeads(), logSum, h.mask, dropout})
	for i, shape := range shapes {
		if b.needs(i) {
			b.give(i, outs[i].View(shape...))
		}
	}
	if dmask != nil {
		b.give(3, b.byKernels(dmask, dy))
	}
}

// dropsUnseen reports whether the numbers by which attention dropped weights are its kernel's alone.
func (b *backprop) dropsUnseen() bool {
	dropout := b.saved(6)
	return dropout != nil && dropout.dtype != dtype.Bool
}

// heads are the operands of attention as its kernels take them: all of four axes, batch, heads, rows and width.
type heads struct {
	q, k, v *Tensor
	shapes  [3]Shape // of the operands, broadcast
	mask    *Tensor  // broadcast to the scores' shape; nil where there is none
}

// draw returns from what kernels know which weights dropout takes: on the CPU one bool for each, drawn as PyTorch draws them there, on GPUs a seed.
func (o *attentionOptions) draw(q *Tensor, scores Shape) *Tensor {
	switch {
	case o.p == 0:
		return nil
	case q.storage.device.IsCPU():
		return q.empty(op.Attention, dtype.Bool, scores).draw(op.Bernoulli, o.generator, op.Draw{A: 1 - o.p})
	}
	return q.empty(op.Attention, dtype.Int64, Shape{1}).draw(op.RandInt, o.generator, op.Draw{Whole: true})
}

// scores returns the shape of all scores.
func (h *heads) scores() Shape {
	n := len(h.shapes[0])
	return append(slices.Clone(h.shapes[0][:n-1]), h.shapes[1][n-2])
}

// maskGrad returns zeros in which a mask's gradient is added up, and the same as heads, broadcast as the mask is. Where no view can
// show a mask as heads, the gradient is that of each score.
func (h *heads) maskGrad(mask *Tensor) (grad, asHeads *Tensor) {
	dt := h.mask.dtype
	grad = mask.zerosAs(dt, mask.layout.Shape())
	if asHeads = grad.expandedHeads(h.scores()); asHeads.storage == grad.storage {
		return grad, asHeads
	}
	grad = mask.zerosAs(dt, h.scores())
	return grad, grad.asHeads()
}

func (o *attentionOptions) heads(q, k, v *Tensor) heads {
	var h heads
	lead := o.lead(q, k, v)
	for i, x := range []*Tensor{q, k, v} {
		shape, last := slices.Clone(lead), x.layout.Rank()-2
		if o.grouped {
			shape[len(shape)-1] = x.layout.Shape()[last-1]
		}
		h.shapes[i] = append(shape, x.layout.Shape()[last:]...)
	}
	h.q, h.k, h.v = q.expandedHeads(h.shapes[0]), k.expandedHeads(h.shapes[1]), v.expandedHeads(h.shapes[2])
	if m := o.mask; m != nil {
		if m.dtype != dtype.Bool {
			m = m.cast(statsType(q.dtype)) // before it is broadcast: a kernel that widens its operands would widen every score's
		}
		h.mask = m.expandedHeads(h.scores())
	}
	return h
}

// lead returns the axes before the last two, broadcast; the heads of grouped queries stay beside each other.
func (o *attentionOptions) lead(q, k, v *Tensor) Shape {
	shapes := [3]Shape{}
	for i, x := range []*Tensor{q, k, v} {
		s := x.layout.Shape()
		shapes[i] = slices.Clone(s[:len(s)-2])
		if o.grouped {
			shapes[i][len(shapes[i])-1] = 1
		}
	}
	lead, err := layout.Broadcast(shapes[0], shapes[1])
	check(op.Attention.String(), ErrShape, err, q, k, v)
	lead, err = layout.Broadcast(lead, shapes[2])
	check(op.Attention.String(), ErrShape, err, q, k, v)
	return slices.Clone(lead)
}

// expandedHeads returns x broadcast to a shape, seen as heads.
func (x *Tensor) expandedHeads(shape Shape) *Tensor {
	if !x.layout.Shape().Equal(shape) {
		x = x.alias(x.layout.Expand(nil, shape))
	}
	return x.asHeads()
}

// asHeads returns x with four axes, without a gradient record: in place where that can be.
func (x *Tensor) asHeads() *Tensor {
	s := x.layout.Shape()
	switch n := len(s); {
	case n == 4:
		return x.alias(*x.layout)
	case n < 4:
		return x.alias(x.layout.Expand(nil, append(Shape{1, 1}[:4-n], s...)))
	default:
		batch := 1
		for _, d := range s[:n-3] {
			batch *= d
		}
		shape := append(Shape{batch}, s[n-3:]...)
		if l, ok := x.layout.View(shape); ok {
			return x.alias(l)
		}
		return x.like(op.Clone, x.dtype).copyFrom(x).viewed(shape...)
	}
}

// result returns the layout of the result, whose axes have the order of q's in memory where a row's elements may stay side by side.
func (h *heads) result(q *Tensor) *layout.Layout {
	n := len(h.shapes[0])
	shape := append(slices.Clone(h.shapes[0][:n-1]), h.shapes[2][n-1])
	if n == 4 && q.layout.Rank() == n && q.layout.Shape().Equal(h.shapes[0]) {
		return inOrder(shape, q.layout)
	}
	return layout.Fresh(shape...)
}

// likeHeads returns an uninitialised gradient of heads that has the order of their axes.
func (x *Tensor) likeHeads() *Tensor {
	return newResult(op.AttentionGrad.String(), x.storage.device, x.dtype, inOrder(x.layout.Shape(), x.layout), x)
}

// inOrder returns a layout of a shape with the order of another's axes in memory, row-major where the last is not the innermost.
func inOrder(shape Shape, like *layout.Layout) *layout.Layout {
	steps := like.Strides()
	for i, step := range steps {
		if step == 0 || i < len(steps)-1 && step < shape[len(steps)-1] {
			return layout.Fresh(shape...)
		}
	}
	strides := layout.Of(shape, steps, 0).PreservedStrides()
	if last := len(strides) - 1; strides[last] != 1 {
		return layout.Fresh(shape...)
	}
	return new(layout.Of(shape, strides, 0))
}
