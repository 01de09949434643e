package optim

import (
	"maps"
	"slices"

	"cresset/internal/statedict"
	"cresset/tensor"
)

// StateDict returns the state as torch.optim's state_dict does: under "state" what is kept of each parameter, by its number over
// all groups, under "param_groups" the settings of each group. The tensors share the optimizer's memory.
func (b *base) StateDict() map[string]any {
	states, saved := make(map[int]map[string]any), make([]map[string]any, len(b.groups))
	n := 0
	for i, g := range b.groups {
		saved[i] = map[string]any{"lr": g.LR}
		if g.scheduled {
			saved[i]["initial_lr"] = g.initial
		}
		put(saved[i], b.form.settings(&g.figures))
		numbers := make([]int, len(g.Params))
		for k, p := range g.Params {
			numbers[k] = n
			if s := b.states[p]; s != nil {
				states[n] = b.form.write(s, &g.figures)
			}
			n++
		}
		saved[i]["params"] = numbers
	}
	return map[string]any{"state": states, "param_groups": saved}
}

func (f *form) write(s *state, settings *figures) map[string]any {
	out := make(map[string]any)
	if f.counts {
		out["step"] = tensor.Of(float32(s.step))
	}
	for i, name := range f.tensors(settings) {
		out[name] = s.tensors[i]
	}
	return out
}

// LoadStateDict restores what StateDict or PyTorch's state_dict gave, settings included. Tensors are copied to the devices and in
// the dtypes of the parameters. Where the state does not fit nothing changes, and the error is a *tensor.Error.
func (b *base) LoadStateDict(state map[string]any) error {
	var err error
	failed := tensor.Try(func() { err = b.load(statedict.Read(state)) })
	if err == nil {
		err = failed
	}
	return err
}

func (b *base) load(d *statedict.Dict) error {
	saved := d.Dicts("param_groups")
	if d.Err() == nil && len(saved) != len(b.groups) {
		d.Refuse("loaded state dict has a different number of parameter groups")
	}
	if d.Err() != nil {
		return d.Err()
	}
	for i, g := range saved {
		if len(g.Ints("params")) != len(b.groups[i].Params) {
			d.Refuse("loaded state dict contains a parameter group that doesn't match the size of optimizer's group")
			return d.Err()
		}
	}
	loaded, states := make([]Group, len(saved)), make(map[*tensor.Tensor]*state)
	byNumber := make(map[int]func(*statedict.Dict))
	for i, g := range saved {
		loaded[i] = b.form.readGroup(g, *b.groups[i])
		for k, n := range g.Ints("params") {
			p := loaded[i].Params[k]
			byNumber[n] = func(s *statedict.Dict) {
				if kept := b.form.read(s, p, &loaded[i].figures); kept != nil {
					states[p] = kept
				}
			}
		}
	}
	for n, s := range d.Numbered("state") {
		if read := byNumber[n]; read != nil && d.Err() == nil { // what belongs to no parameter is passed over, as PyTorch does
			read(s)
		}
	}
	if d.Err() != nil {
		return d.Err()
	}
	for i, g := range b.groups {
		*g = loaded[i]
	}
	clear(b.states)
	maps.Copy(b.states, states)
	return nil
}

// readGroup returns a group with the settings of a state dict.
func (f *form) readGroup(d *statedict.Dict, g Group) Group {
	g.LR = d.Float("lr")
	if d.Has("initial_lr") {
		g.initial, g.scheduled = d.Float("initial_lr"), true
	}
	take(d, f.settings(&g.figures))
	if d.Err() == nil {
		nonNegative("learning rate", g.LR)
		f.check(&g.figures)
	}
	return g
}

// read returns what a state dict keeps of a parameter, nil where it keeps nothing.
func (f *form) read(d *statedict.Dict, p *tensor.Tensor, settings *figures) *state {
	names := f.tensors(settings)
	if !f.counts && !slices.ContainsFunc(names, d.Has) {
		return nil
	}
	s := new(state)
	if f.counts {
		s.step = d.Int("step")
	}
	for _, name := range names {
		from := d.Tensor(name)
		if d.Err() != nil {
			return nil
		}
		if !from.Shape().Equal(p.Shape()) {
			d.Refuse("size mismatch for %s: copying a tensor with shape %s from the state dict, the shape of the parameter is %s",
				d.Path(name), from.Shape(), p.Shape())
			return nil
		}
		to := tensor.EmptyLike(p)
		to.CopyInPlace(from.Detach())
		s.tensors = append(s.tensors, to)
	}
	return s
}
