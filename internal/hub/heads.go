package hub

import "cresset/tensor"

// SplitHeads makes [batch, heads, tokens, size] of x [batch, tokens, heads·size].
func SplitHeads(x *tensor.Tensor, size int) *tensor.Tensor {
	return x.Unflatten(-1, -1, size).Transpose(1, 2)
}

// MergeHeads undoes SplitHeads.
func MergeHeads(x *tensor.Tensor) *tensor.Tensor { return x.Transpose(1, 2).Flatten(2, 3) }
