package bench

import (
	"fmt"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// attentions are heads of 64 over texts, as transformers train them, with the backward pass too, and one token more of a text that is
// being written.
func attentions() []Case {
	return []Case{
		attention("attention", 4, 8, 512, 512, 1), attention("attention_grad", 4, 8, 512, 512, 3.5),
		attention("attention_decode", 1, 12, 1, 1024, 1),
		half{4, 8, 8, 512, 512, 64}.attention("attention_causal_bf16", 1), half{4, 8, 8, 512, 512, 64}.attention("attention_causal_grad_bf16", 3.5),
	}
}

// attention is heads of queries that meet keys, or with its backward pass so many times that work; the heads are transposed, as they
// come out of a layer.
func attention(name string, batch, heads, queries, keys int, passes float64) Case {
	const width = 64
	work := passes * float64(batch*heads) * 2 * flops(queries, width, keys)
	return Case{Name: fmt.Sprintf("%s/%dx%dx%dx%d", name, batch, heads, keys, width), Work: work, Unit: "FLOP", Make: func(dev device.Device) func() {
		place := tensor.On(dev)
		q, k, v := place.Randn(batch, queries, heads, width), place.Randn(batch, keys, heads, width), place.Randn(batch, keys, heads, width)
		attend := func(s *tensor.Scope) *tensor.Tensor {
			return tensor.ScaledDotProductAttention(s.Enter(q).Transpose(1, 2), s.Enter(k).Transpose(1, 2), s.Enter(v).Transpose(1, 2))
		}
		if passes == 1 {
			return func() { step(func(s *tensor.Scope) { attend(s) }) }
		}
		dy := place.Randn(batch, heads, queries, width)
		leaves := []*tensor.Tensor{q, k, v}
		for _, x := range leaves {
			x.SetRequiresGrad(true)
		}
		return func() {
			step(func(s *tensor.Scope) { attend(s).Backward(tensor.Gradient(dy)) })
			for _, x := range leaves {
				x.ZeroGrad()
			}
		}
	}}
}

// attentionsBF16 are causal attention in bfloat16 over 16384 tokens in all, of heads of 64 and 128 that are 2048 wide together, with the backward pass too, and
// a token more of each of 8 texts whose heads share keys in fours. Work is that of the scores that are seen.
func attentionsBF16() []Case {
	var cases []Case
	for _, width := range []int{64, 128} {
		for _, tokens := range []int{1024, 2048, 4096, 8192} {
			h := half{16384 / tokens, 2048 / width, 2048 / width, tokens, tokens, width}
			cases = append(cases, h.attention("attention_causal_bf16", 1), h.attention("attention_causal_grad_bf16", 3.5))
		}
	}
	h := half{8, 32, 8, 1, 8192, 128}
	return append(cases, h.attention("attention_decode_bf16", 1))
}

// half is attention in bfloat16.
type half struct{ batch, heads, groups, queries, keys, width int }

func (h half) attention(name string, passes float64) Case {
	seen := float64(h.batch*h.heads) * float64(h.queries) * (float64(h.keys) - float64(h.queries-1)/2)
	c := Case{Name: fmt.Sprintf("%s/%dx%dx%dx%d", name, h.batch, h.heads, h.keys, h.width), Work: passes * 4 * float64(h.width) * seen, Unit: "FLOP", Halves: true}
	if h.queries == 1 { // which keys and values bound
		c.Work, c.Unit = 4*float64(h.batch*h.groups*h.keys*h.width), "B"
	}
	c.Make = func(dev device.Device) func() {
		place := tensor.On(dev).As(dtype.BFloat16)
		q := place.Randn(h.batch, h.heads, h.queries, h.width)
		k, v := place.Randn(h.batch, h.groups, h.keys, h.width), place.Randn(h.batch, h.groups, h.keys, h.width)
		attend := func(s *tensor.Scope) *tensor.Tensor {
			return tensor.ScaledDotProductAttention(s.Enter(q), s.Enter(k), s.Enter(v), tensor.EnableGQA(true), tensor.IsCausal(true), tensor.QueryOffset(h.keys-h.queries))
		}
		if passes == 1 {
			return func() { step(func(s *tensor.Scope) { attend(s) }) }
		}
		dy, leaves := place.Randn(h.batch, h.heads, h.queries, h.width), []*tensor.Tensor{q, k, v}
		for _, x := range leaves {
			x.SetRequiresGrad(true)
		}
		return func() {
			step(func(s *tensor.Scope) { attend(s).Backward(tensor.Gradient(dy)) })
			for _, x := range leaves {
				x.ZeroGrad()
			}
		}
	}
	return c
}
