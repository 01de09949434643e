package optim

import (
	"fmt"
	"math"

	"cresset/tensor"
)

// Schedule changes an optimizer's learning rate; Step is called once per epoch or batch, after the optimizer's.
//
// Each learning rate follows from the one before, as in PyTorch: several schedules of one optimizer multiply, and what the
// caller sets with SetLR stays.
type Schedule interface{ Step() }

// schedule starts at a part of the initial learning rate; next is the learning rate of step n from that of the step before.
type schedule struct {
	optimizer Optimizer
	start     float64
	n         int
	next      func(lr float64, n int) float64
}

func newSchedule(o Optimizer, start float64, next func(lr float64, n int) float64) *schedule {
	present(o)
	o.InitialLR()
	o.SetLR(o.LR() * start)
	return &schedule{optimizer: o, start: start, next: next}
}

// Step moves on to the next learning rate.
func (s *schedule) Step() {
	s.n++
	s.optimizer.SetLR(s.next(s.optimizer.LR(), s.n))
}

// restart begins again, from the initial learning rate.
func (s *schedule) restart() {
	s.n = 0
	s.optimizer.SetLR(s.optimizer.InitialLR() * s.start)
}

// NewStepLR multiplies the learning rate by gamma every size steps: lr·gamma^⌊n/size⌋.
func NewStepLR(o Optimizer, size int, gamma float64) Schedule {
	positive("step_size", size)
	nonNegative("gamma", gamma)
	return newSchedule(o, 1, func(lr float64, n int) float64 {
		if n%size != 0 {
			return lr
		}
		return lr * gamma
	})
}

// NewCosineAnnealingLR lowers the learning rate along half a cosine over period steps, to low, and raises it again after
// that: low + (lr-low)·(1+cos(π·n/period))/2.
func NewCosineAnnealingLR(o Optimizer, period int, low float64) Schedule {
	positive("T_max", period)
	nonNegative("eta_min", low)
	wave := func(n int) float64 { return 1 + math.Cos(math.Pi*float64(n)/float64(period)) }
	return newSchedule(o, 1, func(lr float64, n int) float64 {
		if (n-1-period)%(2*period) == 0 { // the step before was the lowest: nothing to multiply
			return lr + (o.InitialLR()-low)*(2-wave(1))/2
		}
		return wave(n)/wave(n-1)*(lr-low) + low
	})
}

// NewLinearLR raises the learning rate linearly from start·lr, 0 < start ≤ 1, to lr over steps steps and keeps it there: a
// warm-up.
func NewLinearLR(o Optimizer, start float64, steps int) Schedule { return newLinear(o, start, steps) }

func newLinear(o Optimizer, start float64, steps int) *schedule {
	checkLinear(start, steps)
	rise := 1 - start
	return newSchedule(o, start, func(lr float64, n int) float64 {
		if n > steps {
			return lr
		}
		return lr * (1 + rise/(float64(steps)*start+float64(n-1)*rise))
	})
}

// NewWarmup raises the learning rate linearly from start times the initial one over steps steps, then hands over to next,
// which begins with the initial learning rate: PyTorch's SequentialLR of LinearLR and next. It panics where
// there is no optimizer or no next, a start outside (0, 1], or no step.
func NewWarmup(o Optimizer, start float64, steps int, next Schedule) Schedule {
	present(o)
	if next == nil {
		refuse(tensor.ErrValue, "a warm-up needs a schedule to follow it, not nil")
	}
	checkLinear(start, steps)
	o.SetLR(o.InitialLR())
	return &warmup{rise: newLinear(o, start, steps), steps: steps, next: next}
}

type warmup struct {
	rise     *schedule
	n, steps int
	next     Schedule
}

// Step moves on to the next learning rate.
func (w *warmup) Step() {
	w.n++
	switch {
	case w.n < w.steps:
		w.rise.Step()
	case w.n > w.steps:
		w.next.Step()
	default:
		w.rise.Step()
		if s, ok := w.next.(interface{ restart() }); ok {
			s.restart()
		}
	}
}

// restart begins again, from the initial learning rate.
func (w *warmup) restart() {
	w.n = 0
	w.rise.restart()
}

func checkLinear(start float64, steps int) {
	positive("total_iters", steps)
	if !(start > 0 && start <= 1) {
		refuse(tensor.ErrValue, "Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
	}
}

// present refuses a schedule of no optimizer.
func present(o Optimizer) {
	if o == nil {
		refuse(tensor.ErrValue, "a schedule needs an optimizer, not nil")
	}
}

func positive(what string, n int) {
	if n < 1 {
		refuse(tensor.ErrValue, fmt.Sprintf("Invalid %s: %d", what, n))
	}
}
