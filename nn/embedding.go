package nn

import (
	"fmt"

	"cresset/tensor"
)

// Embedding looks rows of a table up.
type Embedding struct {
	Weight  *tensor.Tensor // [number, width]
	Padding *int           // an index whose row gets no gradient; nil for none
}

// NewEmbedding returns a table of n rows of the given width, drawn from N(0, 1). It takes PaddingIndex, On and As.
func NewEmbedding(n, width int, opts ...EmbeddingOption) *Embedding {
	o := read(opts)
	e := &Embedding{Weight: o.place.Empty(n, width).NormalInPlace(0, 1)}
	if p := o.padding; p != nil {
		if *p < -n || *p >= n {
			panic(fault("embedding", "Padding_idx must be within num_embeddings"))
		}
		e.Padding = new((*p + n) % n)
		e.Weight.Select(0, *e.Padding).ZeroInPlace()
	}
	e.Weight = tensor.Parameter(e.Weight)
	return e
}

// PaddingIndex names the index of an Embedding that stands for nothing: its row starts as zeros and gets no gradient.
func PaddingIndex(i int) EmbeddingOption {
	return option(func(o *options) { o.padding = &i })
}

// Forward returns the rows that x, of integers, names: its shape with the width added.
func (e *Embedding) Forward(x *tensor.Tensor) *tensor.Tensor {
	if e.Padding != nil {
		return tensor.Embedding(e.Weight, x, tensor.PaddingIndex(*e.Padding))
	}
	return tensor.Embedding(e.Weight, x)
}

// String prints the layer as PyTorch does.
func (e *Embedding) String() string {
	s := fmt.Sprintf("Embedding(%d, %d", e.Weight.Size(0), e.Weight.Size(1))
	if e.Padding != nil {
		s += fmt.Sprintf(", padding_idx=%d", *e.Padding)
	}
	return s + ")"
}
