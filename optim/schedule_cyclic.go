package optim

import (
	"math"

	"cresset/internal/statedict"
	"cresset/tensor"
)

// CyclicMode is how the cycles of NewCyclicLR change from one to the next.
type CyclicMode string

// Triangular cycles are all alike, as unless given; each of Triangular2 is half as high as the one before; those of ExpRange have
// the height Gamma^n in step n.
const (
	Triangular  CyclicMode = "triangular"
	Triangular2 CyclicMode = "triangular2"
	ExpRange    CyclicMode = "exp_range"
)

func (m CyclicMode) cyclic(r *rates) { r.shape = m }

// StepSizeUp is how many steps of NewCyclicLR rise, 2000 unless given.
func StepSizeUp(n int) CyclicLROption { return rateOption(func(r *rates) { r.up = n }) }

// StepSizeDown is how many steps of NewCyclicLR fall, as many as rise unless given.
func StepSizeDown(n int) CyclicLROption { return rateOption(func(r *rates) { r.down = n }) }

// ScaleByCycle makes f(c) the height of NewCyclicLR's cycle number c, from 1.
func ScaleByCycle(f func(c float64) float64) CyclicLROption {
	return rateOption(func(r *rates) { r.scale, r.byStep = f, false })
}

// ScaleByStep makes f(n) the height of NewCyclicLR's cycle in step n.
func ScaleByStep(f func(n float64) float64) CyclicLROption {
	return rateOption(func(r *rates) { r.scale, r.byStep = f, true })
}

// cyclic is the schedule that NewCyclicLR returns.
type cyclic struct {
	schedule
	rates       rates
	highest     []float64 // learning rates
	total, rise float64   // steps of a cycle, the part of them that rises
	byBeta      bool
}

// NewCyclicLR moves the learning rate between lowest and highest, of all groups or of each, up and down again and again.
func NewCyclicLR(o Optimizer, lowest, highest []float64, opts ...CyclicLROption) Schedule {
	c := &cyclic{rates: rates{up: 2000, shape: Triangular, gamma: 1, cycleMomentum: true, base: []float64{0.8}, high: []float64{0.9}}}
	r := &c.rates
	for _, opt := range opts {
		opt.cyclic(r)
	}
	if r.down == 0 {
		r.down = r.up
	}
	positive("step_size_up", r.up)
	c.total = float64(r.up + r.down)
	c.rise = float64(r.up) / c.total
	r.byStep = r.byStep || r.scale == nil && r.shape == ExpRange
	groups := groupsOf(o)
	lows := perGroup("base_lr", lowest, groups)
	c.highest = perGroup("max_lr", highest, groups)
	for i, g := range groups {
		g.set(lows[i])
	}
	r.checkMode()
	r.cycle(groups)
	c.schedule = schedule{name: "CyclicLR", settings: c.list(groups), check: r.checkMode}
	c.next = func(i int, _ float64, n int) float64 { return c.base[i] + (c.highest[i]-c.base[i])*c.height(n) }
	c.first = func(i int, lr float64) float64 { return c.next(i, lr, 0) }
	c.momentum = func(i, n int) (float64, bool) {
		if !r.cycleMomentum {
			return 0, false
		}
		return r.high[i] - (r.high[i]-r.base[i])*c.height(n), true
	}
	c.begin(o)
	c.base = lows
	return c
}

// list names the settings.
func (c *cyclic) list(groups []*Group) []setting {
	r, by := &c.rates, map[bool]string{false: "cycle", true: "iterations"}
	s := []setting{{"max_lrs", &c.highest}, {"total_size", &c.total}, {"step_ratio", &c.rise},
		{"mode", (*string)(&r.shape)}, {"gamma", &r.gamma}, {"scale_mode", entry{
			put:  func() any { return by[r.byStep] },
			take: func(d *statedict.Dict, name string) { r.byStep = d.Is(name, by[true]) },
		}}, {"_scale_fn_custom", always{nil}}, {"cycle_momentum", &r.cycleMomentum}}
	if r.cycleMomentum {
		c.byBeta = groups[0].betas() != nil
		s = append(s, setting{"use_beta1", &c.byBeta}, setting{"base_momentums", &r.base}, setting{"max_momentums", &r.high})
	}
	return s
}

func (r *rates) checkMode() {
	if r.scale == nil && r.shape != Triangular && r.shape != Triangular2 && r.shape != ExpRange {
		refuse(tensor.ErrValue, "mode is invalid and scale_fn is None")
	}
}

// height returns how far above the lowest step n is: the part of the way up, times the height of the cycle.
func (c *cyclic) height(n int) float64 {
	cycle := math.Floor(1 + float64(n)/c.total)
	up := 1 + float64(n)/c.total - cycle
	if up <= c.rise {
		up /= c.rise
	} else {
		up = (up - 1) / (c.rise - 1)
	}
	x := cycle
	if c.rates.byStep {
		x = float64(n)
	}
	switch {
	case c.rates.scale != nil:
		return up * c.rates.scale(x)
	case c.rates.shape == Triangular2:
		return up / math.Pow(2, x-1)
	case c.rates.shape == ExpRange:
		return up * math.Pow(c.rates.gamma, x)
	}
	return up
}
