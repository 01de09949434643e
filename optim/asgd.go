package optim

import (
	"iter"
	"math"

	"cresset/internal/op"
	"cresset/tensor"
)

// Lambd is ASGD's decay, 1e-4 unless given.
func Lambd(v float64) ASGDOption { return option(func(f *figures) { f.lambd = v }) }

// T0 is the step from which ASGD averages, 1e6 unless given.
func T0(v float64) ASGDOption { return option(func(f *figures) { f.t0 = v }) }

// NewASGD returns averaged stochastic gradient descent on the parameters. A step, the t-th, is
//
//	p -= eta·(Lambd·p + g);  average += (p-average)/max(1, t-1-T0);  eta = LR/(1+Lambd·LR·t)^Alpha
func NewASGD(ps iter.Seq2[string, *tensor.Tensor], opts ...ASGDOption) *Algorithm {
	return newAlgorithm(asgd, ps, opts)
}

var asgd = &form{
	class: "ASGD", defaults: figures{lr: 1e-2, lambd: 1e-4, alpha: 0.75, t0: 1e6}, counts: true,
	numbers: []number{{"eta", func(lr float64) float64 { return lr }}, {"mu", func(float64) float64 { return 1 }}},
	tensors: zeroed("ax"),
	settings: func(f *figures) []setting {
		return append([]setting{{"lambd", &f.lambd}, {"alpha", &f.alpha}, {"t0", &f.t0}, {"weight_decay", &f.weightDecay},
			{"maximize", &f.maximize}, capturable}, executed...)
	},
	check: func(f *figures) {
		nonNegative("lambd value", f.lambd)
		nonNegative("alpha value", f.alpha)
		nonNegative("weight_decay value", f.weightDecay)
	},
	update: func(u *update) {
		f, eta, steps := u.f, float64(u.numbers[0]), float64(u.step)
		n := u.numbersOf(eta)
		n.Shrink, n.Part = 1-f.lambd*eta, float64(u.numbers[1])
		u.run(op.ASGDStep, n, "ax")
		u.numbers[0] = float32(u.lr / math.Pow(1+f.lambd*u.lr*steps, f.alpha))
		u.numbers[1] = float32(1 / max(1, steps-f.t0))
	},
}
