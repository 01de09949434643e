package optim

import (
	"iter"

	"cresset/internal/op"
	"cresset/tensor"
)

// NewSGD returns stochastic gradient descent on the parameters, for example nn.Parameters(net), with momentum if asked for. A step is
//
//	g += WeightDecay·p;  momentum = Momentum·momentum + (1-Dampening)·g
//	p -= LR·momentum     // LR·(g + Momentum·momentum) with Nesterov, LR·g without momentum
//
// It panics where there are no parameters, where one is not a leaf, and where a figure makes no sense, as all constructors do.
func NewSGD(ps iter.Seq2[string, *tensor.Tensor], opts ...SGDOption) *Algorithm {
	return newAlgorithm(sgd, ps, opts)
}

var sgd = &form{
	class:    "SGD",
	defaults: figures{lr: 1e-3},
	tensors: func(f *figures) []tensors {
		if f.momentum == 0 {
			return nil
		}
		return []tensors{{"momentum_buffer", nil}}
	},
	settings: func(f *figures) []setting {
		return append([]setting{
			{"momentum", &f.momentum}, {"dampening", &f.dampening}, {"weight_decay", &f.weightDecay},
			{"nesterov", &f.nesterov}, {"maximize", &f.maximize},
		}, fusable...)
	},
	check: func(f *figures) {
		nonNegative("weight_decay value", f.weightDecay)
		nonNegative("momentum value", f.momentum)
		if f.nesterov && (f.momentum <= 0 || f.dampening != 0) {
			refuse(tensor.ErrValue, "Nesterov momentum requires a momentum and zero dampening")
		}
	},
	update: func(u *update) {
		f := u.f
		o := op.SGD{LR: u.lr, Momentum: f.momentum, Dampening: f.dampening,
			WeightDecay: f.weightDecay, Nesterov: f.nesterov, Maximize: f.maximize}
		var momentum *tensor.Tensor
		if o.Momentum != 0 {
			if momentum = u.tensors["momentum_buffer"]; momentum == nil {
				momentum, o.First = tensor.EmptyLike(u.param), true
				u.began = true
				u.tensors["momentum_buffer"] = momentum
			}
		}
		u.steps.SGDStep(u.param, u.grad, momentum, o, u)
	},
}
