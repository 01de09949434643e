package nn

import (
	"fmt"
	"math"

	"cresset/dtype"
	"cresset/tensor"
)

// ALiBi are the linear biases of Press et al. (2022), by which causal attention tells positions apart without rotary or other embeddings: the further
// a key is behind a query, the lower is its score. Attention adds them for a Past; elsewhere Bias goes to tensor.AttnBias.
type ALiBi struct {
	Heads int // of the queries
}

// Slopes returns by how much each head's scores fall from one key to the one before it: 2^(-8/n), 2^(-16/n), … for a power of two n; beyond the
// greatest one in Heads every other slope of twice as many heads.
func (a *ALiBi) Slopes() []float64 {
	n := 1
	for 2*n <= a.Heads {
		n *= 2
	}
	slopes := make([]float64, a.Heads)
	for i := range slopes {
		if i < n {
			slopes[i] = math.Exp2(-8 * float64(i+1) / float64(n))
		} else {
			slopes[i] = math.Exp2(-4 * float64(2*(i-n)+1) / float64(n))
		}
	}
	return slopes
}

// Bias returns what is added to the scores of some keys that follow each other, [Heads, 1, keys], on the device of like: the slopes times the places
// from the last of them. Queries before that one need no other: what all scores of a query share does not change their softmax.
func (a *ALiBi) Bias(keys int, like *tensor.Tensor) *tensor.Tensor {
	dt := dtype.Float32 // for halves too, which attention adds up in float32
	if like.DType() == dtype.Float64 {
		dt = dtype.Float64
	}
	bias := make([]float64, 0, a.Heads*keys)
	for _, slope := range a.Slopes() {
		for j := range keys {
			bias = append(bias, slope*float64(j+1-keys))
		}
	}
	return inner.ConstantOn(tensor.FromSlice(bias, a.Heads, 1, keys), like.Device(), dt)
}

// SinusoidalPositions are the position embedding of Vaswani et al. (2017), which is not trained: elements 2i and 2i + 1 of a row are the sine and the
// cosine of the position times 10000^(-2i/Width). A trained one is an Embedding.
type SinusoidalPositions struct {
	Width int
}

// Table returns the rows of the positions of a batch of sequences, or of one that stands for all: [sequences, tokens, Width], with the device and
// dtype of like, to be added to the embeddings of tokens.
func (s *SinusoidalPositions) Table(positions [][]int, like *tensor.Tensor) *tensor.Tensor {
	tokens := tokensOf("sinusoidal positions", positions)
	table := make([]float64, 0, len(positions)*tokens*s.Width)
	for _, sequence := range positions {
		for _, p := range sequence {
			for i := range s.Width {
				sine, cosine := math.Sincos(float64(p) * math.Pow(10000, -float64(i-i%2)/float64(s.Width)))
				table = append(table, [2]float64{sine, cosine}[i%2])
			}
		}
	}
	return inner.ConstantOn(tensor.FromSlice(table, len(positions), tokens, s.Width), like.Device(), like.DType())
}

// tokensOf returns how many tokens each sequence has, which is the same for all.
func tokensOf(op string, positions [][]int) int {
	if len(positions) == 0 {
		panic(fault(op, "there is no sequence: one list of positions can stand for all"))
	}
	n := len(positions[0])
	for i, sequence := range positions {
		if len(sequence) != n {
			panic(fault(op, fmt.Sprintf("sequence %d has %d positions, and sequence 0 has %d", i, len(sequence), n)))
		}
	}
	return n
}
