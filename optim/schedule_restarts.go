package optim

import (
	"fmt"
	"math"

	"cresset/internal/statedict"
	"cresset/tensor"
)

// CosineAnnealingWarmRestarts is the schedule that NewCosineAnnealingWarmRestarts returns.
type CosineAnnealingWarmRestarts struct {
	schedule
	rates         rates
	cur           float64 // steps since the last restart
	period, first int     // the length of this period, of the first one
}

// NewCosineAnnealingWarmRestarts lowers the learning rate along half a cosine from lr to EtaMin, and starts again after period steps,
// then after TMult times as many.
func NewCosineAnnealingWarmRestarts(o Optimizer, period int, opts ...CosineAnnealingWarmRestartsOption) *CosineAnnealingWarmRestarts {
	w := &CosineAnnealingWarmRestarts{rates: rates{mult: 1}, period: period, first: period}
	for _, opt := range opts {
		opt.restarts(&w.rates)
	}
	w.schedule = schedule{
		name: "CosineAnnealingWarmRestarts",
		settings: []setting{{"T_0", &w.first}, {"T_i", &w.period}, {"T_mult", &w.rates.mult}, {"eta_min", &w.rates.low}, {"T_cur", entry{
			put:  func() any { return w.cur },
			take: func(d *statedict.Dict, name string) { w.cur = d.Float(name) },
		}}},
		check: func() {
			if w.first < 1 {
				refuse(tensor.ErrValue, fmt.Sprintf("Expected positive integer T_0, but got %d", w.first))
			}
			if w.rates.mult < 1 {
				refuse(tensor.ErrValue, fmt.Sprintf("Expected integer T_mult >= 1, but got %d", w.rates.mult))
			}
			positive("T_i", w.period)
		},
		next: func(i int, _ float64, _ int) float64 {
			return w.rates.low + (w.base[i]-w.rates.low)*(1+math.Cos(math.Pi*w.cur/float64(w.period)))/2
		},
	}
	w.schedule.first = func(i int, lr float64) float64 { return w.next(i, lr, 0) }
	w.begin(o)
	return w
}

// Step moves on by one step.
func (w *CosineAnnealingWarmRestarts) Step() {
	w.cur++
	if w.cur >= float64(w.period) {
		w.cur = math.Mod(w.cur, float64(w.period))
		w.period *= w.rates.mult
	}
	w.schedule.Step()
}

// StepTo sets the learning rate of an epoch, which may be a fraction: after batch i of n, epoch + i/n. It panics where that is
// negative.
func (w *CosineAnnealingWarmRestarts) StepTo(epoch float64) {
	if !(epoch >= 0) {
		refuse(tensor.ErrValue, fmt.Sprintf("Expected non-negative epoch, but got %v", epoch))
	}
	w.period, w.cur = w.first, epoch
	first, mult := float64(w.first), float64(w.rates.mult)
	switch {
	case epoch < first:
	case w.rates.mult == 1:
		w.cur = math.Mod(epoch, first)
	default:
		n := math.Trunc(math.Log(epoch/first*(mult-1)+1) / math.Log(mult))
		w.cur = epoch - first*(math.Pow(mult, n)-1)/(mult-1)
		w.period = int(first * math.Pow(mult, n))
	}
	w.n = int(epoch) - 1
	w.schedule.Step()
}

// restart begins again, from the initial learning rate.
func (w *CosineAnnealingWarmRestarts) restart() {
	w.cur, w.period = 0, w.first
	w.schedule.restart()
}
