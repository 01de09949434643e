package optim

import (
	"iter"

	"cresset/internal/op"
	"cresset/tensor"
)

// SGD is stochastic gradient descent, with momentum if asked for. A step is
//
//	g += WeightDecay·p;  momentum = Momentum·momentum + (1-Dampening)·g
//	p -= LR·momentum     // LR·(g + Momentum·momentum) with Nesterov, LR·g without momentum
type SGD struct {
	groups
	momentum map[*tensor.Tensor]*tensor.Tensor
}

var _ Optimizer = (*SGD)(nil)

// NewSGD returns an optimizer of the parameters, for example nn.Parameters(net). It panics where there are none, where one
// is not a leaf, and where a figure makes no sense.
func NewSGD(ps iter.Seq2[string, *tensor.Tensor], opts ...SGDOption) *SGD {
	f := figures{lr: 1e-3}
	for _, o := range opts {
		o.sgd(&f)
	}
	group := newGroup(ps, f)
	nonNegative("momentum value", f.momentum)
	if f.nesterov && (f.momentum <= 0 || f.dampening != 0) {
		refuse(tensor.ErrValue, "Nesterov momentum requires a momentum and zero dampening")
	}
	return &SGD{groups{group}, make(map[*tensor.Tensor]*tensor.Tensor)}
}

// Copy returns an optimizer like s, without its momentum, of what of returns for each of its parameters.
func (s *SGD) Copy(of func(p *tensor.Tensor) *tensor.Tensor) Optimizer {
	return &SGD{s.copied(of), make(map[*tensor.Tensor]*tensor.Tensor)}
}

// Step updates every parameter that has a gradient.
func (s *SGD) Step() {
	s.steps(func(p, grad *tensor.Tensor, group *Group) {
		f := &group.figures
		o := op.SGD{LR: group.LR, Momentum: f.momentum, Dampening: f.dampening,
			WeightDecay: f.weightDecay, Nesterov: f.nesterov, Maximize: f.maximize}
		momentum := s.momentum[p]
		if o.Momentum != 0 && momentum == nil {
			o.First = true
			momentum = tensor.EmptyLike(p)
			s.momentum[p] = momentum
		}
		inner.SGDStep(p, grad, momentum, o)
	})
}
