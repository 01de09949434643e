package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// check panics with PyTorch's text where operands or options do not fit.
func (o *attentionOptions) check(q, k, v *Tensor) {
	name := op.Attention.String()
	operands := []argument{{"query", q}, {"key", k}, {"value", v}}
	for i, a := range operands {
		refuseNil(name, a.name, i+1, a.t)
	}
	if q.dtype != k.dtype || q.dtype != v.dtype {
		fail(name, ErrDType, fmt.Sprintf("Expected query, key, and value to have the same dtype, but got query.dtype: %s key.dtype: %s and value.dtype: %s instead.",
			q.dtype.CppName(), k.dtype.CppName(), v.dtype.CppName()), q, k, v)
	}
	if d := q.storage.device; d != k.storage.device || d != v.storage.device {
		failHint(name, ErrDevice, fmt.Sprintf("Expected query, key, and value to have the same device type, but got query.device: %s key.device: %s and value.device: %s instead.",
			d, k.storage.device, v.storage.device), placeHint(operands))
	}
	if q.layout.Rank() < 2 || k.layout.Rank() < 2 || v.layout.Rank() < 2 {
		fail(name, ErrShape, fmt.Sprintf("Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: %d key.dim: %d and value.dim: %d instead.",
			q.layout.Rank(), k.layout.Rank(), v.layout.Rank()), q, k, v)
	}
	if !q.dtype.IsFloat() {
		fail(name, ErrDType, "expected scalar type Float but found "+q.dtype.ScalarName(), q)
	}
	o.checkOptions(q, v)
	if o.bias != nil {
		o.mask = o.bias
	}
	o.checkGroups(q, k, v)
	checkAttentionSizes(q, k, v)
	o.checkMask(q, k, v)
	o.checkPlaces(q, k, v)
}

func (o *attentionOptions) checkOptions(q, v *Tensor) {
	name := op.Attention.String()
	switch {
	case !(0 <= o.p && o.p <= 1):
		fail(name, ErrValue, fmt.Sprintf("dropout probability has to be between 0 and 1, but got %v", o.p), q)
	case o.window < 0:
		fail(name, ErrValue, fmt.Sprintf("Expected a sliding window of at least 0 keys, but got %d", o.window), q)
	case !(o.cap >= 0):
		fail(name, ErrValue, fmt.Sprintf("Expected a soft cap of at least 0, but got %v", o.cap), q)
	case o.mask != nil && o.causal:
		fail(name, ErrValue, "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True", q, o.mask)
	case o.mask != nil && o.bias != nil:
		fail(name, ErrValue, "Expected an attn_mask or a bias of the scores, but got both", q, o.mask, o.bias)
	case o.bias != nil && !o.bias.dtype.IsFloat():
		fail(name, ErrDType, "Expected the bias of the scores to be of floats, but got "+o.bias.dtype.ScalarName(), q, o.bias)
	}
}

// checkGroups panics where heads of keys or values cannot be shared evenly.
func (o *attentionOptions) checkGroups(q, k, v *Tensor) {
	if !o.grouped {
		return
	}
	name := op.Attention.String()
	heads := q.layout.Shape()[q.axis(name, -3)]
	for _, x := range []*Tensor{k, v} {
		if n := x.layout.Shape()[x.axis(name, -3)]; n == 0 || heads%n != 0 {
			fail(name, ErrShape, "Number of heads in key and value must divide the number of heads in query", q, k, v)
		}
	}
}

// sameGroups returns keys and values with as many heads as each other.
func (o *attentionOptions) sameGroups(k, v *Tensor) (keys, values *Tensor) {
	if !o.grouped {
		return k, v
	}
	of := func(x *Tensor) int { return x.layout.Shape()[x.layout.Rank()-3] }
	n, m := of(k), of(v)
	all := n // the least number that both divide
	for all%m != 0 {
		all += n
	}
	repeated := func(x *Tensor, times int) *Tensor {
		if times == 1 {
			return x
		}
		return x.RepeatInterleave(times, -3)
	}
	return repeated(k, all/n), repeated(v, all/m)
}

