package nn

import (
	"math"

	"cresset/tensor"
)

// kaimingUniform draws w from U(-bound, bound) with the bound of PyTorch's default for linear and convolution weights,
// √3·√(2/(1+a²))/√fanIn with a = √5, which is 1/√fanIn but for the last bit.
func kaimingUniform(w *tensor.Tensor, fanIn int) *tensor.Tensor {
	if fanIn == 0 {
		return w
	}
	a := math.Sqrt(5)
	gain := math.Sqrt(2 / (1 + a*a))
	bound := math.Sqrt(3) * (gain / math.Sqrt(float64(fanIn)))
	return w.UniformInPlace(-bound, bound)
}

// biasUniform draws b from U(-1/√fanIn, 1/√fanIn).
func biasUniform(b *tensor.Tensor, fanIn int) *tensor.Tensor {
	if fanIn == 0 {
		return b
	}
	bound := 1 / math.Sqrt(float64(fanIn))
	return b.UniformInPlace(-bound, bound)
}
