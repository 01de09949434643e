package optim

import (
	"errors"
	"fmt"

	"cresset/internal/statedict"
	"cresset/tensor"
)

// NewSequentialLR lets schedules that were made for o follow one another: each hands over to the next in the step that milestones
// name, where that begins with the initial learning rate.
func NewSequentialLR(o Optimizer, schedules []Schedule, milestones []int) Schedule {
	groups := groupsOf(o)
	if len(schedules) == 0 {
		refuse(tensor.ErrValue, "SequentialLR expects at least one scheduler, but got no scheduler.")
	}
	sameOptimizer("SequentialLR", o, schedules)
	if len(milestones) != len(schedules)-1 {
		refuse(tensor.ErrValue, fmt.Sprintf("Sequential Schedulers expects number of schedulers provided to be one more than the number "+
			"of milestone points, but got number of schedulers %d and the number of milestones to be equal to %d", len(schedules), len(milestones)))
	}
	for _, g := range groups {
		g.set(g.InitialLR())
	}
	s := &sequence{name: "SequentialLR", optimizer: o, schedules: schedules, milestones: milestones}
	s.begin(s.turn())
	return s
}

// NewWarmup raises the learning rate linearly from start times the initial one over steps steps, then hands over to next,
// which begins with the initial learning rate: NewSequentialLR of NewLinearLR and next. It panics where
// there is no optimizer or no next, a start outside (0, 1], or no step.
func NewWarmup(o Optimizer, start float64, steps int, next Schedule) Schedule {
	groupsOf(o)
	if next == nil {
		refuse(tensor.ErrValue, "a warm-up needs a schedule to follow it, not nil")
	}
	return NewSequentialLR(o, []Schedule{NewLinearLR(o, StartFactor(start), TotalIters(steps)), next}, []int{steps})
}

// sequence is several schedules, one after another or, without milestones, together.
type sequence struct {
	name       string
	optimizer  Optimizer
	schedules  []Schedule
	milestones []int
	chained    bool
	n          int
}

// Step moves on to the next learning rate.
func (s *sequence) Step() {
	s.n++
	if s.chained {
		for _, one := range s.schedules {
			one.Step()
		}
		return
	}
	i := s.turn()
	if i > 0 && s.milestones[i-1] == s.n {
		s.begin(i)
	} else {
		s.schedules[i].Step()
	}
}

// turn returns the number of the schedule whose turn it is.
func (s *sequence) turn() (i int) {
	for _, at := range s.milestones {
		if at <= s.n {
			i++
		}
	}
	return i
}

// begin restarts a schedule; one of the caller's own begins with the initial learning rate.
func (s *sequence) begin(i int) {
	if own, ok := s.schedules[i].(interface{ restart() }); ok {
		own.restart()
		return
	}
	for _, g := range s.optimizer.Groups() {
		g.set(g.InitialLR())
	}
}

// restart begins again, from the initial learning rate.
func (s *sequence) restart() {
	s.n = 0
	if !s.chained {
		s.begin(s.turn())
		return
	}
	for i := range s.schedules {
		s.begin(i)
	}
}

func (s *sequence) belongs() (Optimizer, string) { return s.optimizer, s.name }

// NewChainedScheduler steps several schedules of one optimizer together: each goes on from what the one before has made of the
// learning rate.
func NewChainedScheduler(schedules ...Schedule) Schedule {
	if len(schedules) == 0 {
		refuse(tensor.ErrValue, "ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.")
	}
	s := &sequence{name: "ChainedScheduler", schedules: schedules, chained: true}
	if first, ok := schedules[0].(interface{ belongs() (Optimizer, string) }); ok {
		s.optimizer, _ = first.belongs()
		sameOptimizer(s.name, s.optimizer, schedules)
	}
	return s
}

// sameOptimizer refuses schedules of others; whose those of the caller's own are is not known.
func sameOptimizer(name string, o Optimizer, schedules []Schedule) {
	for i, s := range schedules {
		own, ok := s.(interface{ belongs() (Optimizer, string) })
		if !ok {
			continue
		}
		if other, kind := own.belongs(); other != o {
			refuse(tensor.ErrValue, fmt.Sprintf("%s expects all schedulers to belong to the same optimizer, but got scheduler %s at index %d "+
				"has %v, which is different from %s.", name, kind, i, other, class(o)))
		}
	}
}

// class returns PyTorch's name of an optimizer.
func class(o Optimizer) string {
	if named, ok := o.(interface{ class() string }); ok {
		return named.class()
	}
	return fmt.Sprintf("%T", o)
}

// StateDict returns the state as that of PyTorch's SequentialLR or ChainedScheduler. It panics where one of the schedules has none.
func (s *sequence) StateDict() map[string]any {
	all := make([]map[string]any, len(s.schedules))
	for i, one := range s.schedules {
		own, ok := one.(stateful)
		if !ok {
			refuse(tensor.ErrValue, fmt.Sprintf("a %T has no StateDict", one))
		}
		all[i] = own.StateDict()
	}
	state := map[string]any{"_schedulers": all}
	if s.optimizer != nil {
		state["_last_lr"] = lastRates(s.optimizer.Groups())
	}
	if !s.chained {
		state["_milestones"], state["last_epoch"] = s.milestones, s.n
	}
	return state
}

// LoadStateDict restores what StateDict or PyTorch gave.
func (s *sequence) LoadStateDict(state map[string]any) error {
	d := statedict.Read(state)
	saved, n, milestones := d.Dicts("_schedulers"), 0, []int(nil)
	if !s.chained {
		n, milestones = d.Int("last_epoch"), d.Ints("_milestones")
	}
	if d.Err() == nil && (len(saved) != len(s.schedules) || len(milestones) != len(s.milestones) || n < 0) {
		d.Refuse("the state dict is of %d schedules with the milestones %v, not of %d with %d",
			len(saved), milestones, len(s.schedules), len(s.milestones))
	}
	for _, one := range s.schedules {
		if _, ok := one.(stateful); !ok {
			d.Refuse("a %T has no LoadStateDict", one)
		}
	}
	if d.Err() != nil {
		return d.Err()
	}
	for i, one := range s.schedules {
		before := one.(stateful).StateDict()
		err := one.(stateful).LoadStateDict(saved[i].Entries())
		if err == nil {
			saved[i] = statedict.Read(before)
			continue
		}
		for k := range i { // what was loaded before is taken back
			err = errors.Join(err, s.schedules[k].(stateful).LoadStateDict(saved[k].Entries()))
		}
		return err
	}
	s.n, s.milestones = n, milestones
	return nil
}

// stateful is what a state dict needs of a schedule.
type stateful interface {
	StateDict() map[string]any
	LoadStateDict(state map[string]any) error
}
