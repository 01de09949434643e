package hub

import (
	"cresset/internal/friend"
	"cresset/nn"
	"cresset/tensor"
)

// Dense is a linear layer.
type Dense interface {
	Forward(x *tensor.Tensor) *tensor.Tensor
	Product() friend.Product[*tensor.Tensor]
}

// parametersOf returns a layer's; it is not whole where ranks hold parts of it, which Forward brings together, or it is quantized.
func parametersOf(l Dense) (p friend.Linear[*tensor.Tensor], whole bool) {
	all := l.Product()
	weight := all.Weight
	if weight == nil { // it is quantized
		return p, false
	}
	if all.Outputs == 1 {
		weight = weight.Transpose(0, 1)
	}
	return friend.Linear[*tensor.Tensor]{Weight: weight, Bias: all.Bias}, *all.Compute == nil
}

var inner = friend.Of[*tensor.Tensor]()

// FeedForward returns residual plus what dropout leaves of a second linear layer of f of a first. GPUs compute f with the first product, and add as the
// second one stores where nothing is dropped.
func FeedForward(f func(*tensor.Tensor) *tensor.Tensor, residual, x *tensor.Tensor, first, second Dense, dropout *nn.Dropout) *tensor.Tensor {
	y, more := feedForward(f, residual, x, first, second, dropout)
	if more != nil {
		defer Spent(more)
		return dropout.AddedTo(y, more)
	}
	return y
}

// FeedForwardNorm returns the norm of what FeedForward returns.
func FeedForwardNorm(norm *nn.LayerNorm, f func(*tensor.Tensor) *tensor.Tensor, residual, x *tensor.Tensor, first, second Dense, dropout *nn.Dropout) *tensor.Tensor {
	y, more := feedForward(f, residual, x, first, second, dropout)
	if more != nil {
		more = Dropped(dropout, more)
		defer Spent(more)
		_, y = LayerNormOfSum(norm, y, more)
		return y
	}
	return norm.Forward(y)
}

// feedForward returns what FeedForward does, or where more is not nil a residual, to which dropout of that is to be added.
func feedForward(f func(*tensor.Tensor) *tensor.Tensor, residual, x *tensor.Tensor, first, second Dense, dropout *nn.Dropout) (y, more *tensor.Tensor) {
	a, aWhole := parametersOf(first)
	b, bWhole := parametersOf(second)
	drops := dropout.Training() && dropout.P != 0
	switch {
	case !aWhole || !bWhole:
	case !drops:
		if y := inner.FeedForward(f, x, a, b, residual); y != nil {
			return y, nil
		}
	default:
		if y := inner.FeedForward(f, x, a, b, nil); y != nil {
			return residual, y
		}
	}
	return residual, second.Forward(f(first.Forward(x)))
}

// Dropped returns what dropout leaves of x, which is Spent where that is another tensor.
func Dropped(dropout *nn.Dropout, x *tensor.Tensor) *tensor.Tensor {
	y := dropout.Forward(x)
	if dropout.Training() && dropout.P != 0 && !dropout.InPlace {
		Spent(x)
	}
	return y
}

// Spent gives back the memory of what a layer has made and nobody else has seen, as soon as it has been used: where a scope owns it and no gradient needs it.
func Spent(xs ...*tensor.Tensor) { inner.Spent(xs...) }

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
