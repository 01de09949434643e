package nn

import (
	"cresset/tensor"
)

// TransformerOption is an option of NewTransformerEncoderLayer, NewTransformerDecoderLayer and NewTransformer.
type TransformerOption interface {
	setter
	transformer()
}

type transformerOptions struct {
	hidden     int
	dropout    float64
	activation string
	normFirst  bool
}

// FeedForward is the width within the two layers after attention, PyTorch's dim_feedforward=; 2048 unless given.
func FeedForward(width int) TransformerOption {
	return option(func(o *options) { o.transformer.hidden = width })
}

// DropoutP is the probability with which elements and weights of attention are dropped in training, PyTorch's dropout=; 0.1 unless given.
func DropoutP(p float64) TransformerOption {
	return option(func(o *options) { o.transformer.dropout = probability(p) })
}

// ActivationName is the function between the two layers after attention: "relu", as it is unless given, or "gelu".
func ActivationName(name string) TransformerOption {
	return option(func(o *options) { o.transformer.activation = name })
}

// NormFirst normalises what attention and the layers after it get, in place of what they make with what they got.
func NormFirst(on bool) TransformerOption {
	return option(func(o *options) { o.transformer.normFirst = on })
}

// transformerDefaults are PyTorch's.
var transformerDefaults = transformerOptions{hidden: 2048, dropout: 0.1, activation: "relu"}

// FeedForwardLayers are the two layers that make something of each token after attention.
type FeedForwardLayers struct {
	Linear1 *Linear  `nn:"linear1"`
	Dropout *Dropout `nn:"dropout"`
	Linear2 *Linear  `nn:"linear2"`

	f func(*tensor.Tensor) *tensor.Tensor
}

// feedForward draws the layers.
func (o *options) feedForward(width int) FeedForwardLayers {
	f, known := map[string]func(*tensor.Tensor) *tensor.Tensor{"relu": (*tensor.Tensor).ReLU, "gelu": (*tensor.Tensor).GELU}[o.transformer.activation]
	if !known {
		panic(fault("transformer", "activation should be relu/gelu, not "+o.transformer.activation))
	}
	return FeedForwardLayers{o.linear(width, o.transformer.hidden), NewDropout(o.transformer.dropout), o.linear(o.transformer.hidden, width), f}
}

// Forward returns the second layer of the activation of the first.
func (f *FeedForwardLayers) Forward(x *tensor.Tensor) *tensor.Tensor {
	var y *tensor.Tensor
	if whole(f.Linear1) {
		y = inner.LinearThen(f.f, x, f.Linear1.parameters())
	}
	if y == nil {
		y = f.f(f.Linear1.Forward(x))
	}
	return f.Linear2.Forward(f.Dropout.Forward(y))
}

// joined returns residual plus Forward's result where dropouts leave all of it and GPUs add as the product stores it; else nil.
func (f *FeedForwardLayers) joined(residual, x *tensor.Tensor, dropout *Dropout) *tensor.Tensor {
	if f.Dropout.drops() || dropout.drops() || !whole(f.Linear1, f.Linear2) {
		return nil
	}
	return inner.FeedForward(f.f, x, f.Linear1.parameters(), f.Linear2.parameters(), residual)
}

// stream is what the steps of a layer add to, each beside a norm: of what it computes with where norms come first, else of the sum.
type stream struct {
	x, more   *tensor.Tensor // their sum is the stream; more, of the step before, may be nil
	normFirst bool
}

// step adds what f makes of the stream.
func (s *stream) step(norm *LayerNorm, f func(x *tensor.Tensor) *tensor.Tensor) {
	if s.normFirst {
		s.more = f(s.normalized(norm))
	} else {
		_, s.x = norm.ofSum(s.x, f(s.x))
	}
}

// last is step for the layers that come last, and returns the stream.
func (s *stream) last(norm *LayerNorm, f *FeedForwardLayers, dropout *Dropout) *tensor.Tensor {
	x := s.x
	if s.normFirst {
		x = s.normalized(norm)
	}
	y := f.joined(s.x, x, dropout)
	switch {
	case y == nil && s.normFirst:
		return dropout.AddedTo(s.x, f.Forward(x))
	case y == nil:
		_, y = norm.ofSum(s.x, dropout.Forward(f.Forward(x)))
	case !s.normFirst:
		y = norm.Forward(y)
	}
	return y
}

// normalized returns the norm of the stream, and adds up what that is.
func (s *stream) normalized(norm *LayerNorm) (y *tensor.Tensor) {
	if s.more == nil {
		return norm.Forward(s.x)
	}
	s.x, y = norm.ofSum(s.x, s.more)
	s.more = nil
	return y
}

// TransformerEncoderLayer is attention of a sequence to itself, then two layers for each token; each adds to what it gets, beside a norm.
type TransformerEncoderLayer struct {
	SelfAttention     *MultiheadAttention `nn:"self_attn"`
	FeedForwardLayers `nn:",inline"`
	Norm1             *LayerNorm `nn:"norm1"` // of attention
	Norm2             *LayerNorm `nn:"norm2"` // of the layers after it
	Dropout1          *Dropout   `nn:"dropout1"`
	Dropout2          *Dropout   `nn:"dropout2"`
	NormFirst         bool
}

