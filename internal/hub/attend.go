package hub

import (
	"cresset/nn"
	"cresset/tensor"
)

// Attend returns attention of tokens that see each other in both directions, but for those where mask is false; weights may be dropped.
func Attend(q, k, v, mask *tensor.Tensor, dropped *nn.Dropout) *tensor.Tensor {
	opts := []tensor.AttentionOption{tensor.AttnMask(mask)}
	if dropped.Training() {
		opts = append(opts, tensor.DropoutP(dropped.P))
	}
	return tensor.ScaledDotProductAttention(q, k, v, opts...)
}
