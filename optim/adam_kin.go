package optim

import (
	"iter"
	"math"

	"cresset/internal/op"
	"cresset/tensor"
)

// NewAdamax returns Adamax on the parameters, which divides by the largest gradient of late:
//
//	mean += (1-Beta1)·(g-mean);  norm = max(Beta2·norm, |g|+Eps)
//	p -= LR/(1-Beta1^t) · mean/norm
func NewAdamax(ps iter.Seq2[string, *tensor.Tensor], opts ...AdamaxOption) *Algorithm {
	return newAlgorithm(adamax, ps, opts)
}

var adamax = &form{
	class: "Adamax", defaults: figures{lr: 2e-3, betas: usualBetas, eps: 1e-8}, counts: true,
	tensors:  zeroed("exp_avg", "exp_inf"),
	settings: func(f *figures) []setting { return adamSettings(f) },
	check:    checkAdam,
	update: func(u *update) {
		u.run(op.AdamaxStep, u.ofMeans(u.lr/u.corrections()[0]), "exp_avg", "exp_inf")
	},
}

// adamSettings are the settings that Adamax, NAdam and RAdam share.
func adamSettings(f *figures, more ...setting) []setting {
	all := []setting{{"betas", &f.betas}, {"eps", &f.eps}, {"weight_decay", &f.weightDecay}, {"maximize", &f.maximize}, capturable}
	return append(append(all, more...), executed...)
}

// MomentumDecay is how fast NAdam's momentum reaches its first beta, 4e-3 unless given.
func MomentumDecay(v float64) NAdamOption { return option(func(f *figures) { f.momentumDecay = v }) }

// NewNAdam returns NAdam on the parameters: Adam with Nesterov's momentum, which grows as beta_t = Beta1·(1-0.96^(t·MomentumDecay)/2):
//
//	p -= LR·((1-beta_t)/(1-Πbeta)·g + beta_{t+1}/(1-Πbeta·beta_{t+1})·mean) / (√(square/(1-Beta2^t)) + Eps)
func NewNAdam(ps iter.Seq2[string, *tensor.Tensor], opts ...NAdamOption) *Algorithm {
	return newAlgorithm(nadam, ps, opts)
}

var nadam = &form{
	class: "NAdam", defaults: figures{lr: 2e-3, betas: usualBetas, eps: 1e-8, momentumDecay: 4e-3}, counts: true,
	numbers: []number{{"mu_product", func(float64) float64 { return 1 }}},
	tensors: zeroed("exp_avg", "exp_avg_sq"),
	settings: func(f *figures) []setting {
		return adamSettings(f, setting{"momentum_decay", &f.momentumDecay}, setting{"decoupled_weight_decay", &f.decoupled})
	},
	check: func(f *figures) {
		checkAdam(f)
		nonNegative("momentum_decay value", f.momentumDecay)
	},
	update: func(u *update) {
		beta := func(step int) float64 {
			return u.f.betas[0] * (1 - 0.5*math.Pow(0.96, float64(step)*u.f.momentumDecay))
		}
		now, next := beta(u.step), beta(u.step+1)
		u.numbers[0] *= float32(now)
		product := float64(u.numbers[0])
		n := u.ofMeans(u.lr * (1 - now) / (1 - product))
		n.Root, n.Ahead = u.corrections()[1], -u.lr*next/(1-product*next)
		u.run(op.NAdamStep, n, "exp_avg", "exp_avg_sq")
	},
}

// NewRAdam returns RAdam on the parameters: Adam that is rectified for how few squares its mean is of, and without their mean in
// the first steps.
func NewRAdam(ps iter.Seq2[string, *tensor.Tensor], opts ...RAdamOption) *Algorithm {
	return newAlgorithm(radam, ps, opts)
}

var radam = &form{
	class: "RAdam", defaults: figures{lr: 1e-3, betas: usualBetas, eps: 1e-8}, counts: true,
	tensors:  zeroed("exp_avg", "exp_avg_sq"),
	settings: func(f *figures) []setting { return adamSettings(f, setting{"decoupled_weight_decay", &f.decoupled}) },
	check:    checkAdam,
	update: func(u *update) {
		correct, beta := u.corrections(), u.f.betas[1]
		longest := 2/(1-beta) - 1
		length := longest - 2*float64(u.step)*(1-correct[1])/correct[1] // of the mean of squares
		n := u.ofMeans(u.lr / correct[0])
		if length > 5 {
			n.Rectified = math.Sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length))
			n.Rate *= math.Sqrt(correct[1]) * n.Rectified
		}
		u.run(op.RAdamStep, n, "exp_avg", "exp_avg_sq")
	},
}
