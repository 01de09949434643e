package optim

import (
	"fmt"

	"cresset/tensor"
)

// Schedule changes an optimizer's learning rate; Step is called once per epoch or batch, after the optimizer's.
//
// Each learning rate follows from the one before, as in PyTorch: several schedules of one optimizer multiply, and what the
// caller sets in a Group stays. Those of this package are a checkpoint.Stateful, as the optimizers are.
type Schedule interface{ Step() }

// schedule gives each group a learning rate for each step.
type schedule struct {
	name      string // PyTorch's
	optimizer Optimizer
	groups    []*Group
	base      []float64 // the learning rates that formulas start from
	n         int
	settings  []setting
	check     func()                                   // refuses settings that make no sense
	first     func(i int, lr float64) float64          // the learning rate of group i in step 0, lr unless given
	next      func(i int, lr float64, n int) float64   // the learning rate of group i in step n; lr is the one before
	again     func(i int, g *Group) (lr float64)       // what first starts from when the schedule is restarted; unless given InitialLR
	momentum  func(i int, n int) (v float64, set bool) // the momentum of group i in step n; nil leaves it
}

// begin sets the first learning rates.
func (s *schedule) begin(o Optimizer) *schedule {
	s.optimizer, s.groups = o, groupsOf(o)
	s.tryCheck()
	for _, g := range s.groups {
		s.base = append(s.base, g.InitialLR())
	}
	s.start(func(_ int, g *Group) float64 { return g.LR })
	return s
}

// start sets the learning rates of step 0.
func (s *schedule) start(from func(i int, g *Group) float64) {
	s.n = 0
	s.apply(func(i int, g *Group) float64 {
		lr := from(i, g)
		if s.first != nil {
			lr = s.first(i, lr)
		}
		return lr
	})
}

// Step moves on to the next learning rate.
func (s *schedule) Step() {
	s.n++
	s.apply(func(i int, g *Group) float64 { return s.next(i, g.LR, s.n) })
}

// restart begins again, from the initial learning rate.
func (s *schedule) restart() {
	from := s.again
	if from == nil {
		from = func(_ int, g *Group) float64 { return g.InitialLR() }
	}
	s.start(from)
}

// apply sets the learning rates and momentums of the current step.
func (s *schedule) apply(lr func(i int, g *Group) float64) {
	for i, g := range s.groups {
		g.set(lr(i, g))
		if s.momentum == nil {
			continue
		}
		if v, set := s.momentum(i, s.n); set {
			*g.momentum() = v
		}
	}
}

func (s *schedule) belongs() (o Optimizer, name string) { return s.optimizer, s.name }

// set changes the learning rate for the steps that follow. Schedules after each other may come to one a little below 0, which
// PyTorch sets too; NaN panics.
func (g *Group) set(lr float64) {
	notNaN(lr)
	g.LR = lr
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

// perGroup returns a value for each group: the only one for all.
func perGroup(name string, values []float64, groups []*Group) []float64 {
	if len(values) == len(groups) {
		return values
	}
	if len(values) != 1 {
		refuse(tensor.ErrValue, fmt.Sprintf("%s must have the same length as optimizer.param_groups. %s has %d values, param_groups has %d.",
			name, name, len(values), len(groups)))
	}
	all := make([]float64, len(groups))
	for i := range all {
		all[i] = values[0]
	}
	return all
}
