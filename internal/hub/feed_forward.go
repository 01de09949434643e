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

var inner = friend.Of[*tensor.Tensor]()

// FeedForward returns residual plus what dropout leaves of a second linear layer of f of a first. GPUs compute f with the first product, and add as the
// second one stores where nothing is dropped.
func FeedForward(f func(*tensor.Tensor) *tensor.Tensor, residual, x *tensor.Tensor, first, second Parameters, dropout *nn.Dropout) *tensor.Tensor {
	y, more := feedForward(f, residual, x, first, second, dropout)
	if more != nil {
		return y.Add(more)
	}
	return y
}

// FeedForwardNorm returns the norm of what FeedForward returns.
func FeedForwardNorm(norm *nn.LayerNorm, f func(*tensor.Tensor) *tensor.Tensor, residual, x *tensor.Tensor, first, second Parameters, dropout *nn.Dropout) *tensor.Tensor {
	y, more := feedForward(f, residual, x, first, second, dropout)
	if more != nil {
		_, y = LayerNormOfSum(norm, y, more)
		return y
	}
	return norm.Forward(y)
}

// feedForward returns what FeedForward does, as a sum of two where more is not nil.
func feedForward(f func(*tensor.Tensor) *tensor.Tensor, residual, x *tensor.Tensor, first, second Parameters, dropout *nn.Dropout) (y, more *tensor.Tensor) {
	drops := dropout.Training() && dropout.P != 0
	if !drops {
		if y := inner.FeedForward(f, x, first, second, residual); y != nil {
			return y, nil
		}
	} else if y := inner.FeedForward(f, x, first, second, nil); y != nil {
		return residual, dropout.Forward(y)
	}
	return residual, dropout.Forward(f(x.Linear(first.Weight, first.Bias)).Linear(second.Weight, second.Bias))
}

// LayerNormOfSum returns x + residual and its norm, by one kernel where that has the bits of both.
func LayerNormOfSum(norm *nn.LayerNorm, x, residual *tensor.Tensor) (sum, y *tensor.Tensor) {
	return inner.LayerNormOfSum(x, residual, norm.Shape, norm.Weight, norm.Bias, norm.Eps)
}

// RMSNormOfSum is LayerNormOfSum for an RMSNorm.
func RMSNormOfSum(norm *nn.RMSNorm, x, residual *tensor.Tensor) (sum, y *tensor.Tensor) {
	if norm.Eps == nil {
		return inner.RMSNormOfSum(x, residual, norm.Shape, norm.Weight)
	}
	return inner.RMSNormOfSum(x, residual, norm.Shape, norm.Weight, *norm.Eps)
}

// RMSNormOf is RMSNormOfSum with a weight that is not a layer's, over the last axis.
func RMSNormOf(weight *tensor.Tensor, eps float64, x, residual *tensor.Tensor) (sum, y *tensor.Tensor) {
	return inner.RMSNormOfSum(x, residual, []int{x.Size(-1)}, weight, eps)
}