// NewTransformerEncoderLayer returns the layer for vectors of a width, drawn as PyTorch draws it. It takes FeedForward, DropoutP, ActivationName, NormFirst, Eps,
// BatchFirst, Bias, On and As.
func NewTransformerEncoderLayer(width, heads int, opts ...TransformerOption) *TransformerEncoderLayer {
	o := read(opts)
	return &TransformerEncoderLayer{
		SelfAttention:     o.selfAttention(width, heads),
		FeedForwardLayers: o.feedForward(width),
		Norm1:             o.layerNorm(width),
		Norm2:             o.layerNorm(width),
		Dropout1:          NewDropout(o.transformer.dropout),
		Dropout2:          NewDropout(o.transformer.dropout),
		NormFirst:         o.transformer.normFirst,
	}
}

// Forward returns the layer's output for x [tokens, batch, width], or [batch, tokens, width] with BatchFirst. It takes AttentionMask, KeyPadding and
// Causal.
func (l *TransformerEncoderLayer) Forward(x *tensor.Tensor, opts ...AttendOption) *tensor.Tensor {
	s := stream{x: x, normFirst: l.NormFirst}
	s.step(l.Norm1, func(x *tensor.Tensor) *tensor.Tensor {
		return l.Dropout1.Forward(l.SelfAttention.Forward(x, x, x, opts...))
	})
	return s.last(l.Norm2, &l.FeedForwardLayers, l.Dropout2)
}

// TransformerDecoderLayer is attention of a sequence to itself, attention to an encoder's output, then two layers for each token; each adds to what it gets,
// beside a norm.
type TransformerDecoderLayer struct {
	SelfAttention     *MultiheadAttention `nn:"self_attn"`
	CrossAttention    *MultiheadAttention `nn:"multihead_attn"`
	FeedForwardLayers `nn:",inline"`
	Norm1             *LayerNorm `nn:"norm1"` // of attention to itself
	Norm2             *LayerNorm `nn:"norm2"` // of attention to the encoder's output
	Norm3             *LayerNorm `nn:"norm3"` // of the layers after it
	Dropout1          *Dropout   `nn:"dropout1"`
	Dropout2          *Dropout   `nn:"dropout2"`
	Dropout3          *Dropout   `nn:"dropout3"`
	NormFirst         bool
}

// NewTransformerDecoderLayer returns the layer for vectors of a width, drawn as PyTorch draws it. It takes what NewTransformerEncoderLayer takes.
func NewTransformerDecoderLayer(width, heads int, opts ...TransformerOption) *TransformerDecoderLayer {
	o := read(opts)
	return &TransformerDecoderLayer{
		SelfAttention:     o.selfAttention(width, heads),
		CrossAttention:    o.selfAttention(width, heads),
		FeedForwardLayers: o.feedForward(width),
		Norm1:             o.layerNorm(width),
		Norm2:             o.layerNorm(width),
		Norm3:             o.layerNorm(width),
		Dropout1:          NewDropout(o.transformer.dropout),
		Dropout2:          NewDropout(o.transformer.dropout),
		Dropout3:          NewDropout(o.transformer.dropout),
		NormFirst:         o.transformer.normFirst,
	}
}

// Forward returns the layer's output for x and an encoder's output, which is memory; both are [tokens, batch, width], or [batch, tokens, width] with
// BatchFirst. It takes AttentionMask, KeyPadding and Causal for x, and Memory with the same for memory.
func (l *TransformerDecoderLayer) Forward(x, memory *tensor.Tensor, opts ...AttendOption) *tensor.Tensor {
	own, other := apart(opts)
	s := stream{x: x, normFirst: l.NormFirst}
	s.step(l.Norm1, func(x *tensor.Tensor) *tensor.Tensor {
		return l.Dropout1.Forward(l.SelfAttention.Forward(x, x, x, own...))
	})
	s.step(l.Norm2, func(x *tensor.Tensor) *tensor.Tensor {
		return l.Dropout2.Forward(l.CrossAttention.Forward(x, memory, memory, other...))
	})
	return s.last(l.Norm3, &l.FeedForwardLayers, l.Dropout3)
}

func (o *options) selfAttention(width, heads int) *MultiheadAttention {
	return NewMultiheadAttention(width, heads, AttentionDropout(o.transformer.dropout), option(func(to *options) {
		to.place, to.bias, to.rnn.batchFirst = o.place, o.bias, o.rnn.batchFirst
	}))
}

func (o *options) linear(in, out int) *Linear {
	return NewLinear(in, out, option(func(to *options) { to.place, to.bias = o.place, o.bias }))
}

func (o *options) layerNorm(width int) *LayerNorm {
	return NewLayerNorm([]int{width}, option(func(to *options) { to.place, to.bias, to.eps = o.place, o.bias, o.eps }))
}
