package roofline

import (
	"math"

	"cresset/internal/hardware"
)

// Network is what joins GPUs: bytes that one sends, and receives, in a nanosecond, and the nanoseconds that a message takes beside its bytes.
type Network struct {
	Node                      int // GPUs of a machine
	Inside, Between           float64
	InsideStart, BetweenStart float64 // for each doubling of ranks in a machine, and of machines
}

// Training is a step of a transformer on each GPU: float32 parameters, products of half types, Adam.
type Training struct {
	Layers, Width, Hidden, Vocabulary int
	Tokens                            int     // of a GPU's part of the batch
	Reached                           float64 // of the peak, by products
}

// Strategy is how a model is divided among GPUs.
type Strategy uint8

// The strategies, as packages nn/ddp, nn/fsdp by its stages and nn/tp within a machine, with nn/ddp among machines, have them.
const (
	DDP Strategy = iota
	ZeRO1
	ZeRO2
	ZeRO3
	TensorParallel
)

// Scaled is what a strategy needs on so many GPUs.
type Scaled struct {
	Time   float64 // of a step, in nanoseconds
	Memory float64 // bytes of parameters, gradients and the optimizer on a GPU
}

// Scale simulates the clocks of a GPU, which computes a layer at a time, and of its links, which pass one message at a time, through a step on n GPUs.
func (t Training) Scale(g *hardware.GPU, net Network, s Strategy, n int) Scaled {
	c := &clocks{training: t, gpu: g, net: net, ranks: n, layers: t.layers()}
	total := 0.
	for _, p := range c.layers {
		total += p
	}
	kept := total // parameters that an optimizer steps here
	var memory float64
	whole, part := total, total/float64(n)
	switch s {
	case DDP:
		c.forward(nil)
		c.backward(nil, func(p float64) float64 { return 2 * net.pass(n, 1, 4*p) })
		memory = 16*whole + 2*whole // and casts of weights
	case ZeRO1, ZeRO2:
		gather := func(p float64) float64 { return net.pass(n, 1, 2*p) }
		c.forward(gather)
		c.backward(nil, func(p float64) float64 { return net.pass(n, 1, 4*p) })
		kept, memory = part, 16*part+2*whole
		if s == ZeRO1 {
			memory += 2 * whole // gradients, in the dtype of products
		}
	case ZeRO3:
		gather := func(p float64) float64 { return net.pass(n, 1, 2*p) }
		c.forward(gather)
		c.backward(gather, func(p float64) float64 { return net.pass(n, 1, 4*p) })
		kept, memory = part, 16*part+3*2*c.layers[0]+2*4*c.layers[0] // units that are there or on their way, and two messages
	case TensorParallel:
		c.divided()
		kept, memory = whole/float64(min(n, net.Node)), 18*whole/float64(min(n, net.Node))
	}
	adam := 28 * kept / (reached * Bandwidth(g)) // which reads four numbers and writes three, when all gradients are there
	return Scaled{max(c.gpuTime, c.link) + adam, memory}
}

// layers returns the parameters of each layer, and of the table of tokens.
func (t Training) layers() []float64 {
	ps := make([]float64, t.Layers, t.Layers+1)
	for i := range ps {
		ps[i] = float64(4*t.Width*t.Width + 3*t.Width*t.Hidden)
	}
	return append(ps, float64(t.Width*t.Vocabulary))
}

// clocks are how far a GPU and its links are.
type clocks struct {
	training      Training
	gpu           *hardware.GPU
	net           Network
	ranks         int
	layers        []float64
	gpuTime, link float64
}

// compute returns the time of a layer forward, by so many parameters; backward it is twice that.
func (c *clocks) compute(params float64) float64 {
	return 2 * params * float64(c.training.Tokens) / (c.training.Reached * Peak(c.gpu, Tensor16))
}

// forward computes all layers, each of which is gathered while the one before is computed.
func (c *clocks) forward(gather func(params float64) float64) {
	c.through(len(c.layers), func(i int) float64 { return c.layers[i] }, 1, gather, nil)
}

// backward computes them from the last to the first, and sends their gradients as they come.
func (c *clocks) backward(gather, reduce func(params float64) float64) {
	c.through(len(c.layers), func(i int) float64 { return c.layers[len(c.layers)-1-i] }, 2, gather, reduce)
}

func (c *clocks) through(n int, params func(i int) float64, forwards float64, gather, reduce func(params float64) float64) {
	ready := c.gpuTime
	if gather != nil {
		c.link = max(c.link, c.gpuTime) + gather(params(0))
		ready = c.link
	}
	for i := range n {
		c.gpuTime = max(c.gpuTime, ready)
		if gather != nil && i+1 < n {
			c.link = max(c.link, c.gpuTime) + gather(params(i+1))
			ready = c.link
		}
		c.gpuTime += forwards * c.compute(params(i))
		if reduce != nil {
			c.link = max(c.link, c.gpuTime) + reduce(params(i))
		}
	}
}

// divided computes layers of which each GPU of a machine has a part: for as many tokens as all of them have, whose sums wait for the links twice forward and twice backward. Gradients
// of the parts then go between machines.
func (c *clocks) divided() {
	group := min(c.ranks, c.net.Node)
	sums := 2 * 2 * c.net.pass(group, 1, 2*float64(c.training.Tokens*group*c.training.Width))
	for _, p := range c.layers {
		c.gpuTime += c.compute(p) + sums
	}
	for i := range c.layers {
		p := c.layers[len(c.layers)-1-i]
		c.gpuTime += 2*c.compute(p) + sums
		c.link = max(c.link, c.gpuTime) + 2*c.net.pass(c.ranks, group, 4*p/float64(group))
	}
}

// pass returns the time in which n ranks gather a message, or reduce and scatter it: first within machines, then, each GPU its part, between them. Of ranks that hold parts of a layer in
// a machine, so many beside each other, only those of the same part pass messages, between machines.
func (n Network) pass(ranks, beside int, bytes float64) float64 {
	inside := max(min(ranks, n.Node)/beside, 1)
	machines := max(ranks/(inside*beside), 1)
	share := func(k int) float64 { return float64(k-1) / float64(k) }
	return share(inside)*bytes/n.Inside + math.Log2(float64(inside))*n.InsideStart +
		share(machines)*bytes/float64(inside)/n.Between + math.Log2(float64(machines))*n.BetweenStart
}
