package optim

import "math"

// Schedule changes an optimizer's learning rate; Step is called once per epoch or batch, after the optimizer's.
type Schedule interface{ Step() }

// schedule sets the learning rate to rate(n) after n steps. Formulas are closed: rate does not depend on what the
// learning rate was before.
type schedule struct {
	optimizer Optimizer
	n         int
	rate      func(n int) float64
}

func newSchedule(o Optimizer, rate func(n int) float64) *schedule {
	s := &schedule{optimizer: o, rate: rate}
	o.SetLR(rate(0))
	return s
}

// Step moves on to the next learning rate.
func (s *schedule) Step() {
	s.n++
	s.optimizer.SetLR(s.rate(s.n))
}

// NewStepLR multiplies the learning rate by gamma every size steps: lr·gamma^⌊n/size⌋.
func NewStepLR(o Optimizer, size int, gamma float64) Schedule {
	base := o.LR()
	return newSchedule(o, func(n int) float64 { return base * math.Pow(gamma, float64(n/max(size, 1))) })
}

// NewCosineAnnealingLR lowers the learning rate along half a cosine over period steps, to low:
// low + (lr-low)·(1+cos(π·n/period))/2.
func NewCosineAnnealingLR(o Optimizer, period int, low float64) Schedule {
	base := o.LR()
	return newSchedule(o, func(n int) float64 {
		return low + (base-low)*(1+math.Cos(math.Pi*float64(n)/float64(max(period, 1))))/2
	})
}

// NewLinearLR raises the learning rate linearly from start·lr to lr over steps steps and keeps it there: a warm-up.
func NewLinearLR(o Optimizer, start float64, steps int) Schedule {
	base := o.LR()
	return newSchedule(o, func(n int) float64 {
		part := min(float64(n)/float64(max(steps, 1)), 1)
		return base * (start + (1-start)*part)
	})
}

// NewWarmup raises the learning rate linearly from start·lr over steps steps, then hands over to next, whose first step
// follows.
func NewWarmup(o Optimizer, start float64, steps int, next Schedule) Schedule {
	w := &warmup{optimizer: o, base: o.LR(), start: start, steps: max(steps, 1), next: next}
	o.SetLR(w.base * start)
	return w
}

type warmup struct {
	optimizer   Optimizer
	base, start float64
	n, steps    int
	next        Schedule
}

// Step moves on to the next learning rate.
func (w *warmup) Step() {
	w.n++
	if w.n <= w.steps {
		part := float64(w.n) / float64(w.steps)
		w.optimizer.SetLR(w.base * (w.start + (1-w.start)*part))
		return
	}
	w.next.Step()
}
