package optim

import (
	"fmt"
	"path"

	"cresset/tensor"
)

// The options of each optimizer are values of an interface of its own; what an optimizer does not take does not compile.
type (
	// Option is an option of every optimizer.
	Option interface {
		MaximizeOption
		MuonOption
	}
	// MaximizeOption is what Maximize returns: an option of every optimizer but Muon.
	MaximizeOption interface {
		DecayedOption
		RpropOption
		LBFGSOption
	}
	// DecayedOption is an option of all optimizers that can maximize and have a weight decay.
	DecayedOption interface {
		SGDOption
		AdamOption
		AdamaxOption
		NAdamOption
		RAdamOption
		RMSpropOption
		AdagradOption
		AdadeltaOption
		ASGDOption
		AdafactorOption
	}
	// WeightDecayOption is what WeightDecay returns: an option of every optimizer but Rprop and LBFGS.
	WeightDecayOption interface {
		DecayedOption
		MuonOption
	}
	// SGDOption is an option of NewSGD.
	SGDOption interface {
		setter
		sgd()
	}
	// AdamOption is an option of NewAdam and NewAdamW.
	AdamOption interface {
		setter
		adam()
	}
	// AdamaxOption is an option of NewAdamax.
	AdamaxOption interface {
		setter
		adamax()
	}
	// NAdamOption is an option of NewNAdam.
	NAdamOption interface {
		setter
		nadam()
	}
	// RAdamOption is an option of NewRAdam.
	RAdamOption interface {
		setter
		radam()
	}
	// RMSpropOption is an option of NewRMSprop.
	RMSpropOption interface {
		setter
		rmsprop()
	}
	// AdagradOption is an option of NewAdagrad.
	AdagradOption interface {
		setter
		adagrad()
	}
	// AdadeltaOption is an option of NewAdadelta.
	AdadeltaOption interface {
		setter
		adadelta()
	}
	// RpropOption is an option of NewRprop.
	RpropOption interface {
		setter
		rprop()
	}
	// ASGDOption is an option of NewASGD.
	ASGDOption interface {
		setter
		asgd()
	}
	// AdafactorOption is an option of NewAdafactor.
	AdafactorOption interface {
		setter
		adafactor()
	}
	// MuonOption is an option of NewMuon.
	MuonOption interface {
		setter
		muon()
	}
	// LBFGSOption is an option of NewLBFGS.
	LBFGSOption interface {
		setter
		lbfgs()
	}

	// MomentumOption is what Momentum returns.
	MomentumOption interface {
		SGDOption
		RMSpropOption
		MuonOption
	}
	// NesterovOption is what Nesterov returns.
	NesterovOption interface {
		SGDOption
		MuonOption
	}
	// BetasOption is what Betas returns.
	BetasOption interface {
		AdamOption
		AdamaxOption
		NAdamOption
		RAdamOption
	}
	// EpsOption is what Eps returns.
	EpsOption interface {
		BetasOption
		RMSpropOption
		AdagradOption
		AdadeltaOption
		MuonOption
	}
	// DecoupledOption is what DecoupledWeightDecay returns.
	DecoupledOption interface {
		AdamOption
		NAdamOption
		RAdamOption
	}
	// AlphaOption is what Alpha returns.
	AlphaOption interface {
		RMSpropOption
		ASGDOption
	}
)

type setter interface{ set(*figures) }

// option sets a figure. It satisfies every interface; which optimizers take it, the result type of its constructor says.
type option func(*figures)

func (f option) set(to *figures) { f(to) }
func (option) sgd()              {}
func (option) adam()             {}
func (option) adamax()           {}
func (option) nadam()            {}
func (option) radam()            {}
func (option) rmsprop()          {}
func (option) adagrad()          {}
func (option) adadelta()         {}
func (option) rprop()            {}
func (option) asgd()             {}
func (option) adafactor()        {}
func (option) muon()             {}
func (option) lbfgs()            {}

// For changes options for the parameters that fit, which form a group of their own. All others are the first group; one that
// fits several is of the first of them. No weight decay on biases and norms is
//
//	optim.NewAdamW(nn.Parameters(net), optim.For(optim.Named("*bias", "*norm*"), optim.WeightDecay(0)))
//
// Options of different types need theirs to be said: optim.For[optim.AdamOption](fits, optim.WeightDecay(0), optim.LR(1e-4)). A
// constructor panics where no parameter fits.
func For[O any](fits func(name string, p *tensor.Tensor) bool, opts ...O) O {
	return any(option(func(f *figures) {
		f.groups = append(f.groups, chosen{fits, func(g *figures) {
			for _, o := range opts {
				any(o).(setter).set(g)
			}
		}})
	})).(O)
}

// chosen are parameters with options of their own.
type chosen struct {
	fits   func(name string, p *tensor.Tensor) bool
	change func(f *figures)
}

// Named fits parameters whose name one of the patterns matches, as path.Match does: * stands for any characters. It panics where a
// pattern is malformed.
func Named(patterns ...string) func(name string, p *tensor.Tensor) bool {
	for _, pattern := range patterns {
		if _, err := path.Match(pattern, ""); err != nil {
			refuse(tensor.ErrValue, fmt.Sprintf("%v: %q", err, pattern))
		}
	}
	return func(name string, _ *tensor.Tensor) bool {
		for _, pattern := range patterns {
			if ok, _ := path.Match(pattern, name); ok {
				return true
			}
		}
		return false
	}
}

// LR is the learning rate, PyTorch's default unless given: 1e-3 for SGD, Adam and Muon, 1 for Adadelta and LBFGS, 2e-3 for Adamax and
// NAdam, and else 1e-2.
func LR(v float64) Option { return option(func(f *figures) { f.lr = v }) }

// WeightDecay is how much of a parameter is added to its gradient, 0 unless given; with AdamW, Adafactor and Muon how much of it, times
// the learning rate, each step takes away: 1e-2, 0 and 0.1 unless given.
func WeightDecay(v float64) WeightDecayOption { return option(func(f *figures) { f.weightDecay = v }) }

// Maximize makes steps climb instead of descend.
func Maximize(on bool) MaximizeOption { return option(func(f *figures) { f.maximize = on }) }

// Momentum is the share of the last step's direction that a step keeps, 0 unless given; 0.95 for Muon.
func Momentum(v float64) MomentumOption { return option(func(f *figures) { f.momentum = v }) }

// Dampening is the share of the gradient that momentum leaves out, 0 unless given.
func Dampening(v float64) SGDOption { return option(func(f *figures) { f.dampening = v }) }

// Nesterov adds the gradient to the direction once more, as Nesterov's momentum does; Muon does so unless told otherwise.
func Nesterov(on bool) NesterovOption { return option(func(f *figures) { f.nesterov = on }) }

// Betas are the shares of the old that the running means of the gradient and of its square keep, 0.9 and 0.999 unless given.
func Betas(mean, square float64) BetasOption {
	return option(func(f *figures) { f.betas = [2]float64{mean, square} })
}

// Eps is added to the denominator of a step, 1e-8 unless given; 1e-10 for Adagrad, 1e-6 for Adadelta. Muon's norm is at least 1e-7.
func Eps(v float64) EpsOption { return option(func(f *figures) { f.eps = v }) }

// AMSGrad divides by the largest mean square that there was.
func AMSGrad(on bool) AdamOption { return option(func(f *figures) { f.amsgrad = on }) }

// DecoupledWeightDecay lets the weight decay shrink the parameter itself, as AdamW's does.
func DecoupledWeightDecay(on bool) DecoupledOption {
	return option(func(f *figures) { f.decoupled = on })
}
