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
		saved[i] = b.form.describe(g)
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

// describe returns the settings of a group as a state dict has them.
func (f *form) describe(g *Group) map[string]any {
	out := map[string]any{"lr": g.LR}
	if g.scheduled {
		out["initial_lr"] = g.initial
	}
	put(out, f.settings(&g.figures))
	return out
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

// LoadStateDict restores what StateDict or PyTorch's state_dict gave, settings included. Several groups of the same settings are read
// as the one group that there is here, in their order; where settings differ, the error names one that does. Tensors are copied to the
// devices and in the dtypes of the parameters. Where the state does not fit nothing changes, and the error is a *tensor.Error.
func (b *base) LoadStateDict(state map[string]any) error {
	var err error
	failed := tensor.Try(func() { err = b.load(statedict.Read(state)) })
	if err == nil {
		err = failed
	}
	return err
}

func (b *base) load(d *statedict.Dict) error {
	loaded, byNumber := b.readGroups(d)
	if d.Err() != nil {
		return d.Err()
	}
	states := make(map[*tensor.Tensor]*state)
	for n, s := range d.Numbered("state") {
		at, ok := byNumber[n]
		if !ok || d.Err() != nil {
			continue // what belongs to no parameter is passed over, as PyTorch does
		}
		if kept := b.form.read(s, at.param, &loaded[at.group].figures); kept != nil {
			states[at.param] = kept
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

// numbered is a parameter that a state dict has a number for.
type numbered struct {
	param *tensor.Tensor
	group int
}

// readGroups returns the optimizer's groups with the settings of a state dict, and its parameters by their numbers there.
func (b *base) readGroups(d *statedict.Dict) (loaded []Group, byNumber map[int]numbered) {
	saved := d.Dicts("param_groups")
	numbers := make([][]int, len(saved))
	for i, g := range saved {
		numbers[i] = g.Ints("params")
	}
	joined := len(b.groups) == 1 && len(saved) > 1
	if joined {
		numbers = [][]int{slices.Concat(numbers...)}
	}
	if len(numbers) != len(b.groups) {
		d.Refuse("loaded state dict has a different number of parameter groups")
		return nil, nil
	}
	byNumber = make(map[int]numbered)
	for i, g := range b.groups {
		if len(numbers[i]) != len(g.Params) {
			d.Refuse("loaded state dict contains a parameter group that doesn't match the size of optimizer's group")
			return nil, nil
		}
		for k, n := range numbers[i] {
			byNumber[n] = numbered{g.Params[k], i}
		}
	}
	loaded = make([]Group, len(saved))
	for i, g := range saved {
		loaded[i] = b.form.readGroup(g, *b.groups[min(i, len(b.groups)-1)])
	}
	if joined && d.Err() == nil {
		b.form.requireAlike(d, loaded)
	}
	return loaded, byNumber
}

// requireAlike refuses groups whose settings differ.
func (f *form) requireAlike(d *statedict.Dict, groups []Group) {
	first := f.describe(&groups[0])
	for i := range groups[1:] {
		other := f.describe(&groups[i+1])
		names := maps.Clone(first)
		maps.Copy(names, other)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if a, b := first[name], other[name]; a != b {
				d.Refuse("the state dict's param_groups[0] and param_groups[%d] differ in %s, %v and %v: groups with settings of their own "+
					"are not supported", i+1, name, a, b)
			}
		}
	}
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
