package optim

import (
	"iter"

	"cresset/internal/op"
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
		f, n, kept := u.f, u.numbersOf(u.lr), []string{"square_avg"}
		n.Share, n.Rest, n.Momentum = f.alpha, 1-f.alpha, f.momentum
		ops := [2]op.Op{op.RMSpropStep, op.RMSpropMomentumStep}
		if f.centered {
			ops = [2]op.Op{op.RMSpropCenteredStep, op.RMSpropCenteredMomentumStep}
			kept = append(kept, "grad_avg")
		}
		if f.momentum > 0 {
			u.run(ops[1], n, append(kept, "momentum_buffer")...)
			return
		}
		u.run(ops[0], n, kept...)
	},
}
