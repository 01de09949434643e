package nn

import (
	"fmt"

	"cresset/internal/friend"
	"cresset/tensor"
)

// RNNCellOption is an option of NewRNNCell, NewGRUCell and NewLSTMCell.
type RNNCellOption interface {
	setter
	rnnCell()
}

// NonlinearityOption is what Nonlinearity returns.
type NonlinearityOption interface {
	RNNOption
	RNNCellOption
}

// RNNCellBase is what the cells share: one step of a recurrent layer.
type RNNCellBase struct {
	WeightIH, WeightHH    *tensor.Tensor // [gates·hidden, input] and [gates·hidden, hidden]
	BiasIH, BiasHH        *tensor.Tensor // [gates·hidden]; nil with Bias(false)
	InputSize, HiddenSize int
	kind                  string
}

// RNNCell is one step of an RNN.
type RNNCell struct {
	RNNCellBase
	Nonlinearity string
}

// GRUCell is one step of a GRU.
type GRUCell struct{ RNNCellBase }

// LSTMCell is one step of an LSTM.
type LSTMCell struct{ RNNCellBase }

// NewRNNCell returns the cell, drawn as PyTorch draws it. It takes Nonlinearity, Bias, On and As.
func NewRNNCell(input, hidden int, opts ...RNNCellOption) *RNNCell {
	o := read(opts)
	return &RNNCell{newRNNCellBase("RNNCell", 1, input, hidden, o), nonlinearity(o)}
}

// NewGRUCell returns the cell, drawn as PyTorch draws it. It takes Bias, On and As.
func NewGRUCell(input, hidden int, opts ...RNNCellOption) *GRUCell {
	return &GRUCell{newRNNCellBase("GRUCell", 3, input, hidden, read(opts))}
}

// NewLSTMCell returns the cell, drawn as PyTorch draws it. It takes Bias, On and As.
func NewLSTMCell(input, hidden int, opts ...RNNCellOption) *LSTMCell {
	return &LSTMCell{newRNNCellBase("LSTMCell", 4, input, hidden, read(opts))}
}

func newRNNCellBase(kind string, gates, input, hidden int, o options) RNNCellBase {
	w := layerOf(recurrentWeights(&o, gates, input, hidden, hidden, false, ""), o.bias, false)
	return RNNCellBase{WeightIH: w.input, WeightHH: w.state, BiasIH: w.inputBias, BiasHH: w.stateBias, InputSize: input, HiddenSize: hidden, kind: kind}
}

// step runs one step of x [N, input] or [input] from states [N, hidden] or [hidden], zeros where they are nil.
func (c *RNNCellBase) step(x *tensor.Tensor, first []*tensor.Tensor, f direction) []*tensor.Tensor {
	if x.Dim() != 1 && x.Dim() != 2 {
		panic(fault("rnn", fmt.Sprintf("%s: Expected input to be 1D or 2D, got %dD instead", c.kind, x.Dim())))
	}
	single := x.Dim() == 1
	if single {
		x = x.Unsqueeze(0)
	}
	if x.Size(1) != c.InputSize {
		panic(fault("rnn", fmt.Sprintf("input has inconsistent input_size: got %d expected %d", x.Size(1), c.InputSize)))
	}
	n := x.Size(0)
	for i, t := range first {
		first[i] = c.state(t, x, n, i, single)
	}
	w := recurrentLayer{input: c.WeightIH, state: c.WeightHH, inputBias: c.BiasIH, stateBias: c.BiasHH}
	_, last := f(w, x, first, friend.Sequences{Sizes: []int{n}, Cell: true})
	if single {
		for i, t := range last {
			last[i] = t.SqueezeAxis(0)
		}
	}
	return last
}

// state checks a state of n sequences, of which there is one without an axis for them where x is single, or makes it.
func (c *RNNCellBase) state(t, x *tensor.Tensor, n, i int, single bool) *tensor.Tensor {
	if t == nil {
		return tensor.Like(x).Zeros(n, c.HiddenSize)
	}
	if t.Dim() != 1 && t.Dim() != 2 {
		name := "hidden"
		if c.kind == "LSTMCell" {
			name = fmt.Sprintf("hx[%d]", i)
		}
		panic(fault("rnn", fmt.Sprintf("%s: Expected %s to be 1D or 2D, got %dD instead", c.kind, name, t.Dim())))
	}
	if single {
		t = t.Unsqueeze(0)
	}
	switch {
	case t.Dim() != 2:
		panic(fault("rnn", fmt.Sprintf("Expected 2D hidden%d (batch x hidden_size), but got %dD tensor", i, t.Dim())))
	case t.Size(0) != n:
		panic(fault("rnn", fmt.Sprintf("Input batch size %d doesn't match hidden%d batch size %d", n, i, t.Size(0))))
	case t.Size(1) != c.HiddenSize:
		panic(fault("rnn", fmt.Sprintf("hidden%d has inconsistent hidden_size: got %d, expected %d", i, t.Size(1), c.HiddenSize)))
	}
	return t
}

// Forward returns the state after x [N, input] or [input]. The state before is h, or zeros where that is nil.
func (c *RNNCell) Forward(x, h *tensor.Tensor) *tensor.Tensor {
	r := RNN{Nonlinearity: c.Nonlinearity}
	return c.step(x, []*tensor.Tensor{h}, r.direction)[0]
}

// Forward returns the state after x [N, input] or [input]. The state before is h, or zeros where that is nil.
func (c *GRUCell) Forward(x, h *tensor.Tensor) *tensor.Tensor {
	return c.step(x, []*tensor.Tensor{h}, gruDirection)[0]
}

// Forward returns the state and the cell after x [N, input] or [input]. Those before are h and c0, or zeros where these are nil.
func (c *LSTMCell) Forward(x, h, c0 *tensor.Tensor) (state, cell *tensor.Tensor) {
	last := c.step(x, []*tensor.Tensor{h, c0}, lstmDirection)
	return last[0], last[1]
}

// String prints the cell as PyTorch does.
func (c *RNNCellBase) String() string { return c.print("") }

// String prints the cell as PyTorch does.
func (c *RNNCell) String() string {
	if c.Nonlinearity == "tanh" {
		return c.print("")
	}
	return c.print(", nonlinearity=" + c.Nonlinearity)
}

func (c *RNNCellBase) print(more string) string {
	if c.BiasIH == nil {
		more = ", bias=False" + more
	}
	return fmt.Sprintf("%s(%d, %d%s)", c.kind, c.InputSize, c.HiddenSize, more)
}
