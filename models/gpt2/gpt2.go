// Package gpt2 is the decoder of Radford et al. (2019), with the names that transformers has for its parameters. Models of a few layers are trained by
// cresset train --model gpt.
package gpt2

import (
	"math"

	"cresset/internal/hub"
	"cresset/nn"
	"cresset/tensor"
)

// Model predicts the token after each token.
type Model struct {
	Body   Body       `nn:"transformer"`
	Head   *nn.Linear `nn:"lm_head"` // from the last layer to the tokens' scores
	Config Config
}

// Body is the model without its output layer.
type Body struct {
	Tokens    *nn.Embedding `nn:"wte"`
	Positions *nn.Embedding `nn:"wpe"`
	Dropout   *nn.Dropout   `nn:"drop"`
	Layers    []*Layer      `nn:"h"`
	Norm      *nn.LayerNorm `nn:"ln_f"`

	// GradientCheckpointing keeps the input of each layer alone in training, and computes the rest again for the gradients.
	GradientCheckpointing bool
}

// Layer adds to x what its tokens see of each other, then what is made of each alone.
type Layer struct {
	Norm      *nn.LayerNorm `nn:"ln_1"`
	Attention *Attention    `nn:"attn"`
	MLPNorm   *nn.LayerNorm `nn:"ln_2"`
	MLP       *MLP          `nn:"mlp"`
}

// Attention is causal attention of several heads.
type Attention struct {
	Input           *Conv1D     `nn:"c_attn"` // makes queries, keys and values, beside each other
	Output          *Conv1D     `nn:"c_proj"`
	WeightDropout   *nn.Dropout `nn:"attn_dropout"`
	ResidualDropout *nn.Dropout `nn:"resid_dropout"`
	size            int         // of a head
	scale           float64
}

// MLP is two layers with an activation between.
type MLP struct {
	Input   *Conv1D     `nn:"c_fc"`
	Output  *Conv1D     `nn:"c_proj"`
	Dropout *nn.Dropout `nn:"dropout"`
	f       func(*tensor.Tensor) *tensor.Tensor
}

// Conv1D is x·W + b over the last axis of x: a Linear whose weight lies transposed.
type Conv1D struct {
	Weight *tensor.Tensor // [in, out]
	Bias   *tensor.Tensor // [out]

	Quantized nn.QuantizedWeight `nn:",inline"` // [out, in]: what quant.Quantize has made of the weight, which is nil then

	compute func(x, weight, bias *tensor.Tensor) *tensor.Tensor // Forward, where ranks hold parts
}

// Forward returns x·W + b.
func (c *Conv1D) Forward(x *tensor.Tensor) *tensor.Tensor {
	if c.Quantized != nil {
		return c.Quantized.Linear(x, c.Bias)
	}
	if c.compute != nil {
		return c.compute(x, c.Weight.Transpose(0, 1), c.Bias)
	}
	return x.Linear(c.Weight.Transpose(0, 1), c.Bias)
}

// New returns a model of given sizes with new weights: normal ones of InitializerRange, smaller by √(2·Layers) before each addition to the stream, biases of 0.
// It takes On and As.
func New(c Config, opts ...nn.Option) (*Model, error) {
	c = c.filled()
	if err := c.check(); err != nil {
		return nil, err
	}
	f, err := hub.Activation("activation_function", c.Activation)
	if err != nil {
		return nil, err
	}
	m := &Model{Config: c, Body: Body{
		Tokens:    nn.NewEmbedding(c.Vocabulary, c.Width, hub.Embedding(opts)...),
		Positions: nn.NewEmbedding(c.Positions, c.Width, hub.Embedding(opts)...),
		Dropout:   nn.NewDropout(c.EmbedDropout),
		Norm:      c.norm(opts),
	}}
	for i := range c.Layers {
		m.Body.Layers = append(m.Body.Layers, &Layer{
			Norm:      c.norm(opts),
			Attention: &Attention{conv1D(c.Width, 3*c.Width, opts), conv1D(c.Width, c.Width, opts), nn.NewDropout(c.AttentionDropout), nn.NewDropout(c.ResidualDropout), c.Width / c.Heads, c.scale(i)},
			MLPNorm:   c.norm(opts),
			MLP:       &MLP{conv1D(c.Width, c.Hidden, opts), conv1D(c.Hidden, c.Width, opts), nn.NewDropout(c.ResidualDropout), f},
		})
	}
	m.Head = nn.NewLinear(c.Width, c.Vocabulary, hub.Linear(false, opts)...)
	if c.Tied == nil || *c.Tied {
		m.Head.Weight = m.Body.Tokens.Weight
	}
	m.initialize()
	return m, nil
}

