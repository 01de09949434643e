package nn

import (
	"math"

	"cresset/nn/nninit"
	"cresset/tensor"
)

// kaimingUniform draws w as PyTorch draws the weights of linear layers and convolutions: from U(-bound, bound), where the bound
// is 1/√fanIn but for the last bit.
func kaimingUniform(w *tensor.Tensor) *tensor.Tensor {
	return nninit.KaimingUniform(w, nninit.Slope(math.Sqrt(5)))
}

// biasUniform draws b from U(-1/√fanIn, 1/√fanIn), and as many zeros where nothing comes in.
func biasUniform(b *tensor.Tensor, fanIn int) *tensor.Tensor {
	bound := 0.0
	if fanIn > 0 {
		bound = 1 / math.Sqrt(float64(fanIn))
	}
	return b.UniformInPlace(-bound, bound)
}
