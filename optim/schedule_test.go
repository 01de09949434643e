package optim_test

import (
	"errors"
	"math"
	"testing"

	"cresset/optim"
	"cresset/tensor"
)

func newSGD(lr float64) optim.Optimizer {
	return optim.NewSGD(params(tensor.Ones(1).SetRequiresGrad(true)), optim.LR(lr))
}

// rates steps schedules together n times and returns the learning rates.
func rates(o optim.Optimizer, n int, schedules ...optim.Schedule) []float64 {
	out := []float64{o.Groups()[0].LR}
	for range n {
		for _, s := range schedules {
			s.Step()
		}
		out = append(out, o.Groups()[0].LR)
	}
	return out
}

func wantRates(t *testing.T, name string, got, want []float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 1e-12) {
			t.Errorf("%s: rates are %v, want %v", name, got, want)
			return
		}
	}
}

// TestSchedules compares with the closed formulas of torch.optim.lr_scheduler, at a learning rate of 1.
func TestSchedules(t *testing.T) {
	half := math.Sqrt(0.5)
	high, low := (1+half)/2, (1-half)/2
	cases := []struct {
		name string
		make func(optim.Optimizer) optim.Schedule
		want []float64
	}{
		{"StepLR", func(o optim.Optimizer) optim.Schedule { return optim.NewStepLR(o, 2, optim.Gamma(0.1)) }, []float64{1, 1, 0.1, 0.1, 0.01}},
		{"MultiStepLR from step 0 on", func(o optim.Optimizer) optim.Schedule {
			return optim.NewMultiStepLR(o, []int{0, 2, 2}, optim.Gamma(0.1))
		},
			[]float64{0.1, 0.1, 0.001, 0.001}},
		{"CosineAnnealingLR beyond T_max", func(o optim.Optimizer) optim.Schedule { return optim.NewCosineAnnealingLR(o, 4) },
			[]float64{1, high, 0.5, low, 0, low, 0.5, high, 1, high, 0.5, low, 0, low}},
		{"CosineAnnealingLR to 0.2", func(o optim.Optimizer) optim.Schedule { return optim.NewCosineAnnealingLR(o, 2, optim.EtaMin(0.2)) },
			[]float64{1, 0.6, 0.2, 0.6, 1, 0.6}},
		{"CosineAnnealingLR of one step", func(o optim.Optimizer) optim.Schedule { return optim.NewCosineAnnealingLR(o, 1) },
			[]float64{1, 0, 1, 0}},
		{"LinearLR", func(o optim.Optimizer) optim.Schedule {
			return optim.NewLinearLR(o, optim.StartFactor(0.25), optim.TotalIters(3))
		}, []float64{0.25, 0.5, 0.75, 1, 1, 1}},
		{"SequentialLR of LinearLR and StepLR",
			func(o optim.Optimizer) optim.Schedule {
				return optim.NewWarmup(o, 0.5, 2, optim.NewStepLR(o, 1, optim.Gamma(0.5)))
			},
			[]float64{0.5, 0.75, 1, 0.5, 0.25}},
		{"SequentialLR of LinearLR and CosineAnnealingLR",
			func(o optim.Optimizer) optim.Schedule {
				return optim.NewWarmup(o, 0.1, 1, optim.NewCosineAnnealingLR(o, 2))
			},
			[]float64{0.1, 1, 0.5, 0, 0.5}},
		{"SequentialLR of LinearLR and LinearLR",
			func(o optim.Optimizer) optim.Schedule {
				return optim.NewWarmup(o, 0.5, 2, optim.NewLinearLR(o, optim.StartFactor(0.2), optim.TotalIters(2)))
			},
			[]float64{0.5, 0.75, 0.2, 0.6, 1, 1}},
	}
	for _, c := range cases {
		o := newSGD(1)
		s := c.make(o)
		wantRates(t, c.name, rates(o, len(c.want)-1, s), c.want)
	}
}

