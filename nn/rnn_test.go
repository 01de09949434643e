package nn_test

import (
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/nn"
	"cresset/tensor"
)

// TestPackedSequences compares recurrent layers of packed sequences, unsorted and in both directions, with what they make of each alone.
func TestPackedSequences(t *testing.T) {
	in, opts := 3, []nn.RNNOption{nn.NumLayers(2), nn.Bidirectional(true), nn.As(dtype.Float64)}
	rnn, gru, lstm := nn.NewRNN(in, 2, opts...), nn.NewGRU(in, 2, opts...), nn.NewLSTM(in, 2, opts...)
	var sequences []*tensor.Tensor
	for _, n := range []int{2, 5, 1, 5} {
		sequences = append(sequences, tensor.Like(rnn.Weights[0].Value.Detach()).Randn(n, in))
	}
	p := nn.PackSequence(sequences, nn.EnforceSorted(false))
	if got, want := p.Lengths(), []int{2, 5, 1, 5}; !slices.Equal(got, want) {
		t.Errorf("lengths are %v, want %v", got, want)
	}
	for _, c := range []struct {
		name   string
		packed func() (y nn.PackedSequence, h *tensor.Tensor)
		alone  func(x *tensor.Tensor) (y, h *tensor.Tensor)
	}{
		{"RNN", func() (nn.PackedSequence, *tensor.Tensor) { return rnn.ForwardPacked(p, nil) },
			func(x *tensor.Tensor) (_, _ *tensor.Tensor) { return rnn.Forward(x, nil) }},
		{"GRU", func() (nn.PackedSequence, *tensor.Tensor) { return gru.ForwardPacked(p, nil) },
			func(x *tensor.Tensor) (_, _ *tensor.Tensor) { return gru.Forward(x, nil) }},
		{"LSTM", func() (nn.PackedSequence, *tensor.Tensor) { y, _, c := lstm.ForwardPacked(p, nil, nil); return y, c },
			func(x *tensor.Tensor) (_, _ *tensor.Tensor) { y, _, c := lstm.Forward(x, nil, nil); return y, c }},
	} {
		packed, h := c.packed()
		padded := packed.Pad(nn.PaddingValue(-7), nn.BatchFirst(true))
		for i, x := range sequences {
			y, end := c.alone(x)
			n := x.Size(0)
			if got := padded.Select(0, i); !got.Slice(0, 0, n).AllClose(y, 1e-9, 1e-9) || n < 5 && !got.Slice(0, n, 5).EqScalar(-7).All().Item().(bool) {
				t.Errorf("%s: sequence %d is\n%v, want\n%v", c.name, i, got, y)
			}
			if !h.Select(1, i).AllClose(end, 1e-9, 1e-9) {
				t.Errorf("%s: sequence %d ends with\n%v, want\n%v", c.name, i, h.Select(1, i), end)
			}
		}
	}
	back := nn.PadSequence(sequences, nn.BatchFirst(true))
	if again := nn.PackPadded(back, p.Lengths(), nn.BatchFirst(true), nn.EnforceSorted(false)).Pad(nn.BatchFirst(true)); !again.Equal(back) {
		t.Errorf("got\n%v, want\n%v", again, back)
	}
}

// TestCellsAreSteps compares a cell with a layer of the same parameters.
func TestCellsAreSteps(t *testing.T) {
	layer, cell := nn.NewLSTM(3, 4), nn.NewLSTMCell(3, 4)
	state := nn.State(layer)
	for name, p := range nn.Parameters(cell) {
		p.SetData(state[name+"_l0"])
	}
	x := tensor.Randn(5, 2, 3)
	y, h, c := layer.Forward(x, nil, nil)
	var hs, cs *tensor.Tensor
	for i, step := range x.Unbind(0) {
		if hs, cs = cell.Forward(step, hs, cs); !hs.Equal(y.Select(0, i)) {
			t.Errorf("step %d: got\n%v, want\n%v", i, hs, y.Select(0, i))
		}
	}
	if !hs.Equal(h.Select(0, 0)) || !cs.Equal(c.Select(0, 0)) {
		t.Errorf("the last states differ")
	}
}