// checkAttentionSizes panics where widths or numbers of keys differ, as the products do that they are the operands of.
func checkAttentionSizes(q, k, v *Tensor) {
	last := func(x *Tensor) (rows, width int) {
		s := x.layout.Shape()
		return s[len(s)-2], s[len(s)-1]
	}
	queries, width := last(q)
	keys, keyWidth := last(k)
	values, outputs := last(v)
	if width != keyWidth {
		failProduct(q, k, queries, width, keyWidth, keys)
	}
	if keys != values {
		failProduct(q, v, queries, keys, values, outputs)
	}
}

// failProduct panics with the text of the product of a [m, k] and b [l, n].
func failProduct(a, b *Tensor, m, k, l, n int) {
	text := fmt.Sprintf("mat1 and mat2 shapes cannot be multiplied (%dx%d and %dx%d)", m, k, l, n)
	if s := a.layout.Shape(); len(s) > 2 {
		count := 1
		for _, d := range s[:len(s)-2] {
			count *= d
		}
		text = fmt.Sprintf("Expected size for first two dimensions of batch2 tensor to be: [%d, %d] but got: [%d, %d].", count, k, count, l)
	}
	fail(op.Attention.String(), ErrShape, text, a, b)
}

// checkMask panics where the mask has another dtype or cannot be broadcast to the scores.
func (o *attentionOptions) checkMask(q, k, v *Tensor) {
	name, m := op.Attention.String(), o.mask
	if m == nil {
		return
	}
	if m.dtype != dtype.Bool && m.dtype != dtype.Float32 && m.dtype != q.dtype {
		fail(name, ErrDType, fmt.Sprintf("Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: %s and  query.dtype: %s instead.",
			m.dtype.CppName(), q.dtype.CppName()), q, m)
	}
	if d := q.storage.device; m.storage.device != d {
		failArgument(name, wrapper(op.Attention), "attn_mask", d, m.storage.device, argument{"query", q}, argument{"attn_mask", m})
	}
	m.axis(name, -2)
	lead := o.lead(q, k, v)
	if o.grouped {
		lead[len(lead)-1] = q.layout.Shape()[q.layout.Rank()-3]
	}
	scores := append(lead, q.layout.Shape()[q.layout.Rank()-2], k.layout.Shape()[k.layout.Rank()-2])
	shape, err := layout.Broadcast(scores, m.layout.Shape())
	check(name, ErrShape, err, q, m)
	if !shape.Equal(scores) {
		fail(name, ErrShape, fmt.Sprintf("output with shape %s doesn't match the broadcast shape %s", scores.List(), shape.List()), q, m)
	}
}

// checkPlaces panics where the places of queries are no numbers for each sequence, or gradients would be asked for.
func (o *attentionOptions) checkPlaces(q, k, v *Tensor) {
	name, at := op.Attention.String(), o.places
	if at == nil {
		return
	}
	if at.dtype != dtype.Int64 {
		fail(name, ErrDType, "Expected the offsets of queries to be of scalar type Long but found "+at.dtype.ScalarName(), q, at)
	}
	if d := q.storage.device; at.storage.device != d {
		failArgument(name, wrapper(op.Attention), "query_offsets", d, at.storage.device, argument{"query", q}, argument{"query_offsets", at})
	}
	batch := 1
	if lead := o.lead(q, k, v); len(lead) > 1 {
		for _, n := range lead[:len(lead)-1] {
			batch *= n
		}
	}
	if s := at.layout.Shape(); len(s) != 1 || s[0] != 1 && s[0] != batch {
		fail(name, ErrShape, fmt.Sprintf("Expected an offset for each of %d sequences, or one for all, but got %s", batch, s.List()), q, at)
	}
	if q.RequiresGrad() || k.RequiresGrad() || v.RequiresGrad() || o.mask != nil && o.mask.RequiresGrad() {
		fail(name, ErrAutograd, "attention with offsets of queries in memory has no gradients; detach its operands", q, k, v)
	}
}
