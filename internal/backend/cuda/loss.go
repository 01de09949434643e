package cuda

import (
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
	"cresset/internal/op"
)

func (t *table) addLosses() {
	for _, dt := range append(floats[:2:2], halves...) {
		n := &likelihood{typed("nll", dt), typed("nll_total", dt), typed("nll_each", dt), newSoftmaxer("softmax_shifts", dt, 1)}
		t[op.NLLLoss][dt] = row{launch: n.loss}
		t[op.NLLLossGrad][dt] = row{likelihoodGrad, typed("nll_grad", dt)}
		t[op.CrossEntropy][dt] = row{launch: n.ofLogits}
		t[op.CrossEntropyGrad][dt] = row{likelihoodGrad, typed("cross_entropy_grad", dt)}
	}
}

// likelihood is the kernels of the negative log likelihood.
type likelihood struct {
	sum, total, each kernelID
	shifts           *softmaxer
}

var nllParams paramPool[kernels.NLL]

// loss writes the loss to out[0] and the sum of the targets' weights to out[1], of log probabilities, targets and perhaps
// weights of classes. Of logits it takes what they are shifted by from out[2].
func (n *likelihood) loss(d *Device, c *backend.Call, _ kernelID) error {
	s, p := nllParams.begin(d)
	defer s.free()
	at := s.nll(c, p, c.In()[0].Layout.Shape())
	p.X, p.Targets, p.Weight = at[0], at[1], at[2]
	p.Out, p.Total = address(&c.Out()[0]), address(&c.Out()[1])
	if len(c.Out()) > 2 {
		p.Shifts = address(&c.Out()[2])
	}
	if p.Each == 0 {
		return n.sums(&s, p)
	}
	total := &c.Out()[1]
	if err := d.zero(p.Total, total.DType.Size()); err != nil {
		return err
	}
	targets := int(p.Batch * p.Inner)
	if targets == 0 {
		return nil
	}
	return issue(&s, n.each, d.flat(targets), p)
}

// sums adds up the losses, in parts where there are many.
func (n *likelihood) sums(s *scratch, p *kernels.NLL) error {
	g := kernels.LossGrid(p.Batch * p.Inner)
	if p.Parts = uint64(g.Blocks[0]); p.Parts > 1 {
		p.Sums = s.take(int(p.Parts) * kernels.PairBytes).ptr
	}
	if err := issue(s, n.sum, g, p); err != nil || p.Parts == 1 {
		return err
	}
	return issue(s, n.total, kernels.OneBlock(), p)
}

// ofLogits writes the shifts of the logits' softmax to out[2], and then what loss writes.
func (n *likelihood) ofLogits(d *Device, c *backend.Call, k kernelID) error {
	s := scratch{device: d}
	defer s.free()
	x := c.In()[0]
	if x.Layout.Size() > 0 {
		p := softmaxParams.take()
		defer softmaxParams.give(p)
		outer, classes, inner := aroundClasses(x.Layout.Shape())
		*p = kernels.Softmax{Outer: uint64(outer), N: uint64(classes), Inner: uint64(inner), In: s.packed(&x), Out: address(&c.Out()[2])}
		if err := n.shifts.along(&s, p); err != nil {
			return err
		}
	}
	return n.loss(d, c, k)
}

// likelihoodGrad writes the gradient for the log probabilities, of dy, targets, weights and the weights' sum, or that for
// the logits, of these, the logits and their shifts.
func likelihoodGrad(d *Device, c *backend.Call, k kernelID) error {
	s, p := nllParams.begin(d)
	defer s.free()
	out := &c.Out()[0]
	if out.Layout.Size() == 0 {
		return nil
	}
	at := s.nll(c, p, out.Layout.Shape())
	p.Dy, p.Targets, p.Weight, p.Total = at[0], at[1], at[2], at[3]
	p.X, p.Shifts = at[4], at[5]
	p.Out = address(out)
	return issue(&s, k, d.flat(out.Layout.Size()), p)
}

// nll packs the operands and fills in what loss and gradient share; shape is [C], [N, C] or [N, C, d…].
func (s *scratch) nll(c *backend.Call, p *kernels.NLL, shape layout.Shape) (at [maxScratch]uint64) {
	o := c.Params.(op.Loss)
	batch, classes, inner := aroundClasses(shape)
	*p = kernels.NLL{
		Batch: uint64(batch), Classes: uint64(classes), Inner: uint64(inner), Ignore: int64(o.IgnoreIndex),
		Mean: flag(o.Reduction == op.MeanReduction), Each: flag(o.Reduction == op.NoReduction), Report: s.device.report(c),
	}
	return s.all(c)
}

// aroundClasses sees a shape as batch, classes and inner.
func aroundClasses(shape layout.Shape) (batch, classes, inner int) {
	return layout.Around(shape, min(1, len(shape)-1))
}
