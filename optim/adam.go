package optim

import (
	"fmt"
	"iter"
	"math"

	"cresset/internal/op"
	"cresset/tensor"
)

// NewAdam returns Adam on the parameters; weight decay is added to the gradient. A step, the t-th, is
//
//	mean += (1-Beta1)·(g-mean);  square = Beta2·square + (1-Beta2)·g²
//	p -= LR/(1-Beta1^t) · mean / (√square/√(1-Beta2^t) + Eps)
func NewAdam(ps iter.Seq2[string, *tensor.Tensor], opts ...AdamOption) *Algorithm {
	return newAlgorithm(adam, ps, opts)
}

// NewAdamW returns AdamW on the parameters: Adam whose weight decay, 1e-2 unless given, shrinks the parameter itself.
func NewAdamW(ps iter.Seq2[string, *tensor.Tensor], opts ...AdamOption) *Algorithm {
	return newAlgorithm(adamW, ps, opts)
}

var (
	adam  = adamForm("Adam", figures{lr: 1e-3, betas: usualBetas, eps: 1e-8})
	adamW = adamForm("AdamW", figures{lr: 1e-3, betas: usualBetas, eps: 1e-8, weightDecay: 1e-2, decoupled: true})

	usualBetas = [2]float64{0.9, 0.999}
)

func adamForm(class string, defaults figures) *form {
	plain := zeroed("exp_avg", "exp_avg_sq")(nil)
	bounded := zeroed("exp_avg", "exp_avg_sq", "max_exp_avg_sq")(nil)
	return &form{
		class: class, defaults: defaults, counts: true,
		tensors: func(f *figures) []tensors {
			if f.amsgrad {
				return bounded
			}
			return plain
		},
		settings: func(f *figures) []setting {
			return append([]setting{
				{"betas", &f.betas}, {"eps", &f.eps}, {"weight_decay", &f.weightDecay}, {"maximize", &f.maximize},
				{"decoupled_weight_decay", &f.decoupled}, {"amsgrad", &f.amsgrad}, capturable,
			}, fusable...)
		},
		check: checkAdam,
		update: func(u *update) {
			f := u.f
			if f.amsgrad {
				u.amsgrad()
				return
			}
			u.steps.AdamStep(u.param, u.grad, u.tensors["exp_avg"], u.tensors["exp_avg_sq"], op.Adam{
				LR: u.lr, Beta1: f.betas[0], Beta2: f.betas[1], Eps: f.eps, WeightDecay: f.weightDecay, Decoupled: f.decoupled, Maximize: f.maximize, Step: u.step}, u)
		},
	}
}

func checkAdam(f *figures) {
	nonNegative("weight_decay value", f.weightDecay)
	nonNegative("epsilon value", f.eps)
	for i, beta := range f.betas {
		if !(beta >= 0 && beta < 1) {
			refuse(tensor.ErrValue, fmt.Sprintf("Invalid beta parameter at index %d: %s", i, python(beta)))
		}
	}
}

// amsgrad is a step of Adam that divides by the largest mean square.
func (u *update) amsgrad() {
	correct := u.corrections()
	n := u.ofMeans(u.lr / correct[0])
	n.Root = math.Sqrt(correct[1])
	u.run(op.AMSGradStep, n, "exp_avg", "exp_avg_sq", "max_exp_avg_sq")
}

// corrections returns 1-beta^t of both betas, for t steps.
func (u *update) corrections() (c [2]float64) {
	for i, beta := range u.f.betas {
		c[i] = 1 - math.Pow(beta, float64(u.step))
	}
	return c
}
