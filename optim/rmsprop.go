package optim

import (
	"iter"

	"cresset/tensor"
)

// Alpha is the share of the old that RMSprop's running means keep, 0.99 unless given, and ASGD's power of the steps' number, 0.75.
func Alpha(v float64) AlphaOption { return option(func(f *figures) { f.alpha = v }) }

// Centered lets RMSprop divide by the variance instead of the mean square.
func Centered(on bool) RMSpropOption { return option(func(f *figures) { f.centered = on }) }

// NewRMSprop returns RMSprop on the parameters. A step is
//
//	square = Alpha·square + (1-Alpha)·g²;  direction = g / (√square + Eps)
//	momentum = Momentum·momentum + direction;  p -= LR·momentum
func NewRMSprop(ps iter.Seq2[string, *tensor.Tensor], opts ...RMSpropOption) *Algorithm {
	return newAlgorithm(rmsprop, ps, opts)
}

var rmsprop = &form{
	class: "RMSprop", defaults: figures{lr: 1e-2, alpha: 0.99, eps: 1e-8}, counts: true,
	tensors: func(f *figures) []tensors {
		all := []tensors{{"square_avg", zeros}}
		if f.momentum > 0 {
			all = append(all, tensors{"momentum_buffer", zeros})
		}
		if f.centered {
			all = append(all, tensors{"grad_avg", zeros})
		}
		return all
	},
	settings: func(f *figures) []setting {
		return append([]setting{{"momentum", &f.momentum}, {"alpha", &f.alpha}, {"eps", &f.eps}, {"centered", &f.centered},
			{"weight_decay", &f.weightDecay}, {"maximize", &f.maximize}, capturable}, executed...)
	},
	check: func(f *figures) {
		nonNegative("epsilon value", f.eps)
		nonNegative("momentum value", f.momentum)
		nonNegative("weight_decay value", f.weightDecay)
		nonNegative("alpha value", f.alpha)
	},
	update: func(u *update) {
		f, g, square := u.f, u.direction(), u.tensors["square_avg"]
		average(square, g, f.alpha)
		if f.centered {
			mean := u.tensors["grad_avg"]
			blend(mean, g, 1-f.alpha)
			square = square.Sub(mean.Mul(mean))
		}
		direction := g.Div(square.Sqrt().AddScalarInPlace(f.eps))
		if f.momentum > 0 {
			direction = u.tensors["momentum_buffer"].MulScalarInPlace(f.momentum).AddInPlace(direction)
		}
		u.p.AddScaledInPlace(direction, -u.lr)
	},
}
