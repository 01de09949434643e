package nn

import (
	"fmt"

	"cresset/internal/friend"
	"cresset/tensor"
)

// Linear is y = x·Wᵀ + b over the last axis of x.
type Linear struct {
	Weight *tensor.Tensor // [out, in]
	Bias   *tensor.Tensor // [out]; nil with Bias(false)

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

// Forward returns x·Wᵀ + b.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	if l.compute != nil {
		return l.compute(x, l.Weight, l.Bias)
	}
	return x.Linear(l.Weight, l.Bias)
}

// Product is for package nn/tp, which divides the parameters among ranks.
func (l *Linear) Product() friend.Product[*tensor.Tensor] {
	return friend.Product[*tensor.Tensor]{Weight: l.Weight, Bias: l.Bias, Compute: &l.compute}
}

// whole reports whether none of the layers is divided among ranks.
func whole(layers ...*Linear) bool {
	for _, l := range layers {
		if l.compute != nil {
			return false
		}
	}
	return true
}

func (l *Linear) parameters() friend.Linear[*tensor.Tensor] {
	return friend.Linear[*tensor.Tensor]{Weight: l.Weight, Bias: l.Bias}
}

// String prints the layer as PyTorch does.
func (l *Linear) String() string {
	return fmt.Sprintf("Linear(in_features=%d, out_features=%d, bias=%s)", l.Weight.Size(1), l.Weight.Size(0), truth(l.Bias != nil))
}

// truth prints a bool as Python does.
func truth(b bool) string {
	if b {
		return "True"
	}
	return "False"
}
