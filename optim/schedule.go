package optim

import (
	"fmt"
	"math"

	"cresset/tensor"
)

// Schedule changes an optimizer's learning rate; Step is called once per epoch or batch, after the optimizer's.
//
// Each learning rate follows from the one before, as in PyTorch: several schedules of one optimizer multiply, and what the
// caller sets in a Group stays. Those of this package are a checkpoint.Stateful, as SGD and Adam are.
type Schedule interface{ Step() }

// schedule starts at a part of the initial learning rates; next is the learning rate of a group in step n.
type schedule struct {
	groups   []*Group
	n        int
	start    *float64
	next     func(g *Group, n int) float64
	settings []setting
	check    func() // refuses settings that make no sense
}

// begin sets the first learning rates.
func (s *schedule) begin(o Optimizer) *schedule {
	s.groups = groupsOf(o)
	s.check()
	if s.start == nil {
		s.start = new(1.0)
	}
	for _, g := range s.groups {
		g.InitialLR()
		g.set(g.LR * *s.start)
	}
	return s
}

// Step moves on to the next learning rate.
func (s *schedule) Step() {
	s.n++
	for _, g := range s.groups {
		g.set(s.next(g, s.n))
	}
}

// restart begins again, from the initial learning rate.
func (s *schedule) restart() {
	s.n = 0
	for _, g := range s.groups {
		g.set(g.InitialLR() * *s.start)
	}
}

// set changes the learning rate for the steps that follow; it panics where lr is negative or NaN.
func (g *Group) set(lr float64) {
	nonNegative("learning rate", lr)
	g.LR = lr
}

// StepLROption is an option of NewStepLR.
type StepLROption func(*stepLR)

type stepLR struct{ gamma float64 }

// Gamma is the factor of NewStepLR, 0.1 unless given.
func Gamma(v float64) StepLROption { return func(o *stepLR) { o.gamma = v } }

// NewStepLR multiplies the learning rate by gamma every size steps: lr·gamma^⌊n/size⌋.
func NewStepLR(o Optimizer, size int, opts ...StepLROption) Schedule {
	f := stepLR{gamma: 0.1}
	for _, set := range opts {
		set(&f)
	}
	s := &schedule{
		settings: []setting{{"step_size", &size}, {"gamma", &f.gamma}},
		check: func() {
			positive("step_size", size)
			nonNegative("gamma", f.gamma)
		},
		next: func(g *Group, n int) float64 {
			if n%size != 0 {
				return g.LR
			}
			return g.LR * f.gamma
		},
	}
	return s.begin(o)
}

// CosineAnnealingLROption is an option of NewCosineAnnealingLR.
type CosineAnnealingLROption func(*cosine)

type cosine struct{ low float64 }

// EtaMin is the lowest learning rate of NewCosineAnnealingLR, 0 unless given.
func EtaMin(lr float64) CosineAnnealingLROption { return func(o *cosine) { o.low = lr } }

// NewCosineAnnealingLR lowers the learning rate along half a cosine over period steps, to EtaMin, and raises it again after
// that: low + (lr-low)·(1+cos(π·n/period))/2.
func NewCosineAnnealingLR(o Optimizer, period int, opts ...CosineAnnealingLROption) Schedule {
	var f cosine
	for _, set := range opts {
		set(&f)
	}
	wave := func(n int) float64 { return 1 + math.Cos(math.Pi*float64(n)/float64(period)) }
	s := &schedule{
		settings: []setting{{"T_max", &period}, {"eta_min", &f.low}},
		check: func() {
			positive("T_max", period)
			nonNegative("eta_min", f.low)
		},
		next: func(g *Group, n int) float64 {
			if (n-1-period)%(2*period) == 0 { // the step before was the lowest: nothing to multiply
				return g.LR + (g.InitialLR()-f.low)*(2-wave(1))/2
			}
			return wave(n)/wave(n-1)*(g.LR-f.low) + f.low
		},
	}
	return s.begin(o)
}

// LinearLROption is an option of NewLinearLR.
type LinearLROption func(*linear)

type linear struct {
	start float64
	steps int
}

// StartFactor is the part of the learning rate at which NewLinearLR starts, 1/3 unless given.
func StartFactor(v float64) LinearLROption { return func(o *linear) { o.start = v } }

// TotalIters is the number of steps after which NewLinearLR has reached the learning rate, 5 unless given.
func TotalIters(n int) LinearLROption { return func(o *linear) { o.steps = n } }

// NewLinearLR raises the learning rate linearly from start·lr, 0 < start ≤ 1, and keeps it when it has arrived: a warm-up.
func NewLinearLR(o Optimizer, opts ...LinearLROption) Schedule {
	f := linear{start: 1.0 / 3, steps: 5}
	for _, set := range opts {
		set(&f)
	}
	return newLinear(o, f)
}

func newLinear(o Optimizer, f linear) *schedule {
	s := &schedule{
		start:    &f.start,
		settings: []setting{{"start_factor", &f.start}, {"end_factor", only{1.0}}, {"total_iters", &f.steps}},
		check:    f.check,
		next: func(g *Group, n int) float64 {
			if n > f.steps {
				return g.LR
			}
			rise := 1 - f.start
			return g.LR * (1 + rise/(float64(f.steps)*f.start+float64(n-1)*rise))
		},
	}
	return s.begin(o)
}

func (f *linear) check() {
	positive("total_iters", f.steps)
	if !(f.start > 0 && f.start <= 1) {
		refuse(tensor.ErrValue, "Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
	}
}

// groupsOf refuses a schedule of no optimizer.
func groupsOf(o Optimizer) []*Group {
	if o == nil {
		refuse(tensor.ErrValue, "a schedule needs an optimizer, not nil")
	}
	return o.Groups()
}

func positive(what string, n int) {
	if n < 1 {
		refuse(tensor.ErrValue, fmt.Sprintf("Invalid %s: %d", what, n))
	}
}
