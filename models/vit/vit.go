// Package vit is the vision transformer of Dosovitskiy et al. (2020), which reads a picture as a sequence of square patches. Names of parameters are those of
// transformers.
package vit

import (
	"cresset/internal/hub"
	"cresset/nn"
	"cresset/tensor"
)

// Model gives pictures scores of classes.
type Model struct {
	Body       Body       `nn:"vit"`
	Classifier *nn.Linear `nn:"classifier"`
	Config     Config
}

// Body is the model without its classifier.
type Body struct {
	Embeddings *Embedding    `nn:"embeddings"`
	Layers     []*Layer      `nn:"encoder.layer"`
	Norm       *nn.LayerNorm `nn:"layernorm"`

	// GradientCheckpointing keeps the input of each layer alone in training, and computes the rest again for the gradients.
	GradientCheckpointing bool
}

// Embedding makes a vector of each patch, puts one for the whole picture before them, and adds vectors for their places.
type Embedding struct {
	Class     *tensor.Tensor `nn:"cls_token"`           // [1, 1, width]
	Positions *tensor.Tensor `nn:"position_embeddings"` // [1, 1 + patches, width]
	Patches   *nn.Conv2D     `nn:"patch_embeddings.projection"`
	Dropout   *nn.Dropout    `nn:"dropout"`
}

// Layer adds to x what its patches see of each other, then what is made of each alone, each of x after a norm.
type Layer struct {
	Query   *nn.Linear    `nn:"attention.attention.query"`
	Key     *nn.Linear    `nn:"attention.attention.key"`
	Value   *nn.Linear    `nn:"attention.attention.value"`
	Weights *nn.Dropout   `nn:"attention.attention.dropout"`
	Merge   *nn.Linear    `nn:"attention.output.dense"`
	Hidden  *nn.Linear    `nn:"intermediate.dense"`
	Output  *nn.Linear    `nn:"output.dense"`
	Before  *nn.LayerNorm `nn:"layernorm_before"`
	After   *nn.LayerNorm `nn:"layernorm_after"`
	Dropout *nn.Dropout   `nn:"output.dropout"`
	size    int           // of a head
	f       func(*tensor.Tensor) *tensor.Tensor
}

// Forward returns the scores [batch, classes] of pictures [batch, channels, size, size].
func (m *Model) Forward(x *tensor.Tensor) *tensor.Tensor {
	return m.Classifier.Forward(m.Body.Forward(x).Select(1, 0))
}

// Forward returns the last layer's output [batch, 1 + patches, width], first that for the whole picture.
func (b *Body) Forward(x *tensor.Tensor) *tensor.Tensor {
	x = b.Embeddings.Forward(x)
	for _, l := range b.Layers {
		if b.GradientCheckpointing && l.Dropout.Training() {
			x = nn.Checkpoint(l.Forward, x)
		} else {
			x = l.Forward(x)
		}
	}
	return b.Norm.Forward(x)
}

// Forward returns the vectors [batch, 1 + patches, width] of pictures [batch, channels, size, size].
func (e *Embedding) Forward(x *tensor.Tensor) *tensor.Tensor {
	patches := e.Patches.Forward(x).Flatten(2, 3).Transpose(1, 2)
	class := e.Class.Expand(x.Size(0), 1, e.Class.Size(2))
	return e.Dropout.Forward(tensor.Cat([]*tensor.Tensor{class, patches}, 1).Add(e.Positions))
}

// Forward returns the layer's output for x [batch, patches, width].
func (l *Layer) Forward(x *tensor.Tensor) *tensor.Tensor {
	y := l.Before.Forward(x)
	q := hub.SplitHeads(l.Query.Forward(y), l.size)
	k := hub.SplitHeads(l.Key.Forward(y), l.size)
	v := hub.SplitHeads(l.Value.Forward(y), l.size)
	hub.Spent(y)
	seen := hub.Dropped(l.Dropout, l.Merge.Forward(hub.MergeHeads(hub.Attend(q, k, v, nil, l.Weights))))
	x, y = hub.LayerNormOfSum(l.After, x, seen)
	hub.Spent(seen)
	defer hub.Spent(y)
	return hub.FeedForward(l.f, x, y, l.Hidden, l.Output, l.Dropout)
}

// Settings returns m.Config.
func (m *Model) Settings() any { return m.Config }
