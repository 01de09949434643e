package optim

import (
	"fmt"
	"iter"

	"cresset/internal/op"
	"cresset/tensor"
)

// Adam is Adam, and AdamW where the weight decay is decoupled. A step, the t-th, is
//
//	mean += (1-Beta1)·(g-mean);  square = Beta2·square + (1-Beta2)·g²
//	p -= LR/(1-Beta1^t) · mean / (√square/√(1-Beta2^t) + Eps)
type Adam struct {
	groups
	decoupled bool
	states    map[*tensor.Tensor]*adamState
}

type adamState struct {
	mean, square *tensor.Tensor
	step         int
}

var _ Optimizer = (*Adam)(nil)

// NewAdam returns an Adam optimizer of the parameters; weight decay is added to the gradient. It panics where NewSGD does.
func NewAdam(ps iter.Seq2[string, *tensor.Tensor], opts ...AdamOption) *Adam {
	return newAdam(ps, false, 0, opts)
}

// NewAdamW returns an AdamW optimizer of the parameters: weight decay, 1e-2 unless given, shrinks the parameter itself.
func NewAdamW(ps iter.Seq2[string, *tensor.Tensor], opts ...AdamOption) *Adam {
	return newAdam(ps, true, 1e-2, opts)
}

func newAdam(ps iter.Seq2[string, *tensor.Tensor], decoupled bool, weightDecay float64, opts []AdamOption) *Adam {
	f := figures{lr: 1e-3, betas: [2]float64{0.9, 0.999}, eps: 1e-8, weightDecay: weightDecay}
	for _, o := range opts {
		o.adam(&f)
	}
	group := newGroup(ps, f)
	nonNegative("epsilon value", f.eps)
	for i, beta := range f.betas {
		if !(beta >= 0 && beta < 1) {
			refuse(tensor.ErrValue, fmt.Sprintf("Invalid beta parameter at index %d: %v", i, beta))
		}
	}
	return &Adam{groups{group}, decoupled, make(map[*tensor.Tensor]*adamState)}
}

// Copy returns an optimizer like a, without its moments, of what of returns for each of its parameters.
func (a *Adam) Copy(of func(p *tensor.Tensor) *tensor.Tensor) Optimizer {
	return &Adam{a.copied(of), a.decoupled, make(map[*tensor.Tensor]*adamState)}
}

// Step updates every parameter that has a gradient.
func (a *Adam) Step() {
	a.steps(func(p, grad *tensor.Tensor, group *Group) {
		s := a.states[p]
		if s == nil {
			s = &adamState{mean: tensor.ZerosLike(p), square: tensor.ZerosLike(p)}
			a.states[p] = s
		}
		s.step++
		f := &group.figures
		inner.AdamStep(p, grad, s.mean, s.square, op.Adam{LR: group.LR, Beta1: f.betas[0], Beta2: f.betas[1], Eps: f.eps,
			WeightDecay: f.weightDecay, Decoupled: a.decoupled, Maximize: f.maximize, Step: s.step})
	})
}
