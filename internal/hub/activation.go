package hub

import (
	"strconv"

	"cresset/tensor"
)

// Activation returns the function of a name of transformers; key is the setting that has it.
func Activation(key, name string) (func(*tensor.Tensor) *tensor.Tensor, error) {
	switch name {
	case "silu", "swish":
		return (*tensor.Tensor).SiLU, nil
	case "gelu":
		return (*tensor.Tensor).GELU, nil
	case "gelu_new", "gelu_pytorch_tanh":
		return (*tensor.Tensor).GELUTanh, nil
	case "relu":
		return (*tensor.Tensor).ReLU, nil
	case "tanh":
		return (*tensor.Tensor).Tanh, nil
	default:
		return nil, Unsupported(key, strconv.Quote(name), "silu", "gelu", "gelu_new", "gelu_pytorch_tanh", "relu", "tanh")
	}
}
