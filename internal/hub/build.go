package hub

import (
	"strings"

	"cresset/nn"
)

// Linear returns the options of a Linear with or without bias.
func Linear(bias bool, opts []nn.Option) []nn.LinearOption {
	out := []nn.LinearOption{nn.Bias(bias)}
	for _, o := range opts {
		out = append(out, o)
	}
	return out
}

// Embedding returns the options of an Embedding.
func Embedding(opts []nn.Option) []nn.EmbeddingOption {
	var out []nn.EmbeddingOption
	for _, o := range opts {
		out = append(out, o)
	}
	return out
}

// RMSNorm returns the options of an RMSNorm that adds eps.
func RMSNorm(eps float64, opts []nn.Option) []nn.RMSNormOption {
	out := []nn.RMSNormOption{nn.Eps(eps)}
	for _, o := range opts {
		out = append(out, o)
	}
	return out
}

// LayerNorm returns the options of a LayerNorm that adds eps.
func LayerNorm(eps float64, opts []nn.Option) []nn.LayerNormOption {
	out := []nn.LayerNormOption{nn.Eps(eps)}
	for _, o := range opts {
		out = append(out, o)
	}
	return out
}

// Initialize draws the matrices of a model from N(0, deviation²) and sets its biases to 0, as transformers does; other parameters stay.
func Initialize(model any, deviation float64) {
	for name, p := range nn.Parameters(model) {
		switch d := p.Detach(); {
		case strings.HasSuffix(name, ".bias"):
			d.ZeroInPlace()
		case p.Dim() == 2:
			d.NormalInPlace(0, deviation)
		}
	}
}
