package nn

import (
	"math"

	"fmt"

	"cresset/tensor"
)

// AttendOption is an option of a call of a MultiheadAttention: AttentionMask, KeyPadding, Causal or EachHead.
type AttendOption interface{ attend(*attendOptions) }

type attendOptions struct {
	mask, padding    *tensor.Tensor
	causal, eachHead bool
}

type attendOption func(*attendOptions)

func (f attendOption) attend(o *attendOptions) { f(o) }

// AttentionMask hides keys from queries, [tokens, keys] or [batch·heads, tokens, keys]: where it is true, or by numbers that are added to scores. Nil hides none.
func AttentionMask(m *tensor.Tensor) AttendOption {
	return attendOption(func(o *attendOptions) { o.mask = m })
}

// KeyPadding hides keys from all queries of a sequence, [batch, keys]: where it is true, or by numbers that are added to scores. Nil hides none.
func KeyPadding(m *tensor.Tensor) AttendOption {
	return attendOption(func(o *attendOptions) { o.padding = m })
}

// Causal hides the keys behind each query's place, as the mask of SquareSubsequentMask does.
func Causal(on bool) AttendOption { return attendOption(func(o *attendOptions) { o.causal = on }) }

// EachHead makes Weights return the weights of each head, not their mean; PyTorch's average_attn_weights=False.
func EachHead(on bool) AttendOption { return attendOption(func(o *attendOptions) { o.eachHead = on }) }

// SquareSubsequentMask returns the mask [n, n] that hides from each token those behind it: -∞ above the diagonal, 0 elsewhere.
func SquareSubsequentMask(n int, place tensor.Place) *tensor.Tensor {
	return place.Full([]int{n, n}, math.Inf(-1)).Triu(1)
}

// attending are the operands of a call of a MultiheadAttention, [batch, heads, tokens, size].
type attending struct {
	attendOptions
	m       *MultiheadAttention
	q, k, v *tensor.Tensor
	single  bool // without an axis for the batch
}

// attending reads the operands of a call, and puts them through the layers of the input. A mask says what Causal hides where masked asks for it, or where other keys
// are hidden or added.
func (m *MultiheadAttention) attending(query, key, value *tensor.Tensor, opts []AttendOption, masked bool) *attending {
	a := &attending{m: m, single: query.Dim() == 2}
	for _, o := range opts {
		o.attend(&a.attendOptions)
	}
	a.check(query, key, value)
	q, k, v := m.project(query, key, value)
	batch := func(x *tensor.Tensor) *tensor.Tensor { // [batch, tokens, width]
		switch {
		case a.single:
			return x.Unsqueeze(0)
		case m.BatchFirst:
			return x
		default:
			return x.Transpose(0, 1)
		}
	}
	q, k, v = batch(q), batch(k), batch(v)
	if a.single && a.padding != nil {
		a.padding = a.padding.Unsqueeze(0)
	}
	if masked || a.mask != nil || a.padding != nil || m.KeyBias != nil || m.AddZeroAttention {
		a.combine(q.Size(0), q.Size(1), k.Size(1))
	}
	if m.KeyBias != nil {
		a.more(m.KeyBias, m.ValueBias, &k, &v)
	}
	if m.AddZeroAttention {
		zero := tensor.Like(k).Zeros(1, 1, m.Width)
		a.more(zero, zero, &k, &v)
	}
	a.q, a.k, a.v = m.split(q), m.split(k), m.split(v)
	return a
}

