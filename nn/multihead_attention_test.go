package nn_test

import (
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/tensor"
)

// TestCausalIsItsMask compares Causal, which needs no mask, with the mask that says the same, beside padding and without.
func TestCausalIsItsMask(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		tensor.ManualSeed(6)
		m := nn.NewMultiheadAttention(8, 2, nn.BatchFirst(true), nn.On(dev))
		x := tensor.On(dev).Randn(2, 5, 8)
		mask := nn.AttentionMask(nn.SquareSubsequentMask(5, tensor.On(dev)))
		padding := nn.KeyPadding(tensor.FromSlice([]bool{false, false, false, false, true, false, false, false, false, false}, 2, 5).To(dev))
		same(t, "causal", m.Forward(x, x, x, nn.Causal(true)), m.Forward(x, x, x, mask))
		same(t, "causal beside padding", m.Forward(x, x, x, nn.Causal(true), padding), m.Forward(x, x, x, mask, padding))
		out, _ := m.Weights(x, x, x, nn.Causal(true))
		same(t, "with weights", out, m.Forward(x, x, x, mask))
	})
}

func TestAttentionMistakes(t *testing.T) {
	tokens, keys := tensor.Zeros(3, 2, 8), tensor.Zeros(4, 2, 8)
	one, oneKey := tokens.Select(1, 0), keys.Select(1, 0)
	mask := func(sizes ...int) nn.AttendOption { return nn.AttentionMask(tensor.Zeros(sizes...)) }
	padding := func(sizes ...int) nn.AttendOption { return nn.KeyPadding(tensor.Zeros(sizes...)) }
	for _, c := range []struct {
		want              string
		query, key, value *tensor.Tensor
		opts              []nn.AttendOption
		layer             []nn.MultiheadAttentionOption
	}{
		{want: "For unbatched (2-D) `query`, expected `key` and `value` to be 2-D but found 2-D and 3-D tensors respectively", query: one, key: oneKey, value: keys},
		{want: "For batched (3-D) `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found 1-D tensor instead", query: tokens, key: keys, value: keys,
			opts: []nn.AttendOption{mask(4)}},
		{want: "For batched (3-D) `query`, expected `key_padding_mask` to be `None` or 2-D but found 1-D tensor instead", query: tokens, key: keys, value: keys,
			opts: []nn.AttendOption{padding(4)}},
		{want: "For unbatched (2-D) `query`, expected `key_padding_mask` to be `None` or 1-D but found 2-D tensor instead", query: one, key: oneKey, value: oneKey,
			opts: []nn.AttendOption{padding(1, 4)}},
		{want: "Expected key_padded_mask.shape[1] to be 4, but got 3", query: tokens, key: keys, value: keys, opts: []nn.AttendOption{padding(2, 3)}},
		{want: "Expected `attn_mask` shape to be (2, 3, 4) but got torch.Size([1, 3, 4])", query: one, key: oneKey, value: oneKey,
			opts: []nn.AttendOption{mask(1, 3, 4)}},
		{want: "only bool and floating types of attn_mask are supported", query: tokens, key: keys, value: keys,
			opts: []nn.AttendOption{nn.AttentionMask(tensor.Zeros(3, 4).Long())}},
		{want: "only bool and floating types of key_padding_mask are supported", query: tokens, key: keys, value: keys,
			opts: []nn.AttendOption{nn.KeyPadding(tensor.Zeros(2, 4).Int())}},
		{want: "key shape torch.Size([4, 2, 8]) does not match value shape torch.Size([3, 2, 8])", query: tokens.Transpose(0, 1), key: keys.Transpose(0, 1),
			value: tokens.Transpose(0, 1), layer: []nn.MultiheadAttentionOption{nn.BatchFirst(true)}},
		{want: "key's sequence and batch dims torch.Size([4, 2]) do not match value's torch.Size([3, 2])", query: tokens, key: tensor.Zeros(4, 2, 5), value: tokens,
			layer: []nn.MultiheadAttentionOption{nn.KeyWidth(5)}},
	} {
		m := nn.NewMultiheadAttention(8, 2, c.layer...)
		if err := tensor.Try(func() { m.Forward(c.query, c.key, c.value, c.opts...) }); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}
