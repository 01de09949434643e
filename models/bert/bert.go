// Package bert is the encoder of Devlin et al. (2018), whose tokens see each other in both directions: for classes of texts, for tokens that are masked,
// and for vectors that stand for texts. Names of parameters are those of transformers.
package bert

import (
	"cresset/internal/hub"
	"cresset/nn"
	"cresset/tensor"
)

// Model is the encoder with what it is made for: of Pooler, Predictions and Classifier those are nil that its architecture lacks.
type Model struct {
	Body        Body         `nn:"bert"`
	Predictions *Predictions `nn:"cls.predictions"`
	Dropout     *nn.Dropout  `nn:"dropout"`
	Classifier  *nn.Linear   `nn:"classifier"`
	Config      Config
}

// Body is the encoder.
type Body struct {
	Embeddings *Embedding `nn:"embeddings"`
	Layers     []*Layer   `nn:"encoder.layer"`
	Pooler     *nn.Linear `nn:"pooler.dense"`
}

// Embedding adds the vectors of a token, of its position and of its type.
type Embedding struct {
	Words     *nn.Embedding `nn:"word_embeddings"`
	Positions *nn.Embedding `nn:"position_embeddings"`
	Types     *nn.Embedding `nn:"token_type_embeddings"`
	Norm      *nn.LayerNorm `nn:"LayerNorm"`
	Dropout   *nn.Dropout   `nn:"dropout"`
}

// Layer adds to x what its tokens see of each other, then what is made of each alone, each with a norm behind it.
type Layer struct {
	Query     *nn.Linear  `nn:"attention.self.query"`
	Key       *nn.Linear  `nn:"attention.self.key"`
	Value     *nn.Linear  `nn:"attention.self.value"`
	Weights   *nn.Dropout `nn:"attention.self.dropout"`
	Attention *Sum        `nn:"attention.output"`
	Hidden    *nn.Linear  `nn:"intermediate.dense"`
	Output    *Sum        `nn:"output"`
	size      int         // of a head
	f         func(*tensor.Tensor) *tensor.Tensor
}

// Sum is a linear layer whose output is added to x, and a norm of both.
type Sum struct {
	Dense   *nn.Linear    `nn:"dense"`
	Norm    *nn.LayerNorm `nn:"LayerNorm"`
	Dropout *nn.Dropout   `nn:"dropout"`
}

// Predictions are the scores of the tokens that may stand at each place.
type Predictions struct {
	Dense   *nn.Linear     `nn:"transform.dense"`
	Norm    *nn.LayerNorm  `nn:"transform.LayerNorm"`
	Decoder *nn.Linear     `nn:"decoder"` // whose weight is the table of words
	Bias    *tensor.Tensor `nn:"bias"`    // the decoder's
	f       func(*tensor.Tensor) *tensor.Tensor
}

// Input is a batch of texts, padded to one length.
type Input struct {
	IDs   *tensor.Tensor // of tokens [batch, tokens]
	Mask  *tensor.Tensor // 1 for tokens and 0 for padding [batch, tokens]; nil: there is no padding
	Types *tensor.Tensor // 0 for tokens of the first sentence and 1 for those of the second [batch, tokens]; nil: all are of the first
}

// Forward returns the scores of classes [batch, classes], or of the tokens at each place [batch, tokens, vocabulary], or what Hidden does where the model is made
// for neither.
func (m *Model) Forward(in Input) *tensor.Tensor {
	switch x := m.Hidden(in); {
	case m.Classifier != nil:
		return m.Classifier.Forward(m.Dropout.Forward(m.Pool(x)))
	case m.Predictions != nil:
		return m.Predictions.Forward(x)
	default:
		return x
	}
}

// Hidden returns the last layer's output [batch, tokens, width].
func (m *Model) Hidden(in Input) *tensor.Tensor {
	x, mask := m.Body.Embeddings.Forward(in), in.mask()
	for _, l := range m.Body.Layers {
		x = l.Forward(x, mask)
	}
	return x
}

// Pool returns tanh(pooler(the first token's x)) [batch, width].
func (m *Model) Pool(x *tensor.Tensor) *tensor.Tensor {
	return m.Body.Pooler.Forward(x.Select(1, 0)).Tanh()
}

// Mean returns the mean of x [batch, tokens, width] over the tokens of a batch that are no padding, which stands for each text in models that were trained for it.
func (in Input) Mean(x *tensor.Tensor) *tensor.Tensor {
	if in.Mask == nil {
		return x.MeanAxes([]int{1})
	}
	weights := in.Mask.To(x.DType()).Unsqueeze(-1)
	return x.Mul(weights).SumAxes([]int{1}).Div(weights.SumAxes([]int{1}))
}

// mask returns which tokens others see, [batch, 1, 1, tokens]; nil for all.
func (in Input) mask() *tensor.Tensor {
	if in.Mask == nil {
		return nil
	}
	return in.Mask.Bool().Unsqueeze(1).Unsqueeze(1)
}

// Forward returns the vectors of all tokens [batch, tokens, width].
func (e *Embedding) Forward(in Input) *tensor.Tensor {
	types := in.Types
	if types == nil {
		types = tensor.ZerosLike(in.IDs)
	}
	positions := tensor.On(in.IDs.Device()).Arange(0, in.IDs.Size(1), 1)
	x := e.Words.Forward(in.IDs).Add(e.Types.Forward(types)).Add(e.Positions.Forward(positions))
	return e.Dropout.Forward(e.Norm.Forward(x))
}

// Forward returns the layer's output for x [batch, tokens, width]; mask tells which tokens others see, nil for all.
func (l *Layer) Forward(x, mask *tensor.Tensor) *tensor.Tensor {
	q := hub.SplitHeads(l.Query.Forward(x), l.size)
	k := hub.SplitHeads(l.Key.Forward(x), l.size)
	v := hub.SplitHeads(l.Value.Forward(x), l.size)
	x = l.Attention.Forward(hub.MergeHeads(hub.Attend(q, k, v, mask, l.Weights)), x)
	o := l.Output
	return hub.FeedForwardNorm(o.Norm, l.f, x, x, l.Hidden, o.Dense, o.Dropout)
}

// Forward returns norm(dense(y) + x).
func (s *Sum) Forward(y, x *tensor.Tensor) *tensor.Tensor {
	_, y = hub.LayerNormOfSum(s.Norm, s.Dropout.Forward(s.Dense.Forward(y)), x)
	return y
}

// Forward returns the scores [batch, tokens, vocabulary] of the tokens at each place.
func (p *Predictions) Forward(x *tensor.Tensor) *tensor.Tensor {
	return p.Decoder.Forward(p.Norm.Forward(p.f(p.Dense.Forward(x))))
}

// Settings returns m.Config.
func (m *Model) Settings() any { return m.Config }
