package hub

import (
	"cresset/internal/friend"
	"cresset/nn"
	"cresset/tensor"
)

// Parameters are those of a linear layer.
type Parameters = friend.Linear[*tensor.Tensor]

// ParametersOf returns those of a layer.
func ParametersOf(l *nn.Linear) Parameters { return Parameters{Weight: l.Weight, Bias: l.Bias} }

// FeedForward returns a second linear layer of f of a first, which GPUs compute with the products.
func FeedForward(f func(*tensor.Tensor) *tensor.Tensor, x *tensor.Tensor, first, second Parameters) *tensor.Tensor {
	if y := friend.Of[*tensor.Tensor]().FeedForward(f, x, first, second, nil); y != nil {
		return y
	}
	return f(x.Linear(first.Weight, first.Bias)).Linear(second.Weight, second.Bias)
}
