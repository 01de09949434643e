package nn

import (
	"fmt"

	"cresset/internal/friend"
	"cresset/tensor"
)

// Embedding looks rows of a table up.
type Embedding struct {
	Weight          *tensor.Tensor // [number, width]
	Padding         *int           // an index whose row gets no gradient; nil for none
	MaxNorm         *float64       // the largest Euclidean norm of the rows that are looked up; nil for none
	ScaleGradByFreq bool           // whether a row's gradient is divided by how often it is looked up

	compute func(weight, index *tensor.Tensor) *tensor.Tensor // Forward, where ranks hold parts
}

// NewEmbedding returns a table of n rows of the given width, drawn from N(0, 1). It takes PaddingIndex, MaxNorm, ScaleGradByFreq, On
// and As.
func NewEmbedding(n, width int, opts ...EmbeddingOption) *Embedding {
	o := read(opts)
	weight, padding := o.table("Padding_idx", n, width)
	return &Embedding{Weight: weight, Padding: padding, MaxNorm: o.maxNorm, ScaleGradByFreq: o.byFrequency}
}

// table draws a table, and returns its padding index, which messages call name, from its beginning.
func (o *options) table(name string, n, width int) (weight *tensor.Tensor, padding *int) {
	weight = o.place.Empty(n, width).NormalInPlace(0, 1)
	if p := o.padding; p != nil {
		if *p < -n || *p >= n {
			panic(fault("embedding", name+" must be within num_embeddings"))
		}
		padding = new((*p + n) % n)
		weight.Select(0, *padding).ZeroInPlace()
	}
	return tensor.Parameter(weight), padding
}

// PaddingIndex names the index of an Embedding or an EmbeddingBag that stands for nothing: its row starts as zeros and gets no gradient, and
// a bag does not count it.
func PaddingIndex(i int) AnyEmbeddingOption {
	return option(func(o *options) { o.padding = &i })
}

// MaxNorm makes an Embedding or an EmbeddingBag shorten the rows that it looks up, in place, to a Euclidean norm.
func MaxNorm(norm float64) AnyEmbeddingOption {
	return option(func(o *options) { o.maxNorm = &norm })
}

// ScaleGradByFreq makes an Embedding or an EmbeddingBag divide the gradient of each row by how often the row is looked up.
func ScaleGradByFreq(on bool) AnyEmbeddingOption {
	return option(func(o *options) { o.byFrequency = on })
}

// shorten makes the rows of a table that x names no longer than a norm, where there is one.
func shorten(table, x *tensor.Tensor, norm *float64) {
	if norm == nil {
		return
	}
	table, index := table.Detach(), x.Flatten(0, -1).Long()
	rows := table.IndexSelect(0, index)
	norms := rows.NormAxes(2, []int{1}, true)
	scale := norms.AddScalar(1e-7).Reciprocal().MulScalar(*norm)
	table.IndexCopyInPlace(0, index, rows.Mul(tensor.Where(norms.GtScalar(*norm), scale, 1)))
}

// Forward returns the rows that x, of integers, names: its shape with the width added.
func (e *Embedding) Forward(x *tensor.Tensor) *tensor.Tensor {
	if e.compute != nil {
		return e.compute(e.Weight, x)
	}
	shorten(e.Weight, x, e.MaxNorm)
	byFrequency := tensor.ScaleGradByFreq(e.ScaleGradByFreq)
	if e.Padding != nil {
		return tensor.Embedding(e.Weight, x, byFrequency, tensor.PaddingIndex(*e.Padding))
	}
	return tensor.Embedding(e.Weight, x, byFrequency)
}

// Lookup is for package nn/tp, which divides the table among ranks.
func (e *Embedding) Lookup() friend.Lookup[*tensor.Tensor] {
	return friend.Lookup[*tensor.Tensor]{Weight: e.Weight, Padding: e.Padding, Compute: &e.compute}
}

// String prints the layer as PyTorch does.
func (e *Embedding) String() string {
	s := fmt.Sprintf("Embedding(%d, %d", e.Weight.Size(0), e.Weight.Size(1))
	if e.Padding != nil {
		s += fmt.Sprintf(", padding_idx=%d", *e.Padding)
	}
	if e.MaxNorm != nil {
		s += ", max_norm=" + number(*e.MaxNorm)
	}
	if e.ScaleGradByFreq {
		s += ", scale_grad_by_freq=True"
	}
	return s + ")"
}
