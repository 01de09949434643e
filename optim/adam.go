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
type Adam struct{ base }

var _ Optimizer = (*Adam)(nil)

var adamForm = &form{
	counts:  true,
	tensors: func(*figures) []string { return []string{"exp_avg", "exp_avg_sq"} },
	settings: func(f *figures) []setting {
		return append([]setting{
			{"betas", &f.betas}, {"eps", &f.eps}, {"weight_decay", &f.weightDecay}, {"maximize", &f.maximize},
			{"decoupled_weight_decay", &f.decoupled}, {"amsgrad", only{false}}, {"capturable", always{false}},
		}, executed...)
	},
	check: func(f *figures) {
		nonNegative("weight_decay value", f.weightDecay)
		nonNegative("epsilon value", f.eps)
		for i, beta := range f.betas {
			if !(beta >= 0 && beta < 1) {
				refuse(tensor.ErrValue, fmt.Sprintf("Invalid beta parameter at index %d: %v", i, beta))
			}
		}
	},
}

// NewAdam returns an Adam optimizer of the parameters; weight decay is added to the gradient. It panics where NewSGD does.
func NewAdam(ps iter.Seq2[string, *tensor.Tensor], opts ...AdamOption) *Adam {
	return newAdam(ps, false, 0, opts)
}

// NewAdamW returns an AdamW optimizer of the parameters: weight decay, 1e-2 unless given, shrinks the parameter itself.
func NewAdamW(ps iter.Seq2[string, *tensor.Tensor], opts ...AdamOption) *Adam {
	return newAdam(ps, true, 1e-2, opts)
}

func newAdam(ps iter.Seq2[string, *tensor.Tensor], decoupled bool, weightDecay float64, opts []AdamOption) *Adam {
	f := figures{lr: 1e-3, betas: [2]float64{0.9, 0.999}, eps: 1e-8, weightDecay: weightDecay, decoupled: decoupled}
	for _, o := range opts {
		o.adam(&f)
	}
	return &Adam{newBase(adamForm, ps, f)}
}

// Copy returns an optimizer like a, without its moments, of what of returns for each of its parameters.
func (a *Adam) Copy(of func(p *tensor.Tensor) *tensor.Tensor) Optimizer { return &Adam{a.copied(of)} }

// Step updates every parameter that has a gradient.
func (a *Adam) Step() {
	a.steps(func(p, grad *tensor.Tensor, group *Group) {
		s, _ := a.of(p, group, tensor.ZerosLike)
		s.step++
		f := &group.figures
		inner.AdamStep(p, grad, s.tensors[0], s.tensors[1], op.Adam{LR: group.LR, Beta1: f.betas[0], Beta2: f.betas[1], Eps: f.eps,
			WeightDecay: f.weightDecay, Decoupled: f.decoupled, Maximize: f.maximize, Step: s.step})
	})
}
