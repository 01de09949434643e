package nn

import (
	"fmt"
	"math"
	"strings"

	"cresset/internal/friend"
	"cresset/tensor"
)

// RNNOption is an option of NewRNN, NewGRU and NewLSTM.
type RNNOption interface {
	setter
	rnn()
}

// NumLayers puts n recurrent layers above each other, 1 unless given.
func NumLayers(n int) RNNOption { return option(func(o *options) { o.rnn.layers = n }) }

// Bidirectional adds, to each layer, one that reads sequences from their end to their beginning.
func Bidirectional(on bool) RNNOption { return option(func(o *options) { o.rnn.bidirectional = on }) }

// DropoutBetween drops elements of the outputs of all recurrent layers but the last with probability p in training, PyTorch's dropout=.
func DropoutBetween(p float64) RNNOption { return option(func(o *options) { o.rnn.dropout = p }) }

// Nonlinearity is the function of an RNN or an RNNCell: "tanh", as it is unless given, or "relu".
func Nonlinearity(name string) NonlinearityOption {
	return option(func(o *options) { o.rnn.nonlinearity = name })
}

// ProjSize makes the states of an LSTM that small, by a matrix: less than its hidden size.
func ProjSize(n int) RNNOption { return option(func(o *options) { o.rnn.projection = n }) }

type rnnOptions struct {
	layers, projection        int
	batchFirst, bidirectional bool
	dropout                   float64
	nonlinearity              string
}

// RNNBase is what RNN, GRU and LSTM share.
type RNNBase struct {
	Mode
	Weights                                    ParameterDict `nn:",inline"` // weight_ih_l0, weight_hh_l0, bias_ih_l0, …
	InputSize, HiddenSize, NumLayers, ProjSize int           // ProjSize is 0 without a projection
	HasBias, BatchFirst, Bidirectional         bool
	Dropout                                    float64
	kind                                       string
	gates                                      int
}

func newRNNBase(kind string, gates, input, hidden int, opts []RNNOption) (RNNBase, options) {
	o := read(opts)
	r := RNNBase{InputSize: input, HiddenSize: hidden, NumLayers: o.rnn.layers, ProjSize: o.rnn.projection, HasBias: o.bias,
		BatchFirst: o.rnn.batchFirst, Bidirectional: o.rnn.bidirectional, Dropout: o.rnn.dropout, kind: kind, gates: gates}
	r.check()
	for layer := range r.NumLayers {
		for direction := range r.directions() {
			from := r.stateSize() * r.directions()
			if layer == 0 {
				from = input
			}
			suffix := fmt.Sprintf("_l%d", layer) + []string{"", "_reverse"}[direction]
			r.Weights = append(r.Weights, recurrentWeights(&o, gates, from, r.stateSize(), hidden, r.ProjSize > 0, suffix)...)
		}
	}
	return r, o
}

func (r *RNNBase) check() {
	switch {
	case !(r.Dropout >= 0 && r.Dropout <= 1):
		panic(fault("rnn", "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"))
	case r.HiddenSize < 1:
		panic(fault("rnn", "hidden_size must be greater than zero"))
	case r.NumLayers < 1:
		panic(fault("rnn", "num_layers must be greater than zero"))
	case r.ProjSize != 0 && r.kind != "LSTM":
		panic(fault("rnn", "proj_size argument is only supported for LSTM, not RNN or GRU"))
	case r.ProjSize < 0:
		panic(fault("rnn", "proj_size should be a positive integer or zero to disable projections"))
	case r.ProjSize >= r.HiddenSize:
		panic(fault("rnn", "proj_size has to be smaller than hidden_size"))
	}
}

// recurrentWeights draws the parameters of one layer in one direction, from U(-1/√hidden, 1/√hidden).
func recurrentWeights(o *options, gates, from, state, hidden int, projected bool, suffix string) ParameterDict {
	bound := 1 / math.Sqrt(float64(hidden))
	var d ParameterDict
	add := func(name string, sizes ...int) {
		d = append(d, Item[*tensor.Tensor]{name + suffix, tensor.Parameter(o.place.Empty(sizes...).UniformInPlace(-bound, bound))})
	}
	add("weight_ih", gates*hidden, from)
	add("weight_hh", gates*hidden, state)
	if o.bias {
		add("bias_ih", gates*hidden)
		add("bias_hh", gates*hidden)
	}
	if projected {
		add("weight_hr", state, hidden)
	}
	return d
}

