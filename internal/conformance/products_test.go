package conformance

import "cresset/tensor"

var products = table{
	"operator.matmul": binary((*tensor.Tensor).MatMul),
	"torch.dot":       binary((*tensor.Tensor).Dot),
}
