// Package llama is the decoder of Touvron et al. (2023) that most open models share: Llama 1 to 3, Mistral (a sliding window), Qwen2 (biases of queries,
// keys and values) and Qwen3 (norms of queries and keys). Names of parameters are those of transformers.
package llama

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
	Norm   *nn.RMSNorm   `nn:"norm"`
}

// Layer adds to x what its tokens see of each other, then what is made of each alone.
type Layer struct {
	Norm      *nn.RMSNorm  `nn:"input_layernorm"`
	Attention *Attention   `nn:"self_attn"`
	MLPNorm   *nn.RMSNorm  `nn:"post_attention_layernorm"`
	MLP       *nn.GatedMLP `nn:"mlp"`
}

// Attention is grouped-query attention with rotary positions.
type Attention struct {
	Query  *nn.Linear  `nn:"q_proj"`
	Key    *nn.Linear  `nn:"k_proj"`
	Value  *nn.Linear  `nn:"v_proj"`
	Output *nn.Linear  `nn:"o_proj"`
	QNorm  *nn.RMSNorm `nn:"q_norm"` // of Qwen3; nil elsewhere
	KNorm  *nn.RMSNorm `nn:"k_norm"`
	size   int         // of a head
	how    nn.Attention
}

// Settings returns m.Config.
func (m *Model) Settings() any { return m.Config }

// MaxPositions returns m.Config.Positions.
func (m *Model) MaxPositions() int { return m.Config.Positions }

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
	gate, err := hub.Activation("hidden_act", c.Activation)
	if err != nil {
		return nil, err
	}
	m := &Model{Config: c, rotary: rotary}
	m.Body.Embed = nn.NewEmbedding(c.Vocabulary, c.Width, hub.Embedding(opts)...)
	for i := range c.Layers {
		m.Body.Layers = append(m.Body.Layers, &Layer{
			Norm:      c.norm(c.Width, opts),
			Attention: c.attention(i, opts),
			MLPNorm:   c.norm(c.Width, opts),
			MLP:       nn.NewGatedMLP("MLP", gate, c.Width, c.Hidden, hub.Linear(c.MLPBias, opts)...),
		})
	}
	m.Body.Norm = c.norm(c.Width, opts)
	m.Head = nn.NewLinear(c.Width, c.Vocabulary, hub.Linear(false, opts)...)
	if c.Tied {
		m.Head.Weight = m.Body.Embed.Weight
	}
	hub.Initialize(m, c.InitializerRange)
	return m, nil
}

func (c Config) norm(size int, opts []nn.Option) *nn.RMSNorm {
	return nn.NewRMSNorm([]int{size}, hub.RMSNorm(c.Eps, opts)...)
}

func (c Config) attention(layer int, opts []nn.Option) *Attention {
	inputs := hub.Linear(c.AttentionBias || c.ModelType == "qwen2", opts)
	a := &Attention{
		Query:  nn.NewLinear(c.Width, c.Heads*c.HeadSize, inputs...),
		Key:    nn.NewLinear(c.Width, c.KeyValueHeads*c.HeadSize, inputs...),
		Value:  nn.NewLinear(c.Width, c.KeyValueHeads*c.HeadSize, inputs...),
		Output: nn.NewLinear(c.Heads*c.HeadSize, c.Width, hub.Linear(c.AttentionBias, opts)...),
		size:   c.HeadSize,
		how:    nn.Attention{Scale: 1 / math.Sqrt(float64(c.HeadSize)), Window: c.window(layer)},
	}
	if c.ModelType == "qwen3" {
		a.QNorm, a.KNorm = c.norm(c.HeadSize, opts), c.norm(c.HeadSize, opts)
	}
	return a
}

// Forward returns the scores [batch, tokens, vocabulary] of the tokens after each of ids [batch, tokens].
func (m *Model) Forward(ids *tensor.Tensor) *tensor.Tensor { return m.Read(ids, nn.NoPast) }

// Read is Forward for tokens that come after those that past remembers.
func (m *Model) Read(ids *tensor.Tensor, past nn.Past) (scores *tensor.Tensor) {
	defer hub.ForgetFailed(past, ids)(&scores)
	x := m.Body.Read(ids, past, m.rotary)
	defer hub.Spent(x)
	return m.Head.Forward(past.Wanted(x))
}

// Read returns the last layer's output [batch, tokens, width].
func (b *Body) Read(ids *tensor.Tensor, past nn.Past, rotary *nn.Rotary) *tensor.Tensor {
	x := b.Embed.Forward(ids)
	cos, sin := rotary.TablesFor(past, ids.Size(1), x)
	for i, layer := range b.Layers {
		x = layer.read(x, cos, sin, past, i)
	}
	return b.Norm.Forward(x)
}

func (l *Layer) read(x, cos, sin *tensor.Tensor, past nn.Past, i int) *tensor.Tensor {
	y := l.Norm.Forward(x)
	seen := l.Attention.read(y, cos, sin, past, i)
	hub.Spent(y)
	x, y = hub.RMSNormOfSum(l.MLPNorm, x, seen)
	hub.Spent(seen)
	defer hub.Spent(y)
	return l.MLP.AddedTo(x, y)
}

func (a *Attention) read(x, cos, sin *tensor.Tensor, past nn.Past, i int) *tensor.Tensor {
	q := hub.SplitHeads(a.Query.Forward(x), a.size)
	k := hub.SplitHeads(a.Key.Forward(x), a.size)
	v := hub.SplitHeads(a.Value.Forward(x), a.size)
	if a.QNorm != nil {
		q, k = a.QNorm.Forward(q), a.KNorm.Forward(k)
	}
	q, k = nn.Rotate(q, cos, sin), nn.Rotate(k, cos, sin)
	return a.Output.Forward(hub.MergeHeads(past.Attend(i, q, k, v, a.how)))
}