// check refuses operands of other shapes than the layer's, and masks of another number of axes or of whole numbers.
func (a *attending) check(query, key, value *tensor.Tensor) {
	m := a.m
	refuse := func(format string, args ...any) { panic(fault("multi_head_attention", fmt.Sprintf(format, args...))) }
	rank, batch := query.Dim(), "batched"
	if a.single {
		batch = "unbatched"
	}
	expected := func(what, axes, found string) {
		refuse("For %s (%d-D) `query`, expected %s to be %s but found %s", batch, rank, what, axes, found)
	}
	instead := func(t *tensor.Tensor) string { return fmt.Sprintf("%d-D tensor instead", t.Dim()) }
	switch {
	case rank != 2 && rank != 3:
		refuse("query should be unbatched 2D or batched 3D tensor but received %d-D query tensor", rank)
	case key.Dim() != rank || value.Dim() != rank:
		expected("`key` and `value`", fmt.Sprintf("%d-D", rank), fmt.Sprintf("%d-D and %d-D tensors respectively", key.Dim(), value.Dim()))
	case a.padding != nil && a.padding.Dim() != rank-1:
		expected("`key_padding_mask`", fmt.Sprintf("`None` or %d-D", rank-1), instead(a.padding))
	case a.mask != nil && a.mask.Dim() != 2 && a.mask.Dim() != 3:
		expected("`attn_mask`", "`None`, 2-D or 3-D", instead(a.mask))
	}
	for _, mask := range []struct {
		name string
		t    *tensor.Tensor
	}{{"key_padding_mask", a.padding}, {"attn_mask", a.mask}} {
		if mask.t != nil && mask.t.DType().IsInteger() {
			refuse("only bool and floating types of %s are supported", mask.name)
		}
	}
	if query.Size(-1) != m.Width {
		refuse("was expecting embedding dimension of %d, but got %d", m.Width, query.Size(-1))
	}
	for axis := range rank - 1 {
		if key.Size(axis) != value.Size(axis) {
			m.refuseValues(key, value)
		}
	}
	if key.Size(-1) != m.KeyWidth || value.Size(-1) != m.ValueWidth {
		refuse("was expecting keys of width %d and values of width %d, but got %d and %d", m.KeyWidth, m.ValueWidth, key.Size(-1), value.Size(-1))
	}
}

// refuseValues refuses values that are not as many as the keys; PyTorch tells of both with tokens before the batch.
func (m *MultiheadAttention) refuseValues(key, value *tensor.Tensor) {
	shape := func(x *tensor.Tensor) tensor.Shape {
		switch {
		case x.Dim() == 2:
			x = x.Unsqueeze(1)
		case m.BatchFirst:
			x = x.Transpose(0, 1)
		}
		return x.Shape()
	}
	k, v, text := shape(key), shape(value), "key shape %v does not match value shape %v"
	if m.Input == nil {
		k, v, text = k[:2], v[:2], "key's sequence and batch dims %v do not match value's %v"
	}
	panic(fault("multi_head_attention", fmt.Sprintf(text, k, v)))
}

// project puts queries, keys and values through the layers of the input: as one product where all are the same tensor.
func (m *MultiheadAttention) project(query, key, value *tensor.Tensor) (q, k, v *tensor.Tensor) {
	if m.Input != nil && query == key && key == value {
		three := query.Linear(m.Input, m.InputBias).Chunk(3, -1)
		return three[0], three[1], three[2]
	}
	weights, biases := []*tensor.Tensor{m.Query, m.Key, m.Value}, make([]*tensor.Tensor, 3)
	if m.Input != nil {
		weights = m.Input.Chunk(3, 0)
	}
	if m.InputBias != nil {
		biases = m.InputBias.Chunk(3, 0)
	}
	return query.Linear(weights[0], biases[0]), key.Linear(weights[1], biases[1]), value.Linear(weights[2], biases[2])
}

// split makes [batch, heads, tokens, size] of x [batch, tokens, width].
func (m *MultiheadAttention) split(x *tensor.Tensor) *tensor.Tensor {
	return x.Unflatten(-1, m.Heads, m.Width/m.Heads).Transpose(1, 2)
}

// joined puts what the heads have seen through the layer of the output, in the shape of the queries. As in PyTorch tokens are the outermost axis in memory, in
// whose order a dropout behind it draws; where none is and batches come first, they stay so.
func (a *attending) joined(x *tensor.Tensor) *tensor.Tensor {
	if a.m.BatchFirst && !a.single && a.m.dropout() == 0 {
		return a.m.Out.Forward(x.Transpose(1, 2).Flatten(2, 3))
	}
	x = a.m.Out.Forward(x.Permute(2, 0, 1, 3).Flatten(2, 3))
	switch {
	case a.single:
		return x.SqueezeAxis(1)
	case a.m.BatchFirst:
		return x.Transpose(0, 1)
	default:
		return x
	}
}

