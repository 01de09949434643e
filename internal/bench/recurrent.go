package bench

import (
	"fmt"
	"slices"

	"cresset/device"
	"cresset/nn"
	"cresset/tensor"
)

// recurrents are layers over a batch of sequences.
func recurrents() []Case {
	return slices.Concat(
		recurrent("lstm", 4, func(width, hidden int) *nn.LSTM { return nn.NewLSTM(width, hidden) },
			func(net *nn.LSTM, x *tensor.Tensor) *tensor.Tensor { y, _, _ := net.Forward(x, nil, nil); return y }),
		recurrent("gru", 3, func(width, hidden int) *nn.GRU { return nn.NewGRU(width, hidden) },
			func(net *nn.GRU, x *tensor.Tensor) *tensor.Tensor { y, _ := net.Forward(x, nil); return y }),
		recurrent("rnn", 1, func(width, hidden int) *nn.RNN { return nn.NewRNN(width, hidden) },
			func(net *nn.RNN, x *tensor.Tensor) *tensor.Tensor { y, _ := net.Forward(x, nil); return y }),
	)
}

// recurrent are the forward pass of a layer with so many gates, and both passes, which are three times that work.
func recurrent[M any](name string, gates float64, make func(width, hidden int) M, forward func(net M, x *tensor.Tensor) *tensor.Tensor) []Case {
	const length, batch, width, hidden = 128, 64, 256, 256
	work := length * flops(batch, width+hidden, hidden) * gates
	input := func(dev device.Device) *tensor.Tensor { return tensor.On(dev).Randn(length, batch, width) }
	size := fmt.Sprintf("%dx%dx%d", length, batch, hidden)
	return []Case{
		{Name: name + "/" + size, Work: work, Unit: "FLOP", Make: func(dev device.Device) func() {
			net, x := nn.Frozen(nn.To(make(width, hidden), dev)), input(dev)
			return func() { step(func(s *tensor.Scope) { forward(net, s.Enter(x)) }) }
		}},
		{Name: name + "_grad/" + size, Work: 3 * work, Unit: "FLOP", Make: func(dev device.Device) func() {
			net, x, dy := nn.To(make(width, hidden), dev), input(dev), tensor.On(dev).Randn(length, batch, hidden)
			x.SetRequiresGrad(true)
			return func() { step(func(s *tensor.Scope) { forward(net, s.Enter(x)).Backward(tensor.Gradient(dy)) }) }
		}},
	}
}