func (r *RNNBase) directions() int {
	if r.Bidirectional {
		return 2
	}
	return 1
}

// stateSize is the width of a state.
func (r *RNNBase) stateSize() int {
	if r.ProjSize > 0 {
		return r.ProjSize
	}
	return r.HiddenSize
}

// weights returns the parameters of a layer in a direction; those that it lacks are nil.
func (r *RNNBase) weights(layer, direction int) (w recurrentLayer) {
	each := 2
	if r.HasBias {
		each += 2
	}
	if r.ProjSize > 0 {
		each++
	}
	return layerOf(r.Weights[(layer*r.directions()+direction)*each:][:each], r.HasBias, r.ProjSize > 0)
}

// recurrentLayer is one layer in one direction.
type recurrentLayer struct{ input, state, inputBias, stateBias, projection *tensor.Tensor }

func layerOf(d ParameterDict, bias, projected bool) recurrentLayer {
	w := recurrentLayer{input: d[0].Value, state: d[1].Value}
	if bias {
		w.inputBias, w.stateBias = d[2].Value, d[3].Value
	}
	if projected {
		w.projection = d[len(d)-1].Value
	}
	return w
}

// gatesOf returns what the gates get from the input, with both biases where the second is added to the first.
func (w *recurrentLayer) gatesOf(x *tensor.Tensor, together bool) *tensor.Tensor {
	bias := w.inputBias
	if together && bias != nil {
		bias = bias.Add(w.stateBias)
	}
	return x.Linear(w.input, bias)
}

// direction runs one layer in one direction: of the rows x, by first states, to all states and the last ones. There are cells in an LSTM
// alone.
type direction func(w recurrentLayer, x *tensor.Tensor, first []*tensor.Tensor, s friend.Sequences) (y *tensor.Tensor, last []*tensor.Tensor)

// run computes all layers, of the rows of sequences and of first states [layers·directions, N, …], and returns the states of the
// highest layer and the last states of all.
func (r *RNNBase) run(x *tensor.Tensor, sizes []int, first []*tensor.Tensor, f direction) (y *tensor.Tensor, last []*tensor.Tensor) {
	lasts := make([][]*tensor.Tensor, len(first))
	for layer := range r.NumLayers {
		if layer > 0 {
			x = x.Dropout(r.Dropout, tensor.Training(r.Training()))
		}
		var both []*tensor.Tensor
		for d := range r.directions() {
			at := layer*r.directions() + d
			start := make([]*tensor.Tensor, len(first))
			for i, t := range first {
				start[i] = t.Select(0, at)
			}
			y, end := f(r.weights(layer, d), x, start, friend.Sequences{Sizes: sizes, Reverse: d == 1})
			both = append(both, y)
			for i, t := range end {
				lasts[i] = append(lasts[i], t)
			}
		}
		x = both[0]
		if len(both) > 1 {
			x = tensor.Cat(both, 1)
		}
	}
	for _, ts := range lasts {
		last = append(last, tensor.Stack(ts, 0))
	}
	return x, last
}

// forward computes all layers of x [L, N, …], or [N, L, …] with BatchFirst, or [L, …]; states that are nil are zeros.
func (r *RNNBase) forward(x *tensor.Tensor, first []*tensor.Tensor, f direction) (y *tensor.Tensor, last []*tensor.Tensor) {
	r.checkInput(x)
	checkRanks(x, first)
	if x.Dim() == 2 {
		for i, t := range first {
			if t != nil {
				first[i] = t.Unsqueeze(1)
			}
		}
		y, last = r.batched(x.Unsqueeze(1), first, f)
		for i, t := range last {
			last[i] = t.SqueezeAxis(1)
		}
		return y.SqueezeAxis(1), last
	}
	if !r.BatchFirst {
		return r.batched(x, first, f)
	}
	y, last = r.batched(x.Transpose(0, 1), first, f)
	return y.Transpose(0, 1), last
}