// combine makes one mask of all, which broadcasts to [batch, heads, tokens, keys]: of bools, true where a query sees a key, or of numbers that are added; nil where
// all is seen.
func (a *attending) combine(batch, tokens, keys int) {
	var masks []*tensor.Tensor
	if m := a.mask; m != nil {
		masks = append(masks, a.spread(m, batch, tokens, keys))
	}
	if p := a.padding; p != nil {
		if p.Size(0) != batch || p.Size(1) != keys {
			a.refusePadding(batch, keys)
		}
		masks = append(masks, p.Unsqueeze(1).Unsqueeze(1))
	}
	if a.causal && a.mask == nil {
		masks = append(masks, SquareSubsequentMask(max(tokens, keys), tensor.Like(a.m.Out.Weight)).Narrow(0, 0, tokens).Narrow(1, 0, keys))
	}
	a.mask = nil
	if len(masks) == 0 {
		return
	}
	hidden := func(m *tensor.Tensor) bool { return !m.DType().IsFloat() }
	if len(masks) == 1 && hidden(masks[0]) || len(masks) == 2 && hidden(masks[0]) && hidden(masks[1]) {
		all := masks[0]
		if len(masks) == 2 {
			all = all.LogicalOr(masks[1])
		}
		a.mask = all.LogicalNot()
		return
	}
	for _, m := range masks {
		if hidden(m) {
			m = tensor.Like(a.m.Out.Weight).Zeros(m.Shape()...).MaskedFill(m, math.Inf(-1))
		}
		if a.mask == nil {
			a.mask = m
		} else {
			a.mask = a.mask.Add(m)
		}
	}
}

// spread returns a mask of one for all, or of one for each head of each sequence, with four axes.
func (a *attending) spread(m *tensor.Tensor, batch, tokens, keys int) *tensor.Tensor {
	heads := a.m.Heads
	switch {
	case m.Dim() == 2 && m.Size(0) == tokens && m.Size(1) == keys:
		return m.Unsqueeze(0).Unsqueeze(0)
	case m.Dim() == 2:
		panic(fault("multi_head_attention", fmt.Sprintf("The shape of the 2D attn_mask is %s, but should be %s.", m.Shape(), tuple(tokens, keys))))
	case m.Size(0) == batch*heads && m.Size(1) == tokens && m.Size(2) == keys:
		return m.Unflatten(0, batch, heads)
	case a.single:
		panic(fault("multi_head_attention", fmt.Sprintf("Expected `attn_mask` shape to be %s but got %s", tuple(heads, tokens, keys), m.Shape())))
	default:
		panic(fault("multi_head_attention", fmt.Sprintf("The shape of the 3D attn_mask is %s, but should be %s.", m.Shape(), tuple(batch*heads, tokens, keys))))
	}
}

func (a *attending) refusePadding(batch, keys int) {
	axis, want := 0, batch
	if a.padding.Size(0) == batch {
		axis, want = 1, keys
	}
	panic(fault("multi_head_attention", fmt.Sprintf("Expected key_padded_mask.shape[%d] to be %d, but got %d", axis, want, a.padding.Size(axis))))
}

// more adds a key and a value [1, 1, width] that all queries see behind keys and values [batch, keys, width].
func (a *attending) more(key, value *tensor.Tensor, keys, values **tensor.Tensor) {
	behind := func(x, y *tensor.Tensor) *tensor.Tensor {
		return tensor.Cat([]*tensor.Tensor{x, y.Expand(x.Size(0), 1, x.Size(2))}, 1)
	}
	*keys, *values = behind(*keys, key), behind(*values, value)
	switch {
	case a.mask == nil:
	case a.mask.DType().IsFloat():
		a.mask = a.mask.Pad([]int{0, 1}, 0)
	default:
		a.mask = a.mask.Pad([]int{0, 1}, true)
	}
}
