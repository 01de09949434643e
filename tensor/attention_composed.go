package tensor

import (
	"math"

	"cresset/dtype"
	"cresset/internal/op"
)

// attentionComposed is attention's gradient as recorded ops. The scores are in memory as a whole, as kernels never have them.
func attentionComposed(b *backprop, dy *Tensor) {
	a := b.params().(attention)
	q, k, v, mask, dropout := b.saved(0), b.saved(1), b.saved(2), b.saved(3), b.saved(6)
	dt := statsType(q.dtype)
	q, k, v, dy = q.To(dt), k.To(dt), v.To(dt), dy.To(dt)
	groups := 1
	if a.grouped {
		groups = q.Size(-3) / k.Size(-3)
		k, v = k.RepeatInterleave(groups, -3), v.RepeatInterleave(groups, -3)
	}
	// Values, a mask and dropout may have axes that queries and keys lack, and the scores have all.
	q = q.Expand(append(new(attentionOptions).lead(q, k, v), q.Size(-2), q.Size(-1))...)
	s := attentionScores{Attend: a.Attend, dropout: dropout}
	s.of(q, k, mask)
	weights := s.kept(s.weights)
	dweights := s.kept(dy.MatMul(v.Transpose(-2, -1)))
	dscores := s.weights.Mul(dweights.Sub(s.weights.Mul(dweights).SumAxes([]int{-1}, KeepDim(true))))
	b.giveNeeded(3, func() *Tensor { return dscores })
	dproducts := s.through(dscores)
	shared := func(g *Tensor) *Tensor { // of the heads that share keys and values
		if groups == 1 {
			return g
		}
		return g.Unflatten(-3, -1, groups).SumAxes([]int{-3})
	}
	b.giveNeeded(0, func() *Tensor { return dproducts.MatMul(k) })
	b.giveNeeded(1, func() *Tensor { return shared(dproducts.Transpose(-2, -1).MatMul(q)) })
	b.giveNeeded(2, func() *Tensor { return shared(weights.Transpose(-2, -1).MatMul(dy)) })
}

// attentionScores are the scores of queries and keys on their way to the weights of values.
type attentionScores struct {
	op.Attend
	dropout *Tensor // which weights are kept; nil for all
	bent    *Tensor // tanh(scale·q·kᵀ / cap); nil without a cap
	weights *Tensor // 0 where a query does not see a key
}

func (s *attentionScores) of(q, k, mask *Tensor) {
	scores := q.MatMul(k.Transpose(-2, -1)).MulScalar(s.Scale)
	if s.SoftCap > 0 {
		s.bent = scores.DivScalar(s.SoftCap).Tanh()
		scores = s.bent.MulScalar(s.SoftCap)
	}
	hidden := s.hidden(scores, mask)
	if mask != nil && mask.dtype.IsFloat() {
		scores = scores.Add(mask.To(scores.dtype))
	}
	if hidden == nil {
		s.weights = scores.Softmax(-1)
		return
	}
	// A query that sees nothing has weights of scores that are 0 before they are hidden, since those of -∞ alone are NaN.
	blind := hidden.AllAxis(-1, KeepDim(true))
	scores = scores.MaskedFill(hidden, math.Inf(-1)).MaskedFill(blind, 0)
	s.weights = scores.Softmax(-1).MaskedFill(hidden, 0)
}

// hidden tells which keys a query does not see, of the shape of the scores; nil where all see all.
func (s *attentionScores) hidden(scores, mask *Tensor) *Tensor {
	var all *Tensor
	hide := func(more *Tensor) {
		if all != nil {
			more = all.LogicalOr(more)
		}
		all = more
	}
	queries, keys := scores.Size(-2), scores.Size(-1)
	behind := scores.countingAlong(1, keys, 2).Sub(scores.countingAlong(0, queries, 2).AddScalar(s.First))
	if s.Causal {
		hide(behind.GtScalar(0))
	}
	if s.Window > 0 {
		hide(behind.Abs().GeScalar(s.Window))
	}
	switch {
	case mask == nil:
	case mask.dtype == dtype.Bool:
		hide(mask.LogicalNot())
	default:
		hide(mask.Detach().EqScalar(math.Inf(-1)))
	}
	if all == nil {
		return nil
	}
	return all.Expand(scores.Shape()...)
}

// through returns the gradient for q·kᵀ, whose scores have the gradient dscores.
func (s *attentionScores) through(dscores *Tensor) *Tensor {
	if s.bent != nil {
		dscores = dscores.Mul(s.bent.Square().RSubScalar(1))
	}
	return dscores.MulScalar(s.Scale)
}

// kept returns what dropout leaves of x, which is a number for each weight.
func (s *attentionScores) kept(x *Tensor) *Tensor {
	if s.dropout == nil {
		return x
	}
	x = x.MaskedFill(s.dropout.View(x.Shape()...).LogicalNot(), 0)
	if s.Keep == 0 {
		return x // zeros
	}
	return x.DivScalar(s.Keep)
}