// checkRanks refuses first states with another number of axes than the input x has.
func checkRanks(x *tensor.Tensor, first []*tensor.Tensor) {
	var ranks []string
	fit := true
	for _, t := range first {
		if t != nil {
			ranks, fit = append(ranks, fmt.Sprintf("%d-D", t.Dim())), fit && t.Dim() == x.Dim()
		}
	}
	if fit {
		return
	}
	batch, states, got := "batched", "hx", ranks[0]+" tensor"
	if x.Dim() == 2 {
		batch = "unbatched"
	}
	if len(ranks) > 1 {
		states, got = "hx and cx", "("+strings.Join(ranks, ", ")+") tensors"
	}
	panic(fault("rnn", fmt.Sprintf("For %s %d-D input, %s should also be %d-D but got %s", batch, x.Dim(), states, x.Dim(), got)))
}

// batched computes all layers of x [L, N, …].
func (r *RNNBase) batched(x *tensor.Tensor, first []*tensor.Tensor, f direction) (y *tensor.Tensor, last []*tensor.Tensor) {
	length, n := x.Size(0), x.Size(1)
	if length == 0 {
		panic(fault("rnn", "Expected sequence length to be larger than 0 in RNN"))
	}
	sizes := make([]int, length)
	for i := range sizes {
		sizes[i] = n
	}
	y, last = r.run(x.Reshape(length*n, x.Size(2)), sizes, r.states(first, x, n), f)
	return y.View(length, n, y.Size(1)), last
}

func (r *RNNBase) checkInput(x *tensor.Tensor) {
	if x.Dim() != 2 && x.Dim() != 3 {
		noun := ""
		if r.kind == "RNN" {
			noun = " tensor"
		}
		panic(fault("rnn", fmt.Sprintf("%s: Expected input to be 2D or 3D, got %dD%s instead", r.kind, x.Dim(), noun)))
	}
	r.checkDType(x)
	if x.Size(-1) != r.InputSize {
		panic(fault("rnn", fmt.Sprintf("input.size(-1) must be equal to input_size. Expected %d, got %d", r.InputSize, x.Size(-1))))
	}
}

// checkDType refuses an input of another dtype than the weights have, unless Autocast makes them alike.
func (r *RNNBase) checkDType(x *tensor.Tensor) {
	from, to := x.DType(), r.Weights[0].Value.DType()
	if _, casts := x.AutocastDType(); from == to || casts {
		return
	}
	panic(fault("rnn", fmt.Sprintf("RNN input dtype (torch.%s) does not match weight dtype (torch.%s). Convert input: input.to(torch.%s), or convert model: model.to(torch.%s)",
		from.Name(), to.Name(), to.Name(), from.Name())))
}

// states checks first states of n sequences, and makes those that are missing.
func (r *RNNBase) states(first []*tensor.Tensor, x *tensor.Tensor, n int) []*tensor.Tensor {
	made := make([]*tensor.Tensor, len(first))
	for i, t := range first {
		want := tensor.Shape{r.NumLayers * r.directions(), n, r.stateSize()}
		name := "hidden"
		if r.kind == "LSTM" {
			name = fmt.Sprintf("hidden[%d]", i)
		}
		if i == 1 {
			want[2] = r.HiddenSize
		}
		switch {
		case t == nil:
			t = tensor.Like(x).Zeros(want...)
		case !t.Shape().Equal(want):
			panic(fault("rnn", fmt.Sprintf("Expected %s size %s, got %s", name, tuple(want...), t.Shape().List())))
		}
		made[i] = t
	}
	return made
}

// String prints the layer as PyTorch does.
func (r *RNNBase) String() string {
	s := fmt.Sprintf("%s(%d, %d", r.kind, r.InputSize, r.HiddenSize)
	for _, p := range []struct {
		differs bool
		text    string
	}{
		{r.ProjSize != 0, fmt.Sprintf("proj_size=%d", r.ProjSize)},
		{r.NumLayers != 1, fmt.Sprintf("num_layers=%d", r.NumLayers)},
		{!r.HasBias, "bias=False"},
		{r.BatchFirst, "batch_first=True"},
		{r.Dropout != 0, "dropout=" + number(r.Dropout)},
		{r.Bidirectional, "bidirectional=True"},
	} {
		if p.differs {
			s += ", " + p.text
		}
	}
	return s + ")"
}
