package conformance

import (
	"cresset/internal/pyexpr"
	"cresset/nn"
	"cresset/tensor"
)

var recurrent = table{
	"nn.RNN":  newRNN(func(in, hidden int, opts ...nn.RNNOption) any { return nn.NewRNN(in, hidden, opts...) }),
	"nn.GRU":  newRNN(func(in, hidden int, opts ...nn.RNNOption) any { return nn.NewGRU(in, hidden, opts...) }),
	"nn.LSTM": newRNN(func(in, hidden int, opts ...nn.RNNOption) any { return nn.NewLSTM(in, hidden, opts...) }),

	"nn.RNNCell":  newCell(func(in, hidden int, opts ...nn.RNNCellOption) any { return nn.NewRNNCell(in, hidden, opts...) }),
	"nn.GRUCell":  newCell(func(in, hidden int, opts ...nn.RNNCellOption) any { return nn.NewGRUCell(in, hidden, opts...) }),
	"nn.LSTMCell": newCell(func(in, hidden int, opts ...nn.RNNCellOption) any { return nn.NewLSTMCell(in, hidden, opts...) }),

	"nn.utils.rnn.pack_padded_sequence": func(a *pyexpr.Args) any {
		x, lengths, first := input(a, "input"), lengths(a, "lengths"), nn.BatchFirst(pyexpr.Arg(a, "batch_first", false))
		return nn.PackPadded(x, lengths, first, nn.EnforceSorted(pyexpr.Arg(a, "enforce_sorted", true)))
	},
	"nn.utils.rnn.pad_packed_sequence": func(a *pyexpr.Args) any {
		p := pyexpr.Arg[nn.PackedSequence](a, "sequence")
		return []any{p.Pad(nn.BatchFirst(pyexpr.Arg(a, "batch_first", false))), p.Lengths()}
	},
}

func newRNN(f func(in, hidden int, opts ...nn.RNNOption) any) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		in, hidden := pyexpr.Arg[int](a, "input_size"), pyexpr.Arg[int](a, "hidden_size")
		opts := []nn.RNNOption{
			nn.NumLayers(pyexpr.Arg(a, "num_layers", 1)), nn.Bias(pyexpr.Arg(a, "bias", true)), nn.BatchFirst(pyexpr.Arg(a, "batch_first", false)),
			nn.DropoutBetween(pyexpr.Arg(a, "dropout", 0.0)), nn.Bidirectional(pyexpr.Arg(a, "bidirectional", false)),
			nn.ProjSize(pyexpr.Arg(a, "proj_size", 0)), nn.Nonlinearity(pyexpr.Arg(a, "nonlinearity", "tanh")),
		}
		return f(in, hidden, opts...)
	}
}

func newCell(f func(in, hidden int, opts ...nn.RNNCellOption) any) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		in, hidden, bias := pyexpr.Arg[int](a, "input_size"), pyexpr.Arg[int](a, "hidden_size"), nn.Bias(pyexpr.Arg(a, "bias", true))
		return f(in, hidden, bias, nn.Nonlinearity(pyexpr.Arg(a, "nonlinearity", "tanh")))
	}
}

// callRecurrent calls a recurrent layer or a cell, with the states that are given.
func callRecurrent(m any, a *pyexpr.Args) any {
	x := pyexpr.Arg[any](a, "input")
	var h, c *tensor.Tensor
	switch given := pyexpr.Arg[any](a, "hx", nil).(type) {
	case *tensor.Tensor:
		h = given
	case []any:
		h, c = given[0].(*tensor.Tensor), given[1].(*tensor.Tensor)
	}
	if p, ok := x.(nn.PackedSequence); ok {
		y, h, c := m.(*nn.LSTM).ForwardPacked(p, h, c)
		return []any{y, []any{h, c}}
	}
	t := x.(*tensor.Tensor)
	switch m := m.(type) {
	case *nn.RNN:
		return tuple(both(m.Forward(t, h))...)
	case *nn.GRU:
		return tuple(both(m.Forward(t, h))...)
	case *nn.RNNCell:
		return m.Forward(t, h)
	case *nn.GRUCell:
		return m.Forward(t, h)
	case *nn.LSTMCell:
		return tuple(both(m.Forward(t, h, c))...)
	case *nn.LSTM:
		y, h, c := m.Forward(t, h, c)
		return []any{y, []any{h, c}}
	}
	return nil
}
