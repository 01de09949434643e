package onnxnode

import (
	"cresset/tensor"
)

// recurrent are networks over time, in steps: their gates have ONNX's order and options that nn's layers lack.
var recurrent = map[string]operator{
	"RNN":  func(n *node) []*tensor.Tensor { return recur(n, 1, rnnStep) },
	"GRU":  func(n *node) []*tensor.Tensor { return recur(n, 3, gruStep) },
	"LSTM": func(n *node) []*tensor.Tensor { return recur(n, 4, lstmStep) },
}

// cell is what a step knows: weights of the input and of the state, their biases, and peepholes.
type cell struct {
	n                       *node
	w, r, wBias, rBias, eye *tensor.Tensor
	hidden                  int
}

// gate returns one of the gates before its function.
func (c *cell) gate(i int, x, h *tensor.Tensor) *tensor.Tensor {
	cut := func(t *tensor.Tensor) *tensor.Tensor { return t.Narrow(0, i*c.hidden, c.hidden) }
	return x.Linear(cut(c.w), cut(c.wBias)).Add(h.Linear(cut(c.r), cut(c.rBias)))
}

type step func(c *cell, x, h, memory *tensor.Tensor) (state, next *tensor.Tensor)

func rnnStep(c *cell, x, h, memory *tensor.Tensor) (state, next *tensor.Tensor) {
	return c.gate(0, x, h).Tanh(), memory
}

func gruStep(c *cell, x, h, memory *tensor.Tensor) (state, next *tensor.Tensor) {
	update, reset := c.gate(0, x, h).Sigmoid(), c.gate(1, x, h).Sigmoid()
	cut := func(t *tensor.Tensor) *tensor.Tensor { return t.Narrow(0, 2*c.hidden, c.hidden) }
	var fresh *tensor.Tensor
	if c.n.flag("linear_before_reset", 0) {
		fresh = x.Linear(cut(c.w), cut(c.wBias)).Add(h.Linear(cut(c.r), cut(c.rBias)).Mul(reset)).Tanh()
	} else {
		fresh = c.gate(2, x, h.Mul(reset)).Tanh()
	}
	return fresh.Lerp(h, update), memory
}

func lstmStep(c *cell, x, h, memory *tensor.Tensor) (state, next *tensor.Tensor) {
	peep := func(gate, i int, memory *tensor.Tensor) *tensor.Tensor {
		y := c.gate(gate, x, h)
		if c.eye != nil {
			y = y.Add(c.eye.Narrow(0, i*c.hidden, c.hidden).Mul(memory))
		}
		return y.Sigmoid()
	}
	next = peep(2, 2, memory).Mul(memory).Add(peep(0, 0, memory).Mul(c.gate(3, x, h).Tanh()))
	return peep(1, 1, next).Mul(next.Tanh()), next
}

// recur steps through x [length, batch, width] in one direction: all that the cases have.
func recur(n *node, gates int, f step) []*tensor.Tensor {
	x, batchFirst := n.input(0), n.flag("layout", 0)
	if batchFirst {
		x = x.Transpose(0, 1)
	}
	hidden := n.integer("hidden_size", 0)
	c := &cell{n: n, w: n.input(1).Select(0, 0), r: n.input(2).Select(0, 0), hidden: hidden}
	c.wBias, c.rBias = tensor.Zeros(gates*hidden), tensor.Zeros(gates*hidden)
	if n.has(3) {
		b := n.input(3).Select(0, 0)
		c.wBias, c.rBias = b.Narrow(0, 0, gates*hidden), b.Narrow(0, gates*hidden, gates*hidden)
	}
	if n.has(7) {
		c.eye = n.input(7).Select(0, 0)
	}
	first := func(i int) *tensor.Tensor {
		switch {
		case !n.has(i):
			return tensor.Zeros(x.Size(1), hidden)
		case batchFirst:
			return n.input(i).Select(1, 0)
		}
		return n.input(i).Select(0, 0)
	}
	h, memory := first(5), first(6)
	var states []*tensor.Tensor
	for t := range x.Size(0) {
		h, memory = f(c, x.Select(0, t), h, memory)
		states = append(states, h)
	}
	if batchFirst {
		return []*tensor.Tensor{tensor.Stack(states, 0).Transpose(0, 1).Unsqueeze(2), h.Unsqueeze(1), memory.Unsqueeze(1)}
	}
	return []*tensor.Tensor{tensor.Stack(states, 0).Unsqueeze(1), h.Unsqueeze(0), memory.Unsqueeze(0)}
}
