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
