package conformance

import "cresset/tensor"

var pointwise = table{
	"Tensor.sign":   unary((*tensor.Tensor).Sign),
	"Tensor.square": unary((*tensor.Tensor).Square),
	"Tensor.sin":    unary((*tensor.Tensor).Sin),
	"Tensor.abs":    unary((*tensor.Tensor).Abs),
}
