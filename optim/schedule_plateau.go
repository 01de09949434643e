package optim

import (
	"fmt"
	"math"
	"slices"

	"cresset/internal/statedict"
	"cresset/tensor"
)

// PlateauMode says which measures NewReduceLROnPlateau takes for better.
type PlateauMode string

// With MinMode lower measures are better, as unless given, with MaxMode higher ones.
const (
	MinMode PlateauMode = "min"
	MaxMode PlateauMode = "max"
)

func (m PlateauMode) plateau(r *rates) { r.mode = m }

// Patience is how many steps without a better measure NewReduceLROnPlateau lets pass, 10 unless given.
func Patience(n int) ReduceLROnPlateauOption { return rateOption(func(r *rates) { r.patience = n }) }

// Threshold is by which part of the best measure another has to be better, 1e-4 unless given.
func Threshold(v float64) ReduceLROnPlateauOption {
	return rateOption(func(r *rates) { r.threshold, r.absolute = v, false })
}

// AbsoluteThreshold is by how much another measure than the best has to be better.
func AbsoluteThreshold(v float64) ReduceLROnPlateauOption {
	return rateOption(func(r *rates) { r.threshold, r.absolute = v, true })
}

// Cooldown is for how many steps after a reduction NewReduceLROnPlateau does not count, 0 unless given.
func Cooldown(n int) ReduceLROnPlateauOption { return rateOption(func(r *rates) { r.cooldown = n }) }

// MinLR is the lowest learning rate of NewReduceLROnPlateau, of all groups or of each, 0 unless given.
func MinLR(lr ...float64) ReduceLROnPlateauOption {
	return rateOption(func(r *rates) { r.lowest = lr })
}

// MinReduction is the smallest change of a learning rate that NewReduceLROnPlateau makes, 1e-8 unless given: PyTorch's eps.
func MinReduction(v float64) ReduceLROnPlateauOption { return rateOption(func(r *rates) { r.eps = v }) }

// ReduceLROnPlateau is what NewReduceLROnPlateau returns. It is a checkpoint.Stateful.
type ReduceLROnPlateau struct {
	groups         []*Group
	rates          rates
	each           bool // each group has a lowest learning rate of its own
	n              int
	best           float64
	cooling, worse int // steps
}

// NewReduceLROnPlateau multiplies the learning rate by Factor where the measure has not become better for more than Patience steps.
func NewReduceLROnPlateau(o Optimizer, opts ...ReduceLROnPlateauOption) *ReduceLROnPlateau {
	p := &ReduceLROnPlateau{groups: groupsOf(o)}
	p.rates = rates{mode: MinMode, factor: 0.1, patience: 10, threshold: 1e-4, lowest: []float64{0}, eps: 1e-8}
	r := &p.rates
	for _, opt := range opts {
		opt.plateau(r)
	}
	p.each = len(r.lowest) > 1
	if p.each && len(r.lowest) != len(p.groups) {
		refuse(tensor.ErrValue, fmt.Sprintf("expected %d min_lrs, got %d", len(p.groups), len(r.lowest)))
	}
	r.lowest = slices.Clone(perGroup("min_lr", r.lowest, p.groups))
	p.check()
	p.best = p.worst()
	return p
}

func (p *ReduceLROnPlateau) check() {
	if !(p.rates.factor < 1) {
		refuse(tensor.ErrValue, "Factor should be < 1.0.")
	}
	if m := p.rates.mode; m != MinMode && m != MaxMode {
		refuse(tensor.ErrValue, "mode "+string(m)+" is unknown!")
	}
}

// worst is worse than all measures.
func (p *ReduceLROnPlateau) worst() float64 {
	if p.rates.mode == MaxMode {
		return math.Inf(-1)
	}
	return math.Inf(1)
}

// Step takes a measure, as the loss of an epoch on held-out data, and lowers the learning rates where it is time to.
func (p *ReduceLROnPlateau) Step(measure float64) {
	p.n++
	if p.better(measure) {
		p.best, p.worse = measure, 0
	} else {
		p.worse++
	}
	if p.cooling > 0 {
		p.cooling--
		p.worse = 0
	}
	if p.worse <= p.rates.patience {
		return
	}
	for i, g := range p.groups {
		if lr := max(g.LR*p.rates.factor, p.rates.lowest[i]); g.LR-lr > p.rates.eps {
			g.set(lr)
		}
	}
	p.cooling, p.worse = p.rates.cooldown, 0
}

func (p *ReduceLROnPlateau) better(measure float64) bool {
	r, edge := &p.rates, p.best
	by := r.threshold
	if r.mode == MinMode {
		by = -by
	}
	if r.absolute {
		edge += by
	} else {
		edge *= 1 + by
	}
	return r.mode == MinMode && measure < edge || r.mode == MaxMode && measure > edge
}

// list names what a state dict tells.
func (p *ReduceLROnPlateau) list() []setting {
	r, by := &p.rates, map[bool]string{false: "rel", true: "abs"}
	lowest := always{nil} // each group has its own
	if !p.each {
		lowest.value = r.lowest[0]
	}
	return []setting{{"mode", (*string)(&r.mode)}, {"factor", &r.factor}, {"patience", &r.patience}, {"threshold", &r.threshold},
		{"threshold_mode", entry{
			put:  func() any { return by[r.absolute] },
			take: func(d *statedict.Dict, name string) { r.absolute = d.Is(name, by[true]) },
		}}, {"cooldown", &r.cooldown}, {"min_lrs", &r.lowest}, {"default_min_lr", lowest}, {"eps", &r.eps},
		{"last_epoch", &p.n}, {"best", &p.best}, {"cooldown_counter", &p.cooling}, {"num_bad_epochs", &p.worse}, {"mode_worse", always{p.worst()}}}
}

// StateDict returns the state as that of PyTorch's ReduceLROnPlateau.
func (p *ReduceLROnPlateau) StateDict() map[string]any {
	state := map[string]any{"_last_lr": lastRates(p.groups)}
	put(state, p.list())
	return state
}

// LoadStateDict restores what StateDict or PyTorch gave, settings included. Where the state does not fit nothing changes.
func (p *ReduceLROnPlateau) LoadStateDict(state map[string]any) error {
	d, before := statedict.Read(state), *p
	p.rates.lowest = slices.Clone(p.rates.lowest)
	take(d, p.list())
	err := d.Err()
	if err == nil {
		err = tensor.Try(p.check)
	}
	if err != nil {
		*p = before
	}
	return err
}
