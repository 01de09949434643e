package data

import (
	"cmp"

	"cresset/internal/statedict"
	"cresset/tensor"
)

// StateDict returns what the orders of the epochs to come depend on: the number of the next epoch and, where the sampler has a
// Generator, its state. A sampler without one depends on the default generator, whose state is kept by the caller.
func (s *Sampler) StateDict() map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]any{"epoch": s.epoch, "generator": stateOf(s.own)}
}

// LoadStateDict restores what StateDict gave. Where the state does not fit nothing changes, and the error is a *tensor.Error.
func (s *Sampler) LoadStateDict(state map[string]any) error {
	load, err := s.loading(statedict.Read(state))
	if err != nil {
		return err
	}
	load()
	return nil
}

// loading checks a state and returns the function that restores it.
func (s *Sampler) loading(d *statedict.Dict) (load func(), err error) {
	epoch, generator := d.Int("epoch"), d.Bytes("generator")
	if epoch < 0 {
		d.Refuse("the state dict is of epoch %d", epoch)
	}
	if (generator != nil) != (s.own != nil) {
		d.Refuse("the state dict and the sampler differ in whether they have a Generator")
	}
	if d.Err() == nil && generator != nil {
		err = tensor.Try(func() { tensor.NewGenerator(0).SetState(generator) })
	}
	if d.Err() != nil || err != nil {
		return nil, cmp.Or(d.Err(), err)
	}
	return func() {
		s.SetEpoch(epoch)
		if s.own != nil {
			s.own.SetState(generator)
		}
	}, nil
}

// stateOf returns a generator's state as a tensor, None where there is none.
func stateOf(g *tensor.Generator) any {
	if g == nil {
		return nil
	}
	return tensor.FromSlice(g.State())
}
