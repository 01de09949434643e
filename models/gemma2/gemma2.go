// Package gemma2 is the decoder of Gemma 2 (2024): norms before and after each step, layers that see a window of tokens between those that see all, and
// scores that are bounded by a tanh. Names of parameters are those of transformers.
package gemma2

import (
	"math"

	"cresset/internal/hub"
	"cresset/nn"
	"cresset/tensor"
)

// Model predicts the token after each token.
type Model struct {
	Body   Body       `nn:"model"`
	Head   *nn.Linear `nn:"lm_head"` // from the last layer to the tokens' scores
	Config Config
	rotary *nn.Rotary
}

// Body is the model without its output layer.
type Body struct {
	Embed  *nn.Embedding `nn:"embed_tokens"`
	Layers []*Layer      `nn:"layers"`
	Norm   *Norm         `nn:"norm"`
}

// Layer adds to x what its tokens see of each other, then what is made of each alone.
type Layer struct {
	Norm          *Norm        `nn:"input_layernorm"`
	Attention     *Attention   `nn:"self_attn"`
	AttentionNorm *Norm        `nn:"post_attention_layernorm"` // of what attention adds
	MLPNorm       *Norm        `nn:"pre_feedforward_layernorm"`
	MLP           *nn.GatedMLP `nn:"mlp"`
	LastNorm      *Norm        `nn:"post_feedforward_layernorm"` // of what the MLP adds
}

// Attention is grouped-query attention with rotary positions.
type Attention struct {
	Query  *nn.Linear `nn:"q_proj"`
	Key    *nn.Linear `nn:"k_proj"`
	Value  *nn.Linear `nn:"v_proj"`
	Output *nn.Linear `nn:"o_proj"`
	size   int        // of a head
	how    nn.Attention
}

// Norm is an RMSNorm whose weights are what is added to 1.
type Norm struct {
	Weight *tensor.Tensor
	eps    float64
}

// Forward returns x / √(mean of x² + eps) · (1 + weight) over the last axis.
func (n *Norm) Forward(x *tensor.Tensor) *tensor.Tensor {
	return x.RMSNorm([]int{x.Size(-1)}, n.Weight.AddScalar(1), tensor.Eps(n.eps))
}

// ofSum returns x + residual and its norm.
func (n *Norm) ofSum(x, residual *tensor.Tensor) (sum, y *tensor.Tensor) {
	return hub.RMSNormOf(n.Weight.AddScalar(1), n.eps, x, residual)
}

// New returns a model of given sizes with new weights: normal ones of InitializerRange, biases of 0. It takes On and As.
func New(c Config, opts ...nn.Option) (*Model, error) {
	c = c.filled()
	if err := c.check(); err != nil {
		return nil, err
	}
	rotary, err := c.RoPE.Rotary(c.HeadSize, c.Positions)
	if err != nil {
		return nil, err
	}
	gate, err := hub.Activation("hidden_activation", c.Activation)
	if err != nil {
		return nil, err
	}
	norm := func() *Norm { return &Norm{tensor.Parameter(nn.PlaceOf(opts...).Zeros(c.Width)), c.Eps} }
	m := &Model{Config: c, rotary: rotary}
	m.Body.Embed = nn.NewEmbedding(c.Vocabulary, c.Width, hub.Embedding(opts)...)
	for i := range c.Layers {
		m.Body.Layers = append(m.Body.Layers, &Layer{
			Norm:          norm(),
			Attention:     c.attention(i, opts),
			AttentionNorm: norm(),
			MLPNorm:       norm(),
			MLP:           nn.NewGatedMLP("MLP", gate, c.Width, c.Hidden, hub.Linear(false, opts)...),
			LastNorm:      norm(),
		})
	}
	m.Body.Norm = norm()
	m.Head = nn.NewLinear(c.Width, c.Vocabulary, hub.Linear(false, opts)...)
	if c.Tied == nil || *c.Tied {
		m.Head.Weight = m.Body.Embed.Weight
	}
	hub.Initialize(m, c.InitializerRange)
	return m, nil
}

func (c Config) attention(layer int, opts []nn.Option) *Attention {
	options := hub.Linear(c.AttentionBias, opts)
	return &Attention{
		Query:  nn.NewLinear(c.Width, c.Heads*c.HeadSize, options...),
		Key:    nn.NewLinear(c.Width, c.KeyValueHeads*c.HeadSize, options...),
		Value:  nn.NewLinear(c.Width, c.KeyValueHeads*c.HeadSize, options...),
		Output: nn.NewLinear(c.Heads*c.HeadSize, c.Width, options...),
		size:   c.HeadSize,
		how:    nn.Attention{Scale: 1 / math.Sqrt(float64(c.QueryScalar)), Window: c.window(layer), SoftCap: c.ScoreCap},
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
	scores = m.Head.Forward(past.Wanted(m.Body.Read(ids, past, m.rotary)))
	if limit := m.Config.OutputCap; limit > 0 {
		scores = scores.MulScalar(1 / limit).Tanh().MulScalar(limit)
	}
	return scores
}

// Read returns the last layer's output [batch, tokens, width].
func (b *Body) Read(ids *tensor.Tensor, past nn.Past, rotary *nn.Rotary) *tensor.Tensor {
	x := b.Embed.Forward(ids)
	x = x.MulScalar(math.Sqrt(float64(x.Size(-1))))
	cos, sin := rotary.TablesFor(past, ids.Size(1), x)
	for i, layer := range b.Layers {
		x = layer.read(x, cos, sin, past, i)
	}
	return b.Norm.Forward(x)
}

func (l *Layer) read(x, cos, sin *tensor.Tensor, past nn.Past, i int) *tensor.Tensor {
	x, y := l.MLPNorm.ofSum(x, l.AttentionNorm.Forward(l.Attention.read(l.Norm.Forward(x), cos, sin, past, i)))
	return x.Add(l.LastNorm.Forward(l.MLP.Forward(y)))
}

func (a *Attention) read(x, cos, sin *tensor.Tensor, past nn.Past, i int) *tensor.Tensor {
	q := nn.Rotate(hub.SplitHeads(a.Query.Forward(x), a.size), cos, sin)
	k := nn.Rotate(hub.SplitHeads(a.Key.Forward(x), a.size), cos, sin)
	v := hub.SplitHeads(a.Value.Forward(x), a.size)
	return a.Output.Forward(hub.MergeHeads(past.Attend(i, q, k, v, a.how)))
}
