package cpu

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/op"
)

func addLosses[T dtype.Float](t *table) {
	dt := dtype.Of[T]()
	t[op.NLLLoss][dt] = rowMajor(nllLoss[T])
	t[op.NLLLossGrad][dt] = rowMajor(nllLossGrad[T])
	t[op.CrossEntropy][dt] = rowMajor(crossEntropy[T])
	t[op.CrossEntropyGrad][dt] = rowMajor(crossEntropyGrad[T])
	t[op.CTCLoss][dt] = rowMajor(ctcLoss[T])
	t[op.CTCLossGrad][dt] = rowMajor(ctcLossGrad[T])
}

// nllLoss writes the loss to out[0] and the sum of the targets' weights to out[1], of log probabilities, targets and
// perhaps weights of classes.
func nllLoss[T dtype.Float](c *backend.Call) error {
	if err := checkTargets(c); err != nil {
		return err
	}
	writeLoss[T](c, nil)
	return nil
}

// checkTargets returns the error of the first target that is no class.
func checkTargets(c *backend.Call) error {
	s := channelsOf(c.In()[0].Layout.Shape())
	if t, found := kern.OutOfRange(dense[int64](&c.In()[1]), s.C, int64(c.Params.(op.Loss).IgnoreIndex)); found {
		return &backend.IndexError{Text: fmt.Sprintf("Target %d is out of bounds.", t)}
	}
	return nil
}

// writeLoss does what nllLoss does, of logits where there are shifts.
func writeLoss[T dtype.Float](c *backend.Call, shifts []T) {
	p := c.Params.(op.Loss)
	x, targets, weight := &c.In()[0], dense[int64](&c.In()[1]), optional[T](c, 2)
	out, each := dense[T](&c.Out()[0]), []T(nil)
	if p.Reduction == op.NoReduction {
		each = out
	}
	sum, total := kern.Float[T]().NLL(channelsOf(x.Layout.Shape()), dense[T](x), shifts, targets, weight, int64(p.IgnoreIndex), each)
	switch p.Reduction {
	case op.MeanReduction:
		out[0] = T(sum / total)
	case op.SumReduction:
		out[0] = T(sum)
	}
	dense[T](&c.Out()[1])[0] = T(total)
}

// nllLossGrad writes the gradient for the log probabilities, of dy, targets, weights and the weights' sum.
func nllLossGrad[T dtype.Float](c *backend.Call) error {
	p := c.Params.(op.Loss)
	dx, targets, weight := &c.Out()[0], dense[int64](&c.In()[1]), optional[T](c, 2)
	kern.Float[T]().NLLBackward(channelsOf(dx.Layout.Shape()), dense[T](&c.In()[0]), lossScale[T](c), targets, weight, int64(p.IgnoreIndex), dense[T](dx))
	return nil
}

// lossScale is what the gradient of each loss is multiplied by: for a mean, one over the weights' sum.
func lossScale[T dtype.Float](c *backend.Call) float64 {
	if c.Params.(op.Loss).Reduction == op.MeanReduction {
		return 1 / float64(dense[T](&c.In()[3])[0])
	}
	return 1
}

// crossEntropy is nllLoss of logits, and writes the shifts of their softmax to out[2].
func crossEntropy[T dtype.Float](c *backend.Call) error {
	if err := checkTargets(c); err != nil {
		return err
	}
	x, shifts := &c.In()[0], dense[T](&c.Out()[2])
	s := channelsOf(x.Layout.Shape())
	if err := kern.Float[T]().SoftmaxShifts(s.N, s.C, s.L, dense[T](x), shifts); err != nil {
		return err
	}
	writeLoss(c, shifts)
	return nil
}

// crossEntropyGrad writes the gradient for the logits, of dy, targets, weights, the weights' sum, logits and shifts.
func crossEntropyGrad[T dtype.Float](c *backend.Call) error {
	p, in := c.Params.(op.Loss), c.In()
	x := &in[4]
	return kern.Float[T]().CrossEntropyBackward(channelsOf(x.Layout.Shape()), dense[T](x), dense[T](&in[5]), dense[T](&in[0]), lossScale[T](c),
		dense[int64](&in[1]), optional[T](c, 2), int64(p.IgnoreIndex), dense[T](&c.Out()[0]))
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
//
//go:noinline
func optional[T dtype.Element](c *backend.Call, i int) []T {
	if !c.Has(i) {
		return nil
	}
	return dense[T](&c.In()[i])
}

// ctcLoss writes a loss for each item to out[0] and what the gradient needs to out[1], of log probabilities and labels.
func ctcLoss[T dtype.Float](c *backend.Call) error {
	x, labels := &c.In()[0], dense[int64](&c.In()[1])
	b := ctcOf(c, x)
	for _, label := range labels {
		if label < 0 || int(label) >= b.Classes {
			return &backend.IndexError{Text: fmt.Sprintf("Target %d is out of bounds.", label)}
		}
	}
	return kern.CTC(b, dense[T](x), labels, dense[T](&c.Out()[0]), dense[T](&c.Out()[1]))
}

// ctcLossGrad writes the gradient for the log probabilities, of dy, these, labels, losses and what ctcLoss noted.
func ctcLossGrad[T dtype.Float](c *backend.Call) error {
	in := c.In()
	b := ctcOf(c, &in[1])
	x, labels, loss, alpha := dense[T](&in[1]), dense[int64](&in[2]), dense[T](&in[3]), dense[T](&in[4])
	return kern.CTCBackward(b, dense[T](&in[0]), x, labels, loss, alpha, dense[T](&c.Out()[0]))
}

func ctcOf(c *backend.Call, x *backend.View) kern.CTCBatch {
	shape := x.Layout.Shape()
	return kern.CTCBatch{CTC: c.Params.(op.CTC), Batch: shape[1], Classes: shape[2]}
}
