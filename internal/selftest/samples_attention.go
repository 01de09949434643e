package selftest

import "cresset/tensor"

// attentions are samples of attention, of one group of heads and of several tiles; in halves for each width that kernels have.
func attentions() []sample {
	all := []sample{
		attention("attention", 1, 65, 65, 64),
		attention("attention of few queries", 2, 1, 700, 32),
		attention("attention of wide heads", 1, 33, 40, 128),
	}
	for _, of := range []sample{
		attention("causal attention", 1, 70, 70, 64, tensor.IsCausal(true)),
		attention("windowed attention with a soft cap", 1, 40, 70, 32, tensor.SlidingWindow(20), tensor.SoftCap(2), tensor.QueryOffset(30)),
		maskedAttention("attention with a mask", 32),
	} {
		all = append(all, of, inHalves(named(of, ", in halves")))
	}
	for _, width := range []int{32, 64, 96, 128, 192, 256} {
		all = append(all, inHalves(attention(sized("attention in halves of", width), 1, 33, 40, width)),
			inHalves(attention(sized("attention of few queries, in halves of", width), 1, 2, 40, width)))
	}
	for _, width := range []int{128, 256} {
		all = append(all, inHalves(maskedAttention(sized("attention with a mask, in halves of", width), width)))
	}
	return all
}

func attention(name string, batch, queries, keys, width int, opts ...tensor.AttentionOption) sample {
	return sample{name: name, in: []operand{of(batch, 3, queries, width), of(batch, 3, keys, width), of(batch, 3, keys, width)}, dtypes: single, roundings: 128, grad: true,
		f: one(func(x []*tensor.Tensor) *tensor.Tensor {
			return tensor.ScaledDotProductAttention(x[0], x[1], x[2], opts...)
		})}
}

// maskedAttention is attention with a mask that all heads share.
func maskedAttention(name string, width int) sample {
	s := attention(name, 1, 33, 40, width)
	s.in = append(s.in, of(33, 40))
	s.f = one(func(x []*tensor.Tensor) *tensor.Tensor {
		return tensor.ScaledDotProductAttention(x[0], x[1], x[2], tensor.AttnMask(x[3]))
	})
	return s
}

// named is a sample with more of a name.
func named(s sample, more string) sample {
	s.name += more
	return s
}