func conv1D(in, out int, opts []nn.Option) *Conv1D {
	place := nn.PlaceOf(opts...)
	return &Conv1D{Weight: tensor.Parameter(place.Empty(in, out)), Bias: tensor.Parameter(place.Zeros(out))}
}

func (c Config) norm(opts []nn.Option) *nn.LayerNorm {
	return nn.NewLayerNorm([]int{c.Width}, hub.LayerNorm(c.Eps, opts)...)
}

// initialize draws the weights.
func (m *Model) initialize() {
	hub.Initialize(m, m.Config.InitializerRange)
	for _, l := range m.Body.Layers {
		for _, last := range []*Conv1D{l.Attention.Output, l.MLP.Output} {
			last.Weight.Detach().NormalInPlace(0, m.Config.InitializerRange/math.Sqrt(float64(2*m.Config.Layers)))
		}
	}
}

// Settings returns m.Config.
func (m *Model) Settings() any { return m.Config }

// MaxPositions returns m.Config.Positions.
func (m *Model) MaxPositions() int { return m.Config.Positions }

// Forward returns the scores [batch, tokens, vocabulary] of the tokens after each of ids [batch, tokens].
func (m *Model) Forward(ids *tensor.Tensor) *tensor.Tensor { return m.Read(ids, nn.NoPast) }

// Read is Forward for tokens that come after those that past remembers.
func (m *Model) Read(ids *tensor.Tensor, past nn.Past) (scores *tensor.Tensor) {
	defer hub.ForgetFailed(past, ids)(&scores)
	x := m.Body.Read(ids, past)
	defer hub.Spent(x)
	return m.Head.Forward(past.Wanted(x))
}

// Read returns the last layer's output [batch, tokens, width].
func (b *Body) Read(ids *tensor.Tensor, past nn.Past) *tensor.Tensor {
	positions := nn.PositionIDs(past, ids.Size(1), ids.Device())
	tokens, places := b.Tokens.Forward(ids), b.Positions.Forward(positions)
	x := hub.Dropped(b.Dropout, tokens.Add(places))
	hub.Spent(tokens, places)
	for i, layer := range b.Layers {
		read := func(x *tensor.Tensor) *tensor.Tensor { return layer.read(x, past, i) }
		if b.GradientCheckpointing && b.Dropout.Training() {
			x = nn.Checkpoint(read, x)
		} else {
			x = read(x)
		}
	}
	return b.Norm.Forward(x)
}

func (l *Layer) read(x *tensor.Tensor, past nn.Past, i int) *tensor.Tensor {
	y := l.Norm.Forward(x)
	seen := l.Attention.read(y, past, i)
	hub.Spent(y)
	x, y = hub.LayerNormOfSum(l.MLPNorm, x, seen)
	hub.Spent(seen)
	defer hub.Spent(y)
	return l.MLP.AddedTo(x, y)
}

func (a *Attention) read(x *tensor.Tensor, past nn.Past, i int) *tensor.Tensor {
	three := a.Input.Forward(x).Chunk(3, -1)
	q, k, v := hub.SplitHeads(three[0], a.size), hub.SplitHeads(three[1], a.size), hub.SplitHeads(three[2], a.size)
	how := nn.Attention{Scale: a.scale}
	if a.WeightDropout.Training() {
		how.Dropout = a.WeightDropout.P
	}
	return hub.Dropped(a.ResidualDropout, a.Output.Forward(hub.MergeHeads(past.Attend(i, q, k, v, how))))
}

// AddedTo returns residual plus the second layer of the activation of the first.
func (m *MLP) AddedTo(residual, x *tensor.Tensor) *tensor.Tensor {
	return hub.FeedForward(m.f, residual, x, m.Input, m.Output, m.Dropout)
}
