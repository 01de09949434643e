package nn

import (
	"cresset/nn/nninit"
	"cresset/tensor"
)

// TransformerEncoder passes a sequence through layers in turn.
type TransformerEncoder struct {
	Layers []*TransformerEncoderLayer `nn:"layers"`
	Norm   *LayerNorm                 `nn:"norm"` // of the last layer's output; nil for none
}

// NewTransformerEncoder returns n copies of a layer in turn, and a norm behind them, which may be nil.
func NewTransformerEncoder(layer *TransformerEncoderLayer, n int, norm *LayerNorm) *TransformerEncoder {
	return &TransformerEncoder{copies(layer, n), norm}
}

// Forward returns the last layer's output for x, of which it takes what a layer takes.
func (e *TransformerEncoder) Forward(x *tensor.Tensor, opts ...AttendOption) *tensor.Tensor {
	for _, l := range e.Layers {
		x = l.Forward(x, opts...)
	}
	if e.Norm != nil {
		x = e.Norm.Forward(x)
	}
	return x
}

// TransformerDecoder passes a sequence through layers in turn, which see an encoder's output.
type TransformerDecoder struct {
	Layers []*TransformerDecoderLayer `nn:"layers"`
	Norm   *LayerNorm                 `nn:"norm"` // of the last layer's output; nil for none
}

// NewTransformerDecoder returns n copies of a layer in turn, and a norm behind them, which may be nil.
func NewTransformerDecoder(layer *TransformerDecoderLayer, n int, norm *LayerNorm) *TransformerDecoder {
	return &TransformerDecoder{copies(layer, n), norm}
}

// Forward returns the last layer's output for x and an encoder's output, of which it takes what a layer takes.
func (d *TransformerDecoder) Forward(x, memory *tensor.Tensor, opts ...AttendOption) *tensor.Tensor {
	for _, l := range d.Layers {
		x = l.Forward(x, memory, opts...)
	}
	if d.Norm != nil {
		x = d.Norm.Forward(x)
	}
	return x
}

// Transformer is an encoder, and a decoder that sees its output (Vaswani et al. 2017).
type Transformer struct {
	Encoder *TransformerEncoder `nn:"encoder"`
	Decoder *TransformerDecoder `nn:"decoder"`

	batchFirst bool
}

// NewTransformer returns an encoder and a decoder of so many layers, with norms behind them. Matrices are drawn as Xavier's uniform numbers. It takes what
// NewTransformerEncoderLayer takes.
func NewTransformer(width, heads, encoders, decoders int, opts ...TransformerOption) *Transformer {
	o := read(opts)
	t := &Transformer{batchFirst: o.rnn.batchFirst}
	t.Encoder = NewTransformerEncoder(NewTransformerEncoderLayer(width, heads, opts...), encoders, o.layerNorm(width))
	t.Decoder = NewTransformerDecoder(NewTransformerDecoderLayer(width, heads, opts...), decoders, o.layerNorm(width))
	for _, p := range Parameters(t) {
		if p.Dim() > 1 {
			nninit.XavierUniform(p)
		}
	}
	return t
}

// Forward returns the decoder's output for y, which sees the encoder's output for x. It takes AttentionMask, KeyPadding and Causal for y, Source with these for
// x, and Memory with these for what y sees of x.
func (t *Transformer) Forward(x, y *tensor.Tensor, opts ...AttendOption) *tensor.Tensor {
	batch := 1
	if t.batchFirst {
		batch = 0
	}
	if x.Dim() == 3 && y.Dim() == 3 && x.Size(batch) != y.Size(batch) {
		panic(fault("transformer", "the batch number of src and tgt must be equal"))
	}
	var own, source []AttendOption
	for _, o := range opts {
		if s, is := o.(sourceOption); is {
			source = append(source, s.AttendOption)
		} else {
			own = append(own, o)
		}
	}
	return t.Decoder.Forward(y, t.Encoder.Forward(x, source...), own...)
}

// Memory makes an option of a decoder's attention to itself one of its attention to an encoder's output.
func Memory(o AttendOption) AttendOption { return memoryOption{o} }

// Source makes an option of a decoder's attention to itself one of the attention of the encoder before it.
func Source(o AttendOption) AttendOption { return sourceOption{o} }

type (
	memoryOption struct{ AttendOption }
	sourceOption struct{ AttendOption }
)

// apart returns the options of a decoder's attention to itself, and those of its attention to an encoder's output.
func apart(opts []AttendOption) (own, memory []AttendOption) {
	for _, o := range opts {
		if m, is := o.(memoryOption); is {
			memory = append(memory, m.AttendOption)
		} else {
			own = append(own, o)
		}
	}
	return own, memory
}

// copies returns n layers with parameters of their own that are equal.
func copies[L any](layer L, n int) []L {
	var layers []L
	for range n {
		layers = append(layers, Copy(layer, func(t *tensor.Tensor) *tensor.Tensor { return tensor.Parameter(t.Detach().Clone()) }))
	}
	return layers
}
