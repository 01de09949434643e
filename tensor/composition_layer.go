package tensor

import "cresset/internal/op"

// The gradients of normalizations and of class losses as recorded ops.

// layerNormComposed computes the statistics anew from x, so that they are part of the graph.
func layerNormComposed(b *backprop, dy *Tensor) {
	x, weight, p := b.saved(0), b.saved(1), b.params().(op.Normalize)
	rank := x.layout.Rank()
	over := (uint32(1)<<p.Axes - 1) << (rank - p.Axes)
	x, dy = x.To(statsType(x.dtype)), dy.To(statsType(dy.dtype))
	normal, invstd := x.standardized(over, p.Eps)
	g := dy
	if weight != nil {
		g = dy.Mul(weight)
	}
	b.giveNeeded(0, func() *Tensor { return g.throughStandard(normal, invstd, over) })
	b.giveNeeded(1, func() *Tensor { return dy.Mul(normal) })
	b.give(2, dy)
}

// standardized returns (x - mean)·invstd over axes, a bit each, and invstd, which is 1/√(variance + eps).
func (x *Tensor) standardized(axes uint32, eps float64) (normal, invstd *Tensor) {
	centred := x.Sub(x.meanOver(axes))
	invstd = centred.Square().meanOver(axes).AddScalar(eps).Rsqrt()
	return centred.Mul(invstd), invstd
}

// throughStandard returns the gradient for the operand of standardized, whose first result has the gradient g.
func (g *Tensor) throughStandard(normal, invstd *Tensor, axes uint32) *Tensor {
	along := normal.Mul(g.Mul(normal).meanOver(axes))
	return g.Sub(g.meanOver(axes)).Sub(along).Mul(invstd)
}

// batchNormComposed computes the statistics of a batch anew from x. Those of evaluation are constants.
func batchNormComposed(b *backprop, dy *Tensor) {
	x, weight, p := b.saved(0), b.saved(1), b.params().(op.Normalize)
	channels := lineShape(x.layout.Rank(), 1, x.layout.Shape()[1])
	over := (uint32(1)<<x.layout.Rank() - 1) &^ 2
	x, dy = x.To(statsType(x.dtype)), dy.To(statsType(dy.dtype))
	var normal, invstd *Tensor
	if p.Training {
		normal, invstd = x.standardized(over, p.Eps)
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
		return g.throughStandard(normal, invstd, over)
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

// groupNormComposed computes the statistics of groups anew from x.
func groupNormComposed(b *backprop, dy *Tensor) {
	x, weight, p := b.saved(0), b.saved(1), b.params().(op.Normalize)
	shape := x.layout.Shape()
	channels := lineShape(len(shape), 1, shape[1])
	x, dy = x.To(statsType(x.dtype)), dy.To(statsType(dy.dtype))
	rest, _ := shape[2:].NumEl()
	rows := func(t *Tensor) *Tensor { return t.Reshape(shape[0], p.Groups, shape[1]/p.Groups*rest) }
	const over = 4 // the last of three axes
	normal, invstd := rows(x).standardized(over, p.Eps)
	g := dy
	if weight != nil {
		g = dy.Mul(weight.Reshape(channels...))
	}
	b.giveNeeded(0, func() *Tensor { return rows(g).throughStandard(normal, invstd, over).View(shape...) })
	b.giveNeeded(1, func() *Tensor { return dy.Mul(normal.View(shape...)).sumTo(channels).Reshape(-1) })
	b.giveNeeded(2, func() *Tensor { return dy.sumTo(channels).Reshape(-1) })
}
