package cpu

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/op"
)

func (t *table) addLosses() {
	addLossesOf[float32](t)
	addLossesOf[float64](t)
}

func addLossesOf[T dtype.Float](t *table) {
	dt := dtype.Of[T]()
	t[op.NLLLoss][dt] = rowMajor(nllLoss[T])
	t[op.NLLLossGrad][dt] = rowMajor(nllLossGrad[T])
	t[op.MSELoss][dt] = binary(kern.SquaredError[T])
	t[op.MSELossGrad][dt] = mseLossGrad[T]
	t[op.BCEWithLogits][dt] = ternary(kern.BCE[T])
	t[op.BCEWithLogitsGrad][dt] = ternary(kern.BCEGrad[T])
}

// nllLoss writes the loss to out[0] and the sum of the targets' weights to out[1], of log probabilities, targets and
// perhaps weights of classes.
func nllLoss[T dtype.Float](c *backend.Call) error {
	p := c.Params.(op.Loss)
	x, targets, weight := &c.In()[0], dense[int64](&c.In()[1]), optional[T](c, 2)
	s := channelsOf(x.Layout.Shape)
	if t, found := kern.OutOfRange(targets, s.C, int64(p.IgnoreIndex)); found {
		return &backend.IndexError{Text: fmt.Sprintf("Target %d is out of bounds.", t)}
	}
	out, each := dense[T](&c.Out()[0]), []T(nil)
	if p.Reduction == op.NoReduction {
		each = out
	}
	sum, total := kern.NLL(s, dense[T](x), targets, weight, int64(p.IgnoreIndex), each)
	switch p.Reduction {
	case op.MeanReduction:
		out[0] = T(sum / total)
	case op.SumReduction:
		out[0] = T(sum)
	}
	dense[T](&c.Out()[1])[0] = T(total)
	return nil
}

// nllLossGrad writes the gradient for the log probabilities, of dy, targets, weights and the weights' sum.
func nllLossGrad[T dtype.Float](c *backend.Call) error {
	p := c.Params.(op.Loss)
	dx, targets, weight := &c.Out()[0], dense[int64](&c.In()[1]), optional[T](c, 2)
	scale := 1.0
	if p.Reduction == op.MeanReduction {
		scale = 1 / float64(dense[T](&c.In()[3])[0])
	}
	kern.NLLBackward(channelsOf(dx.Layout.Shape), dense[T](&c.In()[0]), scale, targets, weight, int64(p.IgnoreIndex), dense[T](dx))
	return nil
}

// mseLossGrad writes A·(x - y)·dy, of dy, x and y.
func mseLossGrad[T dtype.Float](c *backend.Call) error {
	scale := T(c.Params.(op.Number).A)
	return ternary(func(dst, dy, x, y []T) { kern.SquaredErrorGrad(dst, dy, x, y, scale) })(c)
}

// channelsOf sees [C], [N, C] and [N, C, d…] as [N, C, L].
func channelsOf(shape layout.Shape) kern.ChannelShape {
	if len(shape) == 1 {
		return kern.ChannelShape{N: 1, C: shape[0], L: 1}
	}
	l := 1
	for _, d := range shape[2:] {
		l *= d
	}
	return kern.ChannelShape{N: shape[0], C: shape[1], L: l}
}

// optional returns the elements of operand i, which is contiguous, nil where it was not given.
func optional[T dtype.Element](c *backend.Call, i int) []T {
	if !c.Has(i) {
		return nil
	}
	return dense[T](&c.In()[i])
}