func TestRNNDropout(t *testing.T) {
	r, x := nn.NewRNN(3, 4, nn.NumLayers(2), nn.DropoutBetween(1)), tensor.Randn(5, 2, 3)
	lower, _ := nn.Eval(r).Forward(x, nil)
	dropped, _ := nn.Train(r).Forward(x, nil)
	other, _ := r.Forward(tensor.Randn(5, 2, 3), nil)
	if lower.Equal(dropped) || !dropped.Equal(other) {
		t.Errorf("with all of the first layer dropped the result follows the input")
	}
	if got, want := r.String(), "RNN(3, 4, num_layers=2, dropout=1.0)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDicts(t *testing.T) {
	d := nn.ModuleDict{{"b", nn.NewLinear(1, 2)}, {"a", nn.ParameterDict{{"w", tensor.Parameter(tensor.Ones(2, 3))}}}}
	var names []string
	for name := range nn.Parameters(&struct{ D nn.ModuleDict }{d}) {
		names = append(names, name)
	}
	if want := []string{"d.b.weight", "d.b.bias", "d.a.w"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	want := "ModuleDict(\n  (b): Linear(in_features=1, out_features=2, bias=True)\n  (a): ParameterDict(  (w): Parameter containing: [torch.float32 of size 2x3])\n)"
	if got := d.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if w := d.At("a").(nn.ParameterDict).At("w"); nn.Frozen(d).At("a").(nn.ParameterDict).At("w").RequiresGrad() || !w.RequiresGrad() {
		t.Errorf("a frozen copy shares the parameters themselves")
	}
	if err := tensor.Try(func() { d.At("c") }); err == nil || err.Error() != "'c'" {
		t.Errorf("got %v", err)
	}
}

func TestRecurrentMistakes(t *testing.T) {
	x, packed := tensor.Zeros(4, 2, 3), tensor.Zeros(1, 4, 2, 3)
	for _, c := range []struct {
		want string
		do   func()
	}{
		{"RNN: Expected input to be 2D or 3D, got 4D tensor instead", func() { nn.NewRNN(3, 5).Forward(packed, nil) }},
		{"GRU: Expected input to be 2D or 3D, got 4D instead", func() { nn.NewGRU(3, 5).Forward(packed, nil) }},
		{"LSTM: Expected input to be 2D or 3D, got 4D instead", func() { nn.NewLSTM(3, 5).Forward(packed, nil, nil) }},
		{"For batched 3-D input, hx should also be 3-D but got 2-D tensor", func() { nn.NewGRU(3, 5).Forward(x, tensor.Zeros(2, 5)) }},
		{"For unbatched 2-D input, hx should also be 2-D but got 3-D tensor", func() { nn.NewRNN(3, 5).Forward(tensor.Zeros(2, 3), tensor.Zeros(1, 2, 5)) }},
		{"For unbatched 2-D input, hx and cx should also be 2-D but got (2-D, 1-D) tensors", func() {
			nn.NewLSTM(3, 5).Forward(tensor.Zeros(2, 3), tensor.Zeros(1, 5), tensor.Zeros(5))
		}},
		{"Expected hidden[1] size (1, 2, 5), got [1, 1, 5]", func() {
			shorter := nn.PackPadded(x, []int{3, 4}, nn.EnforceSorted(false))
			nn.NewLSTM(3, 5).ForwardPacked(shorter, tensor.Zeros(1, 2, 5), tensor.Zeros(1, 1, 5))
		}},
		{"RNN input dtype (torch.float64) does not match weight dtype (torch.float32). Convert input: input.to(torch.float32), or convert model: model.to(torch.float64)",
			func() { nn.NewGRU(3, 5).Forward(x.Double(), nil) }},
		{"RNN input dtype (torch.float16) does not match weight dtype (torch.float32). Convert input: input.to(torch.float32), or convert model: model.to(torch.float16)",
			func() { nn.NewRNN(3, 5).ForwardPacked(nn.PackPadded(x.Half(), []int{4, 3}), nil) }},
		{"proj_size argument is only supported for LSTM, not RNN or GRU", func() { nn.NewGRU(3, 2, nn.ProjSize(2)) }},
		{"Expected 2D hidden0 (batch x hidden_size), but got 1D tensor", func() { nn.NewRNNCell(3, 5).Forward(tensor.Zeros(1, 3), tensor.Zeros(5)) }},
		{"GRUCell: Expected hidden to be 1D or 2D, got 3D instead", func() { nn.NewGRUCell(3, 5).Forward(tensor.Zeros(1, 3), tensor.Zeros(1, 1, 5)) }},
		{"LSTMCell: Expected hx[1] to be 1D or 2D, got 3D instead", func() {
			nn.NewLSTMCell(3, 5).Forward(tensor.Zeros(1, 3), tensor.Zeros(1, 5), tensor.Zeros(1, 1, 5))
		}},
	} {
		if err := tensor.Try(c.do); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