func TestSchedulesChain(t *testing.T) {
	o := newSGD(1)
	a, b := optim.NewStepLR(o, 1, optim.Gamma(0.5)), optim.NewStepLR(o, 2, optim.Gamma(0.1))
	wantRates(t, "two StepLR", rates(o, 3, a, b), []float64{1, 0.5, 0.025, 0.0125})

	o = newSGD(2)
	rise, fall := optim.NewLinearLR(o, optim.StartFactor(0.5), optim.TotalIters(2)), optim.NewStepLR(o, 1, optim.Gamma(0.5))
	wantRates(t, "LinearLR and StepLR", rates(o, 3, rise, fall), []float64{1, 0.75, 0.5, 0.25})
	if got := o.Groups()[0].InitialLR(); got != 2 {
		t.Errorf("the initial learning rate is %v, want 2", got)
	}
}

func TestLRThatWasSetStays(t *testing.T) {
	o := newSGD(1)
	s := optim.NewStepLR(o, 2, optim.Gamma(0.1))
	s.Step()
	o.Groups()[0].LR = 0.3
	wantRates(t, "StepLR", rates(o, 2, s), []float64{0.3, 0.03, 0.03})

	o = newSGD(1)
	s = optim.NewCosineAnnealingLR(o, 2)
	o.Groups()[0].LR = 0.5
	wantRates(t, "CosineAnnealingLR", rates(o, 1, s), []float64{0.5, 0.25})
}

// TestRatesBelowZero: PyTorch checks the rate that an optimizer is made with, not those of schedules.
func TestRatesBelowZero(t *testing.T) {
	o := newSGD(0.1)
	fall := optim.NewLambdaLR(o, func(n int) float64 { return 1 - float64(n) })
	wantRates(t, "LambdaLR", rates(o, 2, fall), []float64{0.1, 0, -0.1})
	again := newSGD(0.1)
	if err := again.(stateful).LoadStateDict(o.(stateful).StateDict()); err != nil || again.Groups()[0].LR != -0.1 {
		t.Errorf("a loaded state has the rate %v: %v", again.Groups()[0].LR, err)
	}
}

// TestAdamWDecays: with PyTorch's default of 1e-2, one step at learning rate 1 takes 1% and the update of 1 away.
func TestAdamWDecays(t *testing.T) {
	for name, c := range map[string]struct {
		o    func(p *tensor.Tensor) optim.Optimizer
		want float64
	}{
		"Adam":  {func(p *tensor.Tensor) optim.Optimizer { return optim.NewAdam(params(p), optim.LR(1)) }, 5 - 1},
		"AdamW": {func(p *tensor.Tensor) optim.Optimizer { return optim.NewAdamW(params(p), optim.LR(1)) }, 5*0.99 - 1},
		"AdamW 0": {func(p *tensor.Tensor) optim.Optimizer {
			return optim.NewAdamW(params(p), optim.LR(1), optim.WeightDecay(0))
		}, 5 - 1},
		"AdamW 0.1": {func(p *tensor.Tensor) optim.Optimizer {
			return optim.NewAdamW(params(p), optim.LR(1), optim.WeightDecay(0.1))
		}, 5*0.9 - 1},
		"without momentum": {func(p *tensor.Tensor) optim.Optimizer {
			return optim.NewAdam(params(p), optim.LR(1), optim.Eps(0), optim.Betas(0, 0.999))
		}, 5 - 1},
	} {
		p := tensor.Of([]float64{5}).SetRequiresGrad(true)
		p.MulScalar(3).Sum().Backward()
		c.o(p).Step()
		if got := p.Detach().Float64(); !(math.Abs(got-c.want) <= 1e-6) {
			t.Errorf("%s: the parameter is %v, want %v", name, got, c.want)
		}
	}
}

