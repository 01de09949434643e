package nn_test

import (
	"testing"

	"cresset/dtype"
	"cresset/nn"
	"cresset/tensor"
)

// TestRecurrentLayersAreTheirFormulas compares layers over more sequences than a product's tile has rows with ops, step by step: states and
// gradients, and with the same bits the states that a layer computes where nothing tracks gradients.
func TestRecurrentLayersAreTheirFormulas(t *testing.T) {
	const in, hidden, length = 7, 30, 3
	f64 := nn.As(dtype.Float64)
	rnn, gru, lstm := nn.NewRNN(in, hidden, f64), nn.NewGRU(in, hidden, f64), nn.NewLSTM(in, hidden, f64)
	gru2, lstm2 := nn.NewGRU(in, hidden, f64, nn.Bias(false)), nn.NewLSTM(in, hidden, f64, nn.Bias(false))
	for _, c := range []struct {
		name    string
		weights nn.ParameterDict
		forward func(x *tensor.Tensor) *tensor.Tensor
		frozen  func(x *tensor.Tensor) *tensor.Tensor
		step    func(gates, state, h, c *tensor.Tensor) (_, _ *tensor.Tensor)
	}{
		{"RNN", rnn.Weights, ofRNN(rnn), ofRNN(nn.Frozen(rnn)), stepRNN},
		{"GRU", gru.Weights, ofGRU(gru), ofGRU(nn.Frozen(gru)), stepGRU},
		{"GRU without a bias", gru2.Weights, ofGRU(gru2), ofGRU(nn.Frozen(gru2)), stepGRU},
		{"LSTM", lstm.Weights, ofLSTM(lstm), ofLSTM(nn.Frozen(lstm)), stepLSTM},
		{"LSTM without a bias", lstm2.Weights, ofLSTM(lstm2), ofLSTM(nn.Frozen(lstm2)), stepLSTM},
	} {
		for _, batch := range []int{1, 5, 20, 50} {
			like := tensor.Like(c.weights[0].Value.Detach())
			x, dy := like.Randn(length, batch, in).SetRequiresGrad(true), like.Randn(length, batch, hidden)
			y := c.forward(x)
			if !c.frozen(x.Detach()).Equal(y) {
				t.Errorf("%s of %d sequences: states differ where nothing tracks gradients", c.name, batch)
			}
			got := gradients(y, dy, x, c.weights)
			byStep := unrolled(x, c.weights, c.step, like.Zeros(batch, hidden))
			want := gradients(byStep, dy, x, c.weights)
			if !y.AllClose(byStep, 1e-10, 1e-10) {
				t.Errorf("%s of %d sequences: got\n%v, want\n%v", c.name, batch, y, byStep)
			}
			for i := range want {
				if !got[i].AllClose(want[i], 1e-10, 1e-10) {
					t.Errorf("%s of %d sequences: gradient %d is\n%v, want\n%v", c.name, batch, i, got[i], want[i])
				}
			}
		}
	}
}

func ofRNN(r *nn.RNN) func(x *tensor.Tensor) *tensor.Tensor {
	return func(x *tensor.Tensor) *tensor.Tensor { y, _ := r.Forward(x, nil); return y }
}

func ofGRU(r *nn.GRU) func(x *tensor.Tensor) *tensor.Tensor {
	return func(x *tensor.Tensor) *tensor.Tensor { y, _ := r.Forward(x, nil); return y }
}

func ofLSTM(r *nn.LSTM) func(x *tensor.Tensor) *tensor.Tensor {
	return func(x *tensor.Tensor) *tensor.Tensor { y, _, _ := r.Forward(x, nil, nil); return y }
}

func stepRNN(gates, state, _, c *tensor.Tensor) (_, _ *tensor.Tensor) {
	return gates.Add(state).Tanh(), c
}

func stepGRU(gates, state, h, c *tensor.Tensor) (_, _ *tensor.Tensor) {
	g, s := gates.Chunk(3, 1), state.Chunk(3, 1)
	r, z := g[0].Add(s[0]).Sigmoid(), g[1].Add(s[1]).Sigmoid()
	n := g[2].Add(r.Mul(s[2])).Tanh()
	return n.Add(z.Mul(h.Sub(n))), c
}

func stepLSTM(gates, state, _, c *tensor.Tensor) (_, _ *tensor.Tensor) {
	g := gates.Add(state).Chunk(4, 1)
	c = g[1].Sigmoid().Mul(c).Add(g[0].Sigmoid().Mul(g[2].Tanh()))
	return g[3].Sigmoid().Mul(c.Tanh()), c
}

// unrolled computes the states of all steps by ops.
func unrolled(x *tensor.Tensor, weights nn.ParameterDict, step func(gates, state, h, c *tensor.Tensor) (_, _ *tensor.Tensor), zeros *tensor.Tensor) *tensor.Tensor {
	var inBias, stateBias *tensor.Tensor
	if len(weights) == 4 {
		inBias, stateBias = weights[2].Value, weights[3].Value
	}
	h, c := zeros, zeros
	var all []*tensor.Tensor
	for _, now := range x.Unbind(0) {
		h, c = step(now.Linear(weights[0].Value, inBias), h.Linear(weights[1].Value, stateBias), h, c)
		all = append(all, h)
	}
	return tensor.Stack(all, 0)
}

// gradients are those of x and of the weights where y has the gradient dy.
func gradients(y, dy, x *tensor.Tensor, weights nn.ParameterDict) (all []*tensor.Tensor) {
	y.Backward(tensor.Gradient(dy))
	take := func(t *tensor.Tensor) {
		all = append(all, t.Grad())
		t.ZeroGrad()
	}
	take(x)
	for _, w := range weights {
		take(w.Value)
	}
	return all
}
