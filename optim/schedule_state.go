package optim

import (
	"slices"

	"cresset/internal/statedict"
	"cresset/tensor"
)

// StateDict returns the state as that of PyTorch's schedules.
func (s *schedule) StateDict() map[string]any {
	state := map[string]any{"base_lrs": slices.Clone(s.base), "last_epoch": s.n, "_step_count": s.n + 1, "_last_lr": lastRates(s.groups),
		"_is_initial": false, "_get_lr_called_within_step": false}
	put(state, s.settings)
	return state
}

func (s *schedule) tryCheck() {
	if s.check != nil {
		s.check()
	}
}

// lastRates returns the learning rates of groups.
func lastRates(groups []*Group) []float64 {
	out := make([]float64, len(groups))
	for i, g := range groups {
		out[i] = g.LR
	}
	return out
}

// LoadStateDict restores what StateDict or PyTorch gave, settings included. The learning rate itself is the optimizer's state.
// Several groups of the same rate are read as the one of the optimizer. Where the state does not fit nothing changes.
func (s *schedule) LoadStateDict(state map[string]any) error {
	d := statedict.Read(state)
	n, base := d.Int("last_epoch"), d.Floats("base_lrs")
	if n == -1 {
		n = 0 // PyTorch's word for a schedule whose turn in a SequentialLR has not come
	}
	if alike := slices.Compact(slices.Clone(base)); len(s.groups) == 1 && len(alike) == 1 {
		base = alike
	}
	if d.Err() == nil && (n < 0 || len(base) != len(s.groups)) {
		d.Refuse("the state dict has the learning rates of %d groups after step %d, and the optimizer %d groups", len(base), n, len(s.groups))
	}
	before := make(map[string]any)
	put(before, s.settings)
	take(d, s.settings)
	err := d.Err()
	if err == nil {
		err = tensor.Try(s.tryCheck)
	}
	if err != nil {
		take(statedict.Read(before), s.settings)
		return err
	}
	s.n, s.base = n, base
	for i, g := range s.groups {
		g.initial, g.scheduled = base[i], true
	}
	return nil
}
