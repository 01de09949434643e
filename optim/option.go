package optim

// Option is an option of every optimizer.
type Option interface {
	SGDOption
	AdamOption
}

// SGDOption is an option of NewSGD.
type SGDOption interface{ sgd(*figures) }

// AdamOption is an option of NewAdam and NewAdamW.
type AdamOption interface{ adam(*figures) }

// figures are the hyperparameters of all optimizers.
type figures struct {
	lr, weightDecay     float64
	momentum, dampening float64
	nesterov, maximize  bool
	betas               [2]float64
	eps                 float64
	decoupled           bool // weight decay shrinks the parameter itself
}

// option sets a figure. It satisfies every interface; which optimizers take it, the result type of its constructor says.
type option func(*figures)

func (set option) sgd(f *figures)  { set(f) }
func (set option) adam(f *figures) { set(f) }

// LR is the learning rate, 1e-3 unless given.
func LR(v float64) Option { return option(func(f *figures) { f.lr = v }) }

// WeightDecay is how much of a parameter is added to its gradient, 0 unless given; with AdamW how much of it, times the
// learning rate, each step takes away, 1e-2 unless given.
func WeightDecay(v float64) Option { return option(func(f *figures) { f.weightDecay = v }) }

// Maximize makes steps climb instead of descend.
func Maximize(on bool) Option { return option(func(f *figures) { f.maximize = on }) }

// Momentum is the share of the last step's direction that a step keeps, 0 unless given.
func Momentum(v float64) SGDOption { return option(func(f *figures) { f.momentum = v }) }

// Dampening is the share of the gradient that momentum leaves out, 0 unless given.
func Dampening(v float64) SGDOption { return option(func(f *figures) { f.dampening = v }) }

// Nesterov adds the gradient to the direction once more, as Nesterov's momentum does.
func Nesterov(on bool) SGDOption { return option(func(f *figures) { f.nesterov = on }) }

// Betas are the shares of the old that the running means of the gradient and of its square keep, 0.9 and 0.999 unless given.
func Betas(mean, square float64) AdamOption {
	return option(func(f *figures) { f.betas = [2]float64{mean, square} })
}

// Eps is added to the denominator of a step, 1e-8 unless given.
func Eps(v float64) AdamOption { return option(func(f *figures) { f.eps = v }) }
