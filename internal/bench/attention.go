package bench

import (
	"fmt"

	"cresset/device"
	"cresset/tensor"
)

// attentions are heads of 64 over texts, as transformers train them, with the backward pass too, and one token more of a text that is
// being written.
func attentions() []Case {
	return []Case{
		attention("attention", 4, 8, 512, 512, 1), attention("attention_grad", 4, 8, 512, 512, 3.5),
		attention("attention_decode", 1, 12, 1, 1024, 1),
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