// TestSGDTrainsByDefault: PyTorch's learning rate is 1e-3, and 0 where that is said.
func TestSGDTrainsByDefault(t *testing.T) {
	for want, opts := range map[float64][]optim.SGDOption{5 - 3e-3: nil, 5: {optim.LR(0)}} {
		p := tensor.Of([]float64{5}).SetRequiresGrad(true)
		p.MulScalar(3).Sum().Backward()
		optim.NewSGD(params(p), opts...).Step()
		if got := p.Detach().Float64(); got != want {
			t.Errorf("%d options: the parameter is %v, want %v", len(opts), got, want)
		}
	}
}

func TestWarmupRefuses(t *testing.T) {
	o := newSGD(1)
	for want, f := range map[string]func(){
		"a schedule needs an optimizer, not nil":           func() { optim.NewWarmup(nil, 0, 0, nil) },
		"a warm-up needs a schedule to follow it, not nil": func() { optim.NewWarmup(o, 0.5, 2, nil) },
		"Invalid total_iters: 0":                           func() { optim.NewWarmup(o, 0.5, 0, optim.NewStepLR(o, 1, optim.Gamma(1))) },
	} {
		if err := tensor.Try(f); !errors.Is(err, tensor.ErrValue) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if err := tensor.Try(func() { optim.NewStepLR(nil, 1, optim.Gamma(1)) }); !errors.Is(err, tensor.ErrValue) {
		t.Errorf("StepLR without an optimizer: got %v", err)
	}
}

func TestSchedulesRefuse(t *testing.T) {
	one := func(int) float64 { return 1 }
	for want, f := range map[string]func(){
		"Expected 1 lr_lambdas, but got 2": func() { optim.NewLambdaLR(newSGD(1), one, one) },
		"Tried to step 4 times. The specified number of total steps is 3": func() {
			rates(newSGD(1), 5, optim.NewOneCycleLR(newSGD(1), []float64{0.1}, 3))
		},
		"max_lr must have the same length as optimizer.param_groups. max_lr has 2 values, param_groups has 1.": func() {
			optim.NewOneCycleLR(newSGD(1), []float64{0.1, 0.2}, 3)
		},
		"Expected non-negative epoch, but got -1": func() { optim.NewCosineAnnealingWarmRestarts(newSGD(1), 3).StepTo(-1) },
	} {
		if err := tensor.Try(f); !errors.Is(err, tensor.ErrValue) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestSchedulesInSequence: what follows begins with the initial learning rate, also inside another sequence or a chain.
func TestSchedulesInSequence(t *testing.T) {
	o := newSGD(1)
	inner := optim.NewSequentialLR(o, []optim.Schedule{optim.NewExponentialLR(o, 0.5), optim.NewConstantLR(o, optim.Factor(0.25))}, []int{2})
	outer := optim.NewSequentialLR(o, []optim.Schedule{optim.NewLinearLR(o, optim.StartFactor(0.5), optim.TotalIters(2)), inner}, []int{2})
	wantRates(t, "a sequence in a sequence", rates(o, 5, outer), []float64{0.5, 0.75, 1, 0.5, 0.25, 0.25})

	o = newSGD(1)
	chain := optim.NewChainedScheduler(optim.NewExponentialLR(o, 0.5), optim.NewStepLR(o, 2))
	s := optim.NewSequentialLR(o, []optim.Schedule{optim.NewConstantLR(o, optim.Factor(0.5)), chain}, []int{1})
	wantRates(t, "a chain in a sequence", rates(o, 3, s), []float64{0.5, 1, 0.5, 0.025})

	o = newSGD(1)
	restarts := optim.NewCosineAnnealingWarmRestarts(o, 2)
	s = optim.NewSequentialLR(o, []optim.Schedule{optim.NewConstantLR(o, optim.Factor(0.5)), restarts}, []int{1})
	wantRates(t, "restarts in a sequence", rates(o, 4, s), []float64{0.5, 1, 0.5, 1, 0.5})
}
