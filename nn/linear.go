package nn

import (
	"fmt"
	"slices"

	"cresset/internal/friend"
	"cresset/tensor"
)

// Linear is y = x·Wᵀ + b over the last axis of x.
type Linear struct {
	Weight *tensor.Tensor // [out, in]; nil where Quantized is not
	Bias   *tensor.Tensor // [out]; nil with Bias(false)

	Quantized QuantizedWeight `nn:",inline"` // what quant.Quantize has made of the weight; nil elsewhere

	compute func(x, weight, bias *tensor.Tensor) *tensor.Tensor // Forward, where ranks hold parts
}

// NewLinear returns a layer from in to out features, drawn as PyTorch draws it: the weight, then the bias, from
// U(-1/√in, 1/√in). It takes Bias, On and As.
func NewLinear(in, out int, opts ...LinearOption) *Linear {
	o := read(opts)
	l := &Linear{Weight: tensor.Parameter(kaimingUniform(o.place.Empty(out, in)))}
	if o.bias {
		l.Bias = tensor.Parameter(biasUniform(o.place.Empty(out), in))
	}
	return l
}

// QuantizedWeight is a weight in fewer bits, as those of package nn/quant.
type QuantizedWeight = friend.Quantized[*tensor.Tensor]

// Forward returns x·Wᵀ + b.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	if l.Quantized != nil {
		return l.Quantized.Linear(x, l.Bias)
	}
	if l.compute != nil {
		return l.compute(x, l.Weight, l.Bias)
	}
	return x.Linear(l.Weight, l.Bias)
}

// Product is for package nn/tp, which divides the parameters among ranks.
func (l *Linear) Product() friend.Product[*tensor.Tensor] {
	return friend.Product[*tensor.Tensor]{Weight: l.Weight, Bias: l.Bias, Compute: &l.compute, At: &l.Weight, Quantized: &l.Quantized}
}

// whole reports whether none of the layers is divided among ranks or quantized.
func whole(layers ...*Linear) bool {
	return !slices.ContainsFunc(layers, func(l *Linear) bool { return l.compute != nil || l.Quantized != nil })
}

func (l *Linear) parameters() friend.Linear[*tensor.Tensor] {
	return friend.Linear[*tensor.Tensor]{Weight: l.Weight, Bias: l.Bias}
}

// String prints the layer as PyTorch does.
func (l *Linear) String() string {
	out, in := l.size()
	if l.Quantized != nil {
		return fmt.Sprintf("Linear(in_features=%d, out_features=%d, bias=%s, weight=%s)", in, out, truth(l.Bias != nil), l.Quantized)
	}
	return fmt.Sprintf("Linear(in_features=%d, out_features=%d, bias=%s)", in, out, truth(l.Bias != nil))
}

func (l *Linear) size() (out, in int) {
	if l.Quantized != nil {
		return l.Quantized.Size()
	}
	return l.Weight.Size(0), l.Weight.Size(1)
}

// truth prints a bool as Python does.
func truth(b bool) string {
	if b {
		return "True"
	}
	return "False"
}
