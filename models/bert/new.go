package bert

import (
	"cresset/internal/hub"
	"cresset/nn"
)

// New returns a model of given sizes with new weights: normal ones of InitializerRange, biases of 0. It takes On and As.
func New(c Config, opts ...nn.Option) (*Model, error) {
	c = c.filled()
	if err := c.check(); err != nil {
		return nil, err
	}
	f, err := hub.Activation("hidden_act", c.Activation)
	if err != nil {
		return nil, err
	}
	dense := func(in, out int) *nn.Linear { return nn.NewLinear(in, out, hub.Linear(true, opts)...) }
	table := func(n int) *nn.Embedding { return nn.NewEmbedding(n, c.Width, hub.Embedding(opts)...) }
	norm := func() *nn.LayerNorm { return nn.NewLayerNorm([]int{c.Width}, hub.LayerNorm(c.Eps, opts)...) }
	sum := func(in int) *Sum { return &Sum{dense(in, c.Width), norm(), nn.NewDropout(c.HiddenDropout)} }

	m := &Model{Config: c}
	m.Body.Embeddings = &Embedding{table(c.Vocabulary), table(c.Positions), table(c.Types), norm(), nn.NewDropout(c.HiddenDropout)}
	for range c.Layers {
		m.Body.Layers = append(m.Body.Layers, &Layer{
			Query: dense(c.Width, c.Width), Key: dense(c.Width, c.Width), Value: dense(c.Width, c.Width),
			Weights:   nn.NewDropout(c.AttentionDropout),
			Attention: sum(c.Width),
			Hidden:    dense(c.Width, c.Hidden),
			Output:    sum(c.Hidden),
			size:      c.Width / c.Heads,
			f:         f,
		})
	}
	switch c.Architectures[0] {
	case Classification:
		p := c.HiddenDropout
		if c.ClassDropout != nil {
			p = *c.ClassDropout
		}
		m.Dropout, m.Classifier = nn.NewDropout(p), dense(c.Width, len(c.Labels))
	case MaskedTokens:
		decoder := dense(c.Width, c.Vocabulary)
		decoder.Weight = m.Body.Embeddings.Words.Weight
		m.Predictions = &Predictions{dense(c.Width, c.Width), norm(), decoder, decoder.Bias, f}
	}
	if m.Predictions == nil {
		m.Body.Pooler = dense(c.Width, c.Width)
	}
	hub.Initialize(m, c.InitializerRange)
	return m, nil
}
