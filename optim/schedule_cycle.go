package optim

import (
	"fmt"
	"math"

	"cresset/internal/statedict"
	"cresset/tensor"
)

// Anneal is how NewOneCycleLR goes from one learning rate to another.
type Anneal string

// AnnealCos goes along half a cosine, as unless given, AnnealLinear along a line.
const (
	AnnealCos    Anneal = "cos"
	AnnealLinear Anneal = "linear"
)

func (a Anneal) oneCycle(r *rates) { r.anneal = a }

// between returns what lies at a part of the way.
func (a Anneal) between(from, to, part float64) float64 {
	if a == AnnealLinear {
		return (to-from)*part + from
	}
	return to + (from-to)/2*(math.Cos(math.Pi*part)+1)
}

// PctStart is the part of NewOneCycleLR's steps in which the learning rate rises, 0.3 unless given.
func PctStart(v float64) OneCycleLROption { return rateOption(func(r *rates) { r.warm = v }) }

// DivFactor is by how much NewOneCycleLR's first learning rate is lower than the highest, 25 unless given.
func DivFactor(v float64) OneCycleLROption { return rateOption(func(r *rates) { r.div = v }) }

// FinalDivFactor is by how much NewOneCycleLR's last learning rate is lower than the first, 1e4 unless given.
func FinalDivFactor(v float64) OneCycleLROption { return rateOption(func(r *rates) { r.finalDiv = v }) }

// ThreePhase lets NewOneCycleLR's learning rate fall as long as it rose, and then to its end.
func ThreePhase(on bool) OneCycleLROption { return rateOption(func(r *rates) { r.threePhase = on }) }

// CycleMomentum says whether momentum, or Adam's first beta, falls while the learning rate rises, as it does unless told otherwise.
func CycleMomentum(on bool) CycleOption { return rateOption(func(r *rates) { r.cycleMomentum = on }) }

// BaseMomentum is the lowest momentum, of all groups or of each: 0.85 for NewOneCycleLR and 0.8 for NewCyclicLR unless given.
func BaseMomentum(v ...float64) CycleOption { return rateOption(func(r *rates) { r.base = v }) }

// MaxMomentum is the highest momentum, of all groups or of each: 0.95 for NewOneCycleLR and 0.9 for NewCyclicLR unless given.
func MaxMomentum(v ...float64) CycleOption { return rateOption(func(r *rates) { r.high = v }) }

// phase is a part of a cycle, between values that a group keeps by name.
type phase struct {
	end                      float64 // the step
	fromLR, toLR             string
	fromMomentum, toMomentum string
}

// NewOneCycleLR raises the learning rate from highest/DivFactor to highest and lowers it to almost nothing, in total steps. There is a
// highest learning rate for all groups or one for each. It panics where a step follows the last.
func NewOneCycleLR(o Optimizer, highest []float64, total int, opts ...OneCycleLROption) Schedule {
	r := rates{warm: 0.3, div: 25, finalDiv: 1e4, cycleMomentum: true, base: []float64{0.85}, high: []float64{0.95}, anneal: AnnealCos}
	for _, opt := range opts {
		opt.oneCycle(&r)
	}
	groups := groupsOf(o)
	r.checkOneCycle(total)
	for i, lr := range perGroup("max_lr", highest, groups) {
		g := groups[i]
		g.initial, g.scheduled = lr/r.div, true
		g.keep("max_lr", lr)
		g.keep("min_lr", g.initial/r.finalDiv)
	}
	r.cycle(groups)
	phases, byBeta := r.phases(total), false
	at := func(i, n int) (p phase, part float64) {
		if n > total {
			refuse(tensor.ErrValue, fmt.Sprintf("Tried to step %d times. The specified number of total steps is %d", n, total))
		}
		start := 0.0
		for k, p := range phases {
			if float64(n) <= p.end || k == len(phases)-1 {
				return p, (float64(n) - start) / (p.end - start)
			}
			start = p.end
		}
		return p, 0
	}
	s := &schedule{name: "OneCycleLR", settings: []setting{{"total_steps", &total}, {"_schedule_phases", phasesEntry(&phases)},
		{"_anneal_func_type", (*string)(&r.anneal)}, {"cycle_momentum", &r.cycleMomentum}}}
	if r.cycleMomentum {
		byBeta = groups[0].betas() != nil
		s.settings = append(s.settings, setting{"use_beta1", &byBeta})
	}
	s.check = func() { positive("total_steps", total) }
	s.next = func(i int, _ float64, n int) float64 {
		p, part := at(i, n)
		return r.anneal.between(groups[i].kept(p.fromLR), groups[i].kept(p.toLR), part)
	}
	s.first = func(i int, lr float64) float64 { return s.next(i, lr, 0) }
	s.momentum = func(i, n int) (float64, bool) {
		p, part := at(i, n)
		return r.anneal.between(groups[i].kept(p.fromMomentum), groups[i].kept(p.toMomentum), part), r.cycleMomentum
	}
	return s.begin(o)
}

func (r *rates) checkOneCycle(total int) {
	switch {
	case total < 1:
		refuse(tensor.ErrValue, fmt.Sprintf("Expected positive integer total_steps, but got %d", total))
	case !(r.warm >= 0 && r.warm <= 1):
		refuse(tensor.ErrValue, fmt.Sprintf("Expected float between 0 and 1 pct_start, but got %s", python(r.warm)))
	case r.anneal != AnnealCos && r.anneal != AnnealLinear:
		refuse(tensor.ErrValue, fmt.Sprintf("anneal_strategy must be one of 'cos' or 'linear', instead got %s", r.anneal))
	}
}

func (r *rates) phases(total int) []phase {
	rise := phase{r.warm*float64(total) - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum"}
	last := float64(total - 1)
	if !r.threePhase {
		return []phase{rise, {last, "max_lr", "min_lr", "base_momentum", "max_momentum"}}
	}
	fall := phase{2*r.warm*float64(total) - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum"}
	return []phase{rise, fall, {last, "initial_lr", "min_lr", "max_momentum", "max_momentum"}}
}

// phasesEntry is a state dict's entry of phases.
func phasesEntry(phases *[]phase) entry {
	return entry{
		put: func() any {
			list := make([]map[string]any, len(*phases))
			for i, p := range *phases {
				list[i] = map[string]any{"end_step": p.end, "start_lr": p.fromLR, "end_lr": p.toLR,
					"start_momentum": p.fromMomentum, "end_momentum": p.toMomentum}
			}
			return list
		},
		take: func(d *statedict.Dict, name string) {
			*phases = nil
			for _, p := range d.Dicts(name) {
				*phases = append(*phases, phase{p.Float("end_step"), p.String("start_lr"), p.String("end_lr"),
					p.String("start_momentum"), p.String("end_momentum")})
			}
		},
	}
}

// cycle lets momentums begin at their highest, where they are to change.
func (r *rates) cycle(groups []*Group) {
	if !r.cycleMomentum {
		return
	}
	for _, g := range groups {
		if g.momentum() == nil {
			refuse(tensor.ErrValue, "optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
		}
	}
	r.high, r.base = perGroup("max_momentum", r.high, groups), perGroup("base_momentum", r.base, groups)
	for i, g := range groups {
		*g.momentum() = r.high[i]
		g.keep("max_momentum", r.high[i])
		g.keep("base_momentum", r.base[i])
	}
}
