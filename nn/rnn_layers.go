package nn

import (
	"fmt"

	"cresset/internal/friend"
	"cresset/tensor"
)

// RNN computes h = tanh(x·W_ihᵀ + b_ih + h·W_hhᵀ + b_hh) along sequences, or relu in the place of tanh.
type RNN struct {
	RNNBase
	Nonlinearity string
}

// GRU computes r, z = σ(x·W_ihᵀ + b_ih + h·W_hhᵀ + b_hh), n = tanh(x·W_inᵀ + b_in + r·(h·W_hnᵀ + b_hn)) and h = (1 - z)·n + z·h along
// sequences.
type GRU struct{ RNNBase }

// LSTM computes i, f, g, o = x·W_ihᵀ + b_ih + h·W_hhᵀ + b_hh, c = σ(f)·c + σ(i)·tanh(g) and h = σ(o)·tanh(c) along sequences, where
// ProjSize is given h·W_hrᵀ in the place of h.
type LSTM struct{ RNNBase }

// NewRNN returns the layer, drawn as PyTorch draws it. It takes NumLayers, Nonlinearity, Bias, BatchFirst, DropoutBetween, Bidirectional,
// On and As.
func NewRNN(input, hidden int, opts ...RNNOption) *RNN {
	name := nonlinearity(read(opts))
	base, _ := newRNNBase("RNN", 1, input, hidden, opts)
	return &RNN{base, name}
}

func nonlinearity(o options) string {
	switch name := o.rnn.nonlinearity; name {
	case "tanh", "relu":
		return name
	default:
		panic(fault("rnn", fmt.Sprintf("Unknown nonlinearity '%s'. Select from 'tanh' or 'relu'.", name)))
	}
}

// NewGRU returns the layer, drawn as PyTorch draws it. It takes NumLayers, Bias, BatchFirst, DropoutBetween, Bidirectional, On and As.
func NewGRU(input, hidden int, opts ...RNNOption) *GRU {
	base, _ := newRNNBase("GRU", 3, input, hidden, opts)
	return &GRU{base}
}

// NewLSTM returns the layer, drawn as PyTorch draws it. It takes NumLayers, Bias, BatchFirst, DropoutBetween, Bidirectional, ProjSize, On
// and As.
func NewLSTM(input, hidden int, opts ...RNNOption) *LSTM {
	base, _ := newRNNBase("LSTM", 4, input, hidden, opts)
	return &LSTM{base}
}

// Forward returns the states y of the highest layer for x [L, N, input], or [N, L, input] with BatchFirst, or [L, input], and the last
// states of all layers [layers·directions, N, hidden]. The first states are h0, or zeros where that is nil.
func (r *RNN) Forward(x, h0 *tensor.Tensor) (y, h *tensor.Tensor) {
	y, last := r.forward(x, []*tensor.Tensor{h0}, r.direction)
	return y, last[0]
}

// ForwardPacked is Forward for sequences of several lengths.
func (r *RNN) ForwardPacked(x PackedSequence, h0 *tensor.Tensor) (y PackedSequence, h *tensor.Tensor) {
	y, last := r.packed(x, []*tensor.Tensor{h0}, r.direction)
	return y, last[0]
}

func (r *RNN) direction(w recurrentLayer, x *tensor.Tensor, first []*tensor.Tensor, s friend.Sequences) (*tensor.Tensor, []*tensor.Tensor) {
	y, h := inner.RNN(w.gatesOf(x, true), w.state, first[0], r.Nonlinearity == "relu", s)
	return y, []*tensor.Tensor{h}
}

// Forward returns the states y of the highest layer for x [L, N, input], or [N, L, input] with BatchFirst, or [L, input], and the last
// states of all layers [layers·directions, N, hidden]. The first states are h0, or zeros where that is nil.
func (g *GRU) Forward(x, h0 *tensor.Tensor) (y, h *tensor.Tensor) {
	y, last := g.forward(x, []*tensor.Tensor{h0}, gruDirection)
	return y, last[0]
}

// ForwardPacked is Forward for sequences of several lengths.
func (g *GRU) ForwardPacked(x PackedSequence, h0 *tensor.Tensor) (y PackedSequence, h *tensor.Tensor) {
	y, last := g.packed(x, []*tensor.Tensor{h0}, gruDirection)
	return y, last[0]
}

func gruDirection(w recurrentLayer, x *tensor.Tensor, first []*tensor.Tensor, s friend.Sequences) (*tensor.Tensor, []*tensor.Tensor) {
	y, h := inner.GRU(w.gatesOf(x, false), w.state, w.stateBias, first[0], s)
	return y, []*tensor.Tensor{h}
}

// Forward returns the states y of the highest layer for x [L, N, input], or [N, L, input] with BatchFirst, or [L, input], and the last
// states h [layers·directions, N, hidden] and cells c of all layers. The first ones are h0 and c0, or zeros where these are nil.
func (l *LSTM) Forward(x, h0, c0 *tensor.Tensor) (y, h, c *tensor.Tensor) {
	y, last := l.forward(x, []*tensor.Tensor{h0, c0}, lstmDirection)
	return y, last[0], last[1]
}

// ForwardPacked is Forward for sequences of several lengths.
func (l *LSTM) ForwardPacked(x PackedSequence, h0, c0 *tensor.Tensor) (y PackedSequence, h, c *tensor.Tensor) {
	y, last := l.packed(x, []*tensor.Tensor{h0, c0}, lstmDirection)
	return y, last[0], last[1]
}

func lstmDirection(w recurrentLayer, x *tensor.Tensor, first []*tensor.Tensor, s friend.Sequences) (*tensor.Tensor, []*tensor.Tensor) {
	y, h, c := inner.LSTM(w.gatesOf(x, true), w.state, w.projection, first[0], first[1], s)
	return y, []*tensor.Tensor{h, c}
}
