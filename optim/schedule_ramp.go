package optim

import (
	"math"

	"cresset/tensor"
)

// NewLinearLR moves the learning rate linearly from StartFactor·lr to EndFactor·lr in TotalIters steps, and keeps it then: a warm-up.
func NewLinearLR(o Optimizer, opts ...LinearLROption) Schedule {
	r := rates{start: 1.0 / 3, end: 1, steps: 5}
	for _, opt := range opts {
		opt.linear(&r)
	}
	return newLinear(o, r)
}

func newLinear(o Optimizer, r rates) *schedule {
	s := &schedule{
		name:     "LinearLR",
		settings: []setting{{"start_factor", &r.start}, {"end_factor", &r.end}, {"total_iters", &r.steps}},
		check:    r.checkLinear,
		first:    func(_ int, lr float64) float64 { return lr * r.start },
		next: func(_ int, lr float64, n int) float64 {
			if n > r.steps {
				return lr
			}
			rise := r.end - r.start
			return lr * (1 + rise/(float64(r.steps)*r.start+float64(n-1)*rise))
		},
	}
	return s.begin(o)
}

func (r *rates) checkLinear() {
	positive("total_iters", r.steps)
	if !(r.start > 0 && r.start <= 1) {
		refuse(tensor.ErrValue, "Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
	}
	if !(r.end >= 0 && r.end <= 1) {
		refuse(tensor.ErrValue, "Ending multiplicative factor expected to be between 0 and 1.")
	}
}

// NewConstantLR makes the learning rate Factor·lr, and lr again after TotalIters steps.
func NewConstantLR(o Optimizer, opts ...ConstantLROption) Schedule {
	r := rates{factor: 1.0 / 3, steps: 5}
	for _, opt := range opts {
		opt.constant(&r)
	}
	s := &schedule{
		name:     "ConstantLR",
		settings: []setting{{"factor", &r.factor}, {"total_iters", &r.steps}},
		check: func() {
			if !(r.factor >= 0 && r.factor <= 1) {
				refuse(tensor.ErrValue, "Constant multiplicative factor expected to be between 0 and 1.")
			}
		},
		first: func(_ int, lr float64) float64 { return lr * r.factor },
		next: func(_ int, lr float64, n int) float64 {
			if n != r.steps {
				return lr
			}
			return lr * (1 / r.factor)
		},
	}
	return s.begin(o)
}

// NewPolynomialLR lowers the learning rate to 0 in TotalIters steps: lr·(1-n/TotalIters)^Power.
func NewPolynomialLR(o Optimizer, opts ...PolynomialLROption) Schedule {
	r := rates{steps: 5, power: 1}
	for _, opt := range opts {
		opt.polynomial(&r)
	}
	s := &schedule{
		name:     "PolynomialLR",
		settings: []setting{{"total_iters", &r.steps}, {"power", &r.power}},
		check:    func() { positive("total_iters", r.steps) },
		next: func(_ int, lr float64, n int) float64 {
			if n > r.steps {
				return lr
			}
			left := func(n int) float64 { return 1 - float64(n)/float64(r.steps) }
			return lr * math.Pow(left(n)/left(n-1), r.power)
		},
	}
	return s.begin(o)
}

// NewCosineAnnealingLR lowers the learning rate along half a cosine over period steps, to EtaMin, and raises it again after
// that: low + (lr-low)·(1+cos(π·n/period))/2.
func NewCosineAnnealingLR(o Optimizer, period int, opts ...CosineAnnealingLROption) Schedule {
	var r rates
	for _, opt := range opts {
		opt.cosine(&r)
	}
	wave := func(n int) float64 { return 1 + math.Cos(math.Pi*float64(n)/float64(period)) }
	s := &schedule{
		name:     "CosineAnnealingLR",
		settings: []setting{{"T_max", &period}, {"eta_min", &r.low}},
		check: func() {
			positive("T_max", period)
			nonNegative("eta_min", r.low)
		},
	}
	s.next = func(i int, lr float64, n int) float64 {
		if (n-1-period)%(2*period) == 0 { // the step before was the lowest: nothing to multiply
			return lr + (s.base[i]-r.low)*(2-wave(1))/2
		}
		return wave(n)/wave(n-1)*(lr-r.low) + r.low
	}
	return s.begin(o)
}
