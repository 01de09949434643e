package tensor

import "cresset/internal/op"

// The gradients of normalizations and of class losses as recorded ops.

// normalizedComposed computes the statistics of rows, or of groups, anew from x, so that they are part of the graph.
func normalizedComposed(b *backprop, dy *Tensor) {
	x, weight, p := b.saved(0), b.saved(1), b.params().(op.Normalize)
	shape := x.layout.Shape()
	rows := func(t *Tensor) *Tensor { return t }
	s := standard{over: (uint32(1)<<p.Axes - 1) << (len(shape) - p.Axes), eps: p.Eps, centred: b.current.op != op.RMSNorm}
	weights := weightShape(x, p)
	if p.Groups > 0 {
		rest, _ := shape[2:].NumEl()
		rows = func(t *Tensor) *Tensor { return t.Reshape(shape[0], p.Groups, shape[1]/p.Groups*rest) }
		s.over, weights = 4, lineShape(len(shape), 1, shape[1])
	}
	x, dy = x.To(statsType(x.dtype)), dy.To(statsType(dy.dtype))
	normal, invstd := s.of(rows(x))
	g := dy
	if weight != nil {
		g = dy.Mul(weight.Reshape(weights...))
	}
	b.giveNeeded(0, func() *Tensor { return s.through(rows(g), normal, invstd).View(shape...) })
	b.giveNeeded(1, func() *Tensor { return dy.Mul(normal.View(shape...)).sumTo(weights).View(weightShape(x, p)...) })
	b.giveNeeded(2, func() *Tensor { return dy.sumTo(weights).View(weightShape(x, p)...) })
}

// standard is how elements are normalised over axes, a bit each.
type standard struct {
	over    uint32
	eps     float64
	centred bool // whether the mean is taken off
}

// of returns (x - mean)·invstd and invstd, which is 1/√(variance + eps).
func (s standard) of(x *Tensor) (normal, invstd *Tensor) {
	if s.centred {
		x = x.Sub(x.meanOver(s.over))
	}
	invstd = x.Square().meanOver(s.over).AddScalar(s.eps).Rsqrt()
	return x.Mul(invstd), invstd
}

// through returns the gradient for the operand of s.of, whose first result has the gradient g.
func (s standard) through(g, normal, invstd *Tensor) *Tensor {
	along := normal.Mul(g.Mul(normal).meanOver(s.over))
	if s.centred {
		g = g.Sub(g.meanOver(s.over))
	}
	return g.Sub(along).Mul(invstd)
}

// batchNormComposed computes the statistics of a batch anew from x. Those of evaluation are constants.
func batchNormComposed(b *backprop, dy *Tensor) {
	x, weight, p := b.saved(0), b.saved(1), b.params().(op.Normalize)
	channels := lineShape(x.layout.Rank(), 1, x.layout.Shape()[1])
	s := standard{over: (uint32(1)<<x.layout.Rank() - 1) &^ 2, eps: p.Eps, centred: true}
	x, dy = x.To(statsType(x.dtype)), dy.To(statsType(dy.dtype))
	var normal, invstd *Tensor
	if p.Training {
		normal, invstd = s.of(x)
	} else {
		mean := b.saved(2).Detach().View(channels...)
		invstd = b.saved(3).Detach().View(channels...)
		normal = x.Sub(mean).Mul(invstd)
	}
	g := dy
	if weight != nil {
		g = dy.Mul(weight.Reshape(channels...))
	}
	b.giveNeeded(0, func() *Tensor {
		if !p.Training {
			return g.Mul(invstd)
		}
		return s.through(g, normal, invstd)
	})
	b.giveNeeded(1, func() *Tensor { return dy.Mul(normal).sumTo(channels).Reshape(-1) })
	b.giveNeeded(2, func() *Tensor { return dy.sumTo(channels).Reshape(-1) })
}

// nllComposed is linear in dy, and the loss in x: its own gradient is the loss.
func nllComposed(b *backprop, dy *Tensor) {
	b.give(0, b.throughNLL(dy, b.saved(0), b.saved(1), b.saved(2)))
}

// throughNLL returns the gradient for the log probabilities of which the current node, or the end of it, took the loss.
func (b *backprop) throughNLL(dy, target, weight, total *Tensor) *Tensor {
	dx := dy.empty(op.NLLLossGrad, dy.dtype, b.input(0))
	launch(op.NLLLossGrad, dy.dtype, b.params(), []*Tensor{dx}, []*Tensor{dy, target, weight, total})
	record(dx, op.NLLLoss, nllAgain, b.params(), dy).save(target, weight)
	return dx
}

func nllAgain(b *backprop, g *Tensor) {
	target, weight, p := b.saved(0), b.saved(1), b.params().(op.Loss)
	loss, _ := g.nll(target, lossOptions{weight: weight, reduction: Reduction(p.Reduction), ignoreIndex: p.IgnoreIndex})
	b.give(0, loss)
}

// crossEntropyComposed goes back through NLLLoss and then LogSoftmax.
func crossEntropyComposed(b *backprop, dy *Tensor) {
	x := b.saved(0)
	axis := classAxis(x)
	b.give(0, b.throughNLL(dy, b.saved(1), b.saved(2), b.saved(3)).throughLogSoftmax(x.LogSoftmax(axis), axis))
}
