package optim

import (
	"iter"

	"cresset/internal/op"
	"cresset/tensor"
)

// LRDecay is by how much of the first learning rate Adagrad's is slower after each step, 0 unless given.
func LRDecay(v float64) AdagradOption { return option(func(f *figures) { f.lrDecay = v }) }

// InitialAccumulatorValue is what Adagrad's sums of squares begin with, 0 unless given.
func InitialAccumulatorValue(v float64) AdagradOption {
	return option(func(f *figures) { f.accumulator = v })
}

// NewAdagrad returns Adagrad on the parameters. A step, the t-th, is
//
//	sum += g²;  p -= LR/(1+(t-1)·LRDecay) · g / (√sum + Eps)
func NewAdagrad(ps iter.Seq2[string, *tensor.Tensor], opts ...AdagradOption) *Algorithm {
	a := newAlgorithm(adagrad, ps, opts)
	for _, g := range a.groups {
		for _, p := range g.Params {
			a.stateOf(p, g)
		}
	}
	return a
}

var adagrad = &form{
	class: "Adagrad", defaults: figures{lr: 1e-2, eps: 1e-10}, counts: true,
	tensors: func(*figures) []tensors {
		start := func(p *tensor.Tensor, g *Group) *tensor.Tensor { return tensor.FullLike(p, g.figures.accumulator) }
		return []tensors{{"sum", start}}
	},
	settings: func(f *figures) []setting {
		return append([]setting{{"lr_decay", &f.lrDecay}, {"eps", &f.eps}, {"weight_decay", &f.weightDecay},
			{"initial_accumulator_value", &f.accumulator}, {"maximize", &f.maximize}}, fusable...)
	},
	check: func(f *figures) {
		nonNegative("lr_decay value", f.lrDecay)
		nonNegative("weight_decay value", f.weightDecay)
		nonNegative("initial_accumulator_value value", f.accumulator)
		nonNegative("epsilon value", f.eps)
	},
	update: func(u *update) {
		u.run(op.AdagradStep, u.numbersOf(u.lr/(1+float64(u.step-1)*u.f.lrDecay)), "sum")
	},
}

// Rho is the share of the old that Adadelta's running means keep, 0.9 unless given.
func Rho(v float64) AdadeltaOption { return option(func(f *figures) { f.rho = v }) }

// NewAdadelta returns Adadelta on the parameters. A step is
//
//	square = Rho·square + (1-Rho)·g²;  delta = √(deltas+Eps)/√(square+Eps)·g
//	deltas = Rho·deltas + (1-Rho)·delta²;  p -= LR·delta
func NewAdadelta(ps iter.Seq2[string, *tensor.Tensor], opts ...AdadeltaOption) *Algorithm {
	return newAlgorithm(adadelta, ps, opts)
}

var adadelta = &form{
	class: "Adadelta", defaults: figures{lr: 1, rho: 0.9, eps: 1e-6}, counts: true,
	tensors: zeroed("square_avg", "acc_delta"),
	settings: func(f *figures) []setting {
		return append([]setting{{"rho", &f.rho}, {"eps", &f.eps}, {"weight_decay", &f.weightDecay}, {"maximize", &f.maximize}, capturable},
			executed...)
	},
	check: func(f *figures) {
		if !(f.rho >= 0 && f.rho <= 1) {
			refuse(tensor.ErrValue, "Invalid rho value: "+python(f.rho))
		}
		nonNegative("epsilon value", f.eps)
		nonNegative("weight_decay value", f.weightDecay)
	},
	update: func(u *update) {
		n := u.numbersOf(u.lr)
		n.Share, n.Rest = u.f.rho, 1-u.f.rho
		u.run(op.AdadeltaStep, n, "square_avg", "acc_delta")
	},
}
