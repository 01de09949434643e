package nn

import (
	"fmt"
	"math"

	"cresset/tensor"
)

// Bilinear is y = x₁ᵀ·W·x₂ + b over the last axes of x₁ and x₂, with a matrix for each element of y.
type Bilinear struct {
	Weight *tensor.Tensor // [out, in1, in2]
	Bias   *tensor.Tensor // [out]; nil with Bias(false)
}

// NewBilinear returns a layer from in1 and in2 to out features, drawn as PyTorch draws it: the weight, then the bias, from
// U(-1/√in1, 1/√in1). It takes Bias, On and As.
func NewBilinear(in1, in2, out int, opts ...LinearOption) *Bilinear {
	o := read(opts)
	bound := 1 / math.Sqrt(float64(in1))
	b := &Bilinear{Weight: tensor.Parameter(o.place.Empty(out, in1, in2).UniformInPlace(-bound, bound))}
	if o.bias {
		b.Bias = tensor.Parameter(o.place.Empty(out).UniformInPlace(-bound, bound))
	}
	return b
}

// Forward returns x₁ᵀ·W·x₂ + b.
func (b *Bilinear) Forward(x1, x2 *tensor.Tensor) *tensor.Tensor {
	return x1.Bilinear(x2, b.Weight, b.Bias)
}

// String prints the layer as PyTorch does.
func (b *Bilinear) String() string {
	return fmt.Sprintf("Bilinear(in1_features=%d, in2_features=%d, out_features=%d, bias=%s)",
		b.Weight.Size(1), b.Weight.Size(2), b.Weight.Size(0), truth(b.Bias != nil))
}

// CosineSimilarity is Σ x·y / (‖x‖·‖y‖) along an axis.
type CosineSimilarity struct {
	Axis int
	Eps  float64
}

// NewCosineSimilarity returns the layer; PyTorch's axis is 1. It takes a tensor.Eps, 1e-8 unless given, below which norms do not count.
func NewCosineSimilarity(axis int, eps ...tensor.Eps) *CosineSimilarity {
	c := &CosineSimilarity{axis, 1e-8}
	for _, e := range eps {
		c.Eps = float64(e)
	}
	return c
}

// Forward returns the cosines between x and y.
func (c *CosineSimilarity) Forward(x, y *tensor.Tensor) *tensor.Tensor {
	return tensor.CosineSimilarity(x, y, c.Axis, tensor.Eps(c.Eps))
}

// String prints the layer as PyTorch does.
func (*CosineSimilarity) String() string { return "CosineSimilarity()" }

// PairwiseDistance is the p-norm of x - y along the last axis.
type PairwiseDistance struct {
	P       float64
	options []tensor.PairwiseDistanceOption
}

// NewPairwiseDistance returns the layer; PyTorch's p is 2. It takes a tensor.Eps, 1e-6 unless given, and tensor.KeepDim.
func NewPairwiseDistance(p float64, opts ...tensor.PairwiseDistanceOption) *PairwiseDistance {
	return &PairwiseDistance{p, opts}
}

// Forward returns the distances between x and y.
func (d *PairwiseDistance) Forward(x, y *tensor.Tensor) *tensor.Tensor {
	return tensor.PairwiseDistance(x, y, d.P, d.options...)
}

// String prints the layer as PyTorch does.
func (*PairwiseDistance) String() string { return "PairwiseDistance()" }
