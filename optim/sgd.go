package optim

import (
	"iter"

	"cresset/tensor"
)

// SGDOptions are the figures of SGD.
type SGDOptions struct {
	LR          float64
	Momentum    float64
	Dampening   float64
	WeightDecay float64 // added to the gradient, times the parameter
	Nesterov    bool
	Maximize    bool
}

// SGD is stochastic gradient descent, with momentum if asked for; tensor.SGDStep tells the formula.
type SGD struct {
	params
	rate
	options  SGDOptions
	momentum []*tensor.Tensor
}

var _ Optimizer = (*SGD)(nil)

// NewSGD returns an optimizer of the parameters, for example nn.Parameters(net). It panics where there are none, where one
// is not a leaf, and where a figure makes no sense.
func NewSGD(ps iter.Seq2[string, *tensor.Tensor], o SGDOptions) *SGD {
	nonNegative("learning rate", o.LR)
	nonNegative("momentum value", o.Momentum)
	nonNegative("weight_decay value", o.WeightDecay)
	if o.Nesterov && (o.Momentum <= 0 || o.Dampening != 0) {
		refuse(tensor.ErrValue, "Nesterov momentum requires a momentum and zero dampening")
	}
	s := &SGD{params: collect(ps), rate: rate{lr: o.LR}, options: o}
	s.momentum = make([]*tensor.Tensor, len(s.params))
	return s
}

// Copy returns an optimizer like s, without its momentum, of what of returns for each of its parameters.
func (s *SGD) Copy(of func(p *tensor.Tensor) *tensor.Tensor) Optimizer {
	return &SGD{params: s.copied(of), rate: s.rate, options: s.options, momentum: make([]*tensor.Tensor, len(s.params))}
}

// Step updates every parameter that has a gradient.
func (s *SGD) Step() {
	o := tensor.SGD{LR: s.lr, Momentum: s.options.Momentum, Dampening: s.options.Dampening,
		WeightDecay: s.options.WeightDecay, Nesterov: s.options.Nesterov, Maximize: s.options.Maximize}
	for i, p := range s.params {
		g := p.BorrowGrad()
		if g == nil {
			continue
		}
		o.First = o.Momentum != 0 && s.momentum[i] == nil
		if o.First {
			s.momentum[i] = tensor.EmptyLike(p)
		}
		tensor.SGDStep(p, g, s.momentum[i], o)
	}
}
