package nn

import (
	"fmt"

	"cresset/tensor"
)

// EmbeddingBag looks rows of a table up and sums them bag by bag, or takes their mean or the largest of each column.
type EmbeddingBag struct {
	Weight            *tensor.Tensor // [number, width]
	BagMode           tensor.BagMode
	Padding           *int     // an index whose row does not count; nil for none
	MaxNorm           *float64 // the largest Euclidean norm of the rows that are looked up; nil for none
	ScaleGradByFreq   bool     // whether a row's gradient is divided by how often it is looked up
	IncludeLastOffset bool
}

// EmbeddingBagOption is an option of NewEmbeddingBag.
type EmbeddingBagOption interface {
	setter
	embeddingBag()
}

// AnyEmbeddingOption is an option of NewEmbedding and NewEmbeddingBag.
type AnyEmbeddingOption interface {
	EmbeddingOption
	EmbeddingBagOption
}

// BagMode is what an EmbeddingBag makes of the rows of a bag, tensor.MeanBags unless given.
func BagMode(m tensor.BagMode) EmbeddingBagOption {
	return option(func(o *options) { o.bagMode = m })
}

// IncludeLastOffset makes the last of an EmbeddingBag's offsets the end of the last bag.
func IncludeLastOffset(on bool) EmbeddingBagOption {
	return option(func(o *options) { o.includeLast = on })
}

// NewEmbeddingBag returns a table of n rows of the given width, drawn from N(0, 1). It takes BagMode, PaddingIndex, MaxNorm,
// ScaleGradByFreq, IncludeLastOffset, On and As.
func NewEmbeddingBag(n, width int, opts ...EmbeddingBagOption) *EmbeddingBag {
	o := read(opts)
	weight, padding := o.table("padding_idx", n, width)
	return &EmbeddingBag{weight, o.bagMode, padding, o.maxNorm, o.byFrequency, o.includeLast}
}

// Forward returns a row for each bag of indices x: of each row of a matrix, where offsets is nil, or of the parts of a vector that begin
// at offsets.
func (e *EmbeddingBag) Forward(x, offsets *tensor.Tensor) *tensor.Tensor {
	shorten(e.Weight, x, e.MaxNorm)
	return tensor.EmbeddingBag(e.Weight, x, offsets, e.options()...)
}

// ForwardWeighted is Forward with a weight for each index, PyTorch's per_sample_weights, for tensor.SumBags.
func (e *EmbeddingBag) ForwardWeighted(x, offsets, weights *tensor.Tensor) *tensor.Tensor {
	shorten(e.Weight, x, e.MaxNorm)
	return tensor.EmbeddingBag(e.Weight, x, offsets, append(e.options(), tensor.PerSampleWeights(weights))...)
}

func (e *EmbeddingBag) options() []tensor.EmbeddingBagOption {
	opts := []tensor.EmbeddingBagOption{e.BagMode, tensor.IncludeLastOffset(e.IncludeLastOffset), tensor.ScaleGradByFreq(e.ScaleGradByFreq)}
	if e.Padding != nil {
		opts = append(opts, tensor.PaddingIndex(*e.Padding))
	}
	return opts
}

// String prints the layer as PyTorch does.
func (e *EmbeddingBag) String() string {
	s := fmt.Sprintf("EmbeddingBag(%d, %d", e.Weight.Size(0), e.Weight.Size(1))
	if e.MaxNorm != nil {
		s += ", max_norm=" + number(*e.MaxNorm)
	}
	if e.ScaleGradByFreq {
		s += ", scale_grad_by_freq=True"
	}
	s += fmt.Sprintf(", mode='%s'", e.BagMode)
	if e.Padding != nil {
		s += fmt.Sprintf(", padding_idx=%d", *e.Padding)
	}
	return s + ")"
}
