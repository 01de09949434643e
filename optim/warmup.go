package optim

import (
	"errors"
	"fmt"

	"cresset/internal/statedict"
	"cresset/tensor"
)

// NewWarmup raises the learning rate linearly from start times the initial one over steps steps, then hands over to next,
// which begins with the initial learning rate: PyTorch's SequentialLR of LinearLR and next. It panics where
// there is no optimizer or no next, a start outside (0, 1], or no step.
func NewWarmup(o Optimizer, start float64, steps int, next Schedule) Schedule {
	groups := groupsOf(o)
	if next == nil {
		refuse(tensor.ErrValue, "a warm-up needs a schedule to follow it, not nil")
	}
	f := linear{start, steps}
	f.check()
	for _, g := range groups {
		g.set(g.InitialLR())
	}
	return &warmup{rise: newLinear(o, f), steps: steps, next: next}
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
		if s, ok := w.next.(interface{ restart() }); ok {
			s.restart()
		} else {
			w.rise.Step()
		}
	}
}

// restart begins again, from the initial learning rate.
func (w *warmup) restart() {
	w.n = 0
	w.rise.restart()
}

// StateDict returns the state as that of PyTorch's SequentialLR. It panics where the schedule that follows has none.
func (w *warmup) StateDict() map[string]any {
	next := w.stateful()
	if next == nil {
		refuse(tensor.ErrValue, fmt.Sprintf("a %T has no StateDict", w.next))
	}
	return map[string]any{"_milestones": []int{w.steps}, "last_epoch": w.n, "_last_lr": rates(w.rise.groups),
		"_schedulers": []map[string]any{w.rise.StateDict(), next.StateDict()}}
}

// LoadStateDict restores what StateDict or PyTorch gave.
func (w *warmup) LoadStateDict(state map[string]any) error {
	d := statedict.Read(state)
	n, milestones, schedulers := d.Int("last_epoch"), d.Ints("_milestones"), d.Dicts("_schedulers")
	next := w.stateful()
	switch {
	case d.Err() != nil:
	case len(milestones) != 1 || len(schedulers) != 2 || milestones[0] < 1 || n < 0:
		d.Refuse("the state dict is of %d schedules with the milestones %v, not of a warm-up and one schedule", len(schedulers), milestones)
	case next == nil:
		d.Refuse("a %T has no LoadStateDict", w.next)
	}
	if d.Err() != nil {
		return d.Err()
	}
	before := w.rise.StateDict()
	if err := w.rise.LoadStateDict(schedulers[0].Entries()); err != nil {
		return err
	}
	if err := next.LoadStateDict(schedulers[1].Entries()); err != nil {
		return errors.Join(err, w.rise.LoadStateDict(before))
	}
	w.n, w.steps = n, milestones[0]
	return nil
}

// stateful is what a state dict needs of a schedule.
type stateful interface {
	StateDict() map[string]any
	LoadStateDict(state map[string]any) error
}

// stateful returns the schedule that follows, nil where it has no state to tell.
func (w *warmup) stateful() stateful {
	s, _ := w.next.(stateful)
	return s
}
