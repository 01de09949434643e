package vit

import (
	"cresset/internal/hub"
	"cresset/nn"
	"cresset/tensor"
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
	input := func() *nn.Linear {
		return nn.NewLinear(c.Width, c.Width, hub.Linear(c.Biased == nil || *c.Biased, opts)...)
	}
	norm := func() *nn.LayerNorm { return nn.NewLayerNorm([]int{c.Width}, hub.LayerNorm(c.Eps, opts)...) }

	m := &Model{Config: c, Classifier: dense(c.Width, len(c.Labels))}
	m.Body.Embeddings = c.embedding(opts)
	for range c.Layers {
		m.Body.Layers = append(m.Body.Layers, &Layer{
			Query: input(), Key: input(), Value: input(),
			Weights: nn.NewDropout(c.AttentionDropout),
			Merge:   dense(c.Width, c.Width),
			Hidden:  dense(c.Width, c.Hidden),
			Output:  dense(c.Hidden, c.Width),
			Before:  norm(),
			After:   norm(),
			Dropout: nn.NewDropout(c.HiddenDropout),
			size:    c.Width / c.Heads,
			f:       f,
		})
	}
	m.Body.Norm = norm()
	hub.Initialize(m, c.InitializerRange)
	return m, nil
}

func (c Config) embedding(opts []nn.Option) *Embedding {
	place, side := nn.PlaceOf(opts...), c.ImageSize/c.PatchSize
	conv := []nn.ConvOption{nn.Stride(c.PatchSize)}
	for _, o := range opts {
		conv = append(conv, o)
	}
	draw := func(sizes ...int) *tensor.Tensor {
		return tensor.Parameter(place.Empty(sizes...).NormalInPlace(0, c.InitializerRange))
	}
	return &Embedding{draw(1, 1, c.Width), draw(1, 1+side*side, c.Width), nn.NewConv2D(c.Channels, c.Width, c.PatchSize, conv...), nn.NewDropout(c.HiddenDropout)}
}
