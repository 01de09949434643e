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
type SGD struct{ base }

var _ Optimizer = (*SGD)(nil)

var sgdForm = &form{
	tensors: func(f *figures) []string {
		if f.momentum == 0 {
			return nil
		}
		return []string{"momentum_buffer"}
	},
	settings: func(f *figures) []setting {
		return append([]setting{
			{"momentum", &f.momentum}, {"dampening", &f.dampening}, {"weight_decay", &f.weightDecay}, {"nesterov", &f.nesterov}, {"maximize", &f.maximize},
		}, executed...)
	},
	check: func(f *figures) {
		nonNegative("weight_decay value", f.weightDecay)
		nonNegative("momentum value", f.momentum)
		if f.nesterov && (f.momentum <= 0 || f.dampening != 0) {
			refuse(tensor.ErrValue, "Nesterov momentum requires a momentum and zero dampening")
		}
	},
}

// NewSGD returns an optimizer of the parameters, for example nn.Parameters(net). It panics where there are none, where one
// is not a leaf, and where a figure makes no sense.
func NewSGD(ps iter.Seq2[string, *tensor.Tensor], opts ...SGDOption) *SGD {
	f := figures{lr: 1e-3}
	for _, o := range opts {
		o.sgd(&f)
	}
	return &SGD{newBase(sgdForm, ps, f)}
}

// Copy returns an optimizer like s, without its momentum, of what of returns for each of its parameters.
func (s *SGD) Copy(of func(p *tensor.Tensor) *tensor.Tensor) Optimizer { return &SGD{s.copied(of)} }

// Step updates every parameter that has a gradient.
func (s *SGD) Step() {
	s.steps(func(p, grad *tensor.Tensor, group *Group) {
		f := &group.figures
		o := op.SGD{LR: group.LR, Momentum: f.momentum, Dampening: f.dampening,
			WeightDecay: f.weightDecay, Nesterov: f.nesterov, Maximize: f.maximize}
		var momentum *tensor.Tensor
		if o.Momentum != 0 {
			kept, first := s.of(p, group, tensor.EmptyLike)
			momentum, o.First = kept.tensors[0], first
		}
		inner.SGDStep(p, grad, momentum, o)
	})
}
