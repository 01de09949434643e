package optim

import (
	"maps"
	"reflect"
	"slices"

	"cresset/internal/statedict"
	"cresset/tensor"
)

// StateDict returns the state as torch.optim's state_dict does: under "state" what is kept of each parameter, by its number over
// all groups, under "param_groups" the settings of each group. The tensors share the optimizer's memory.
func (b *Algorithm) StateDict() map[string]any {
	b.settle()
	states, saved := make(map[int]map[string]any), make([]map[string]any, len(b.groups))
	n := 0
	for i, g := range b.groups {
		saved[i] = b.form.describe(g)
		numbers := make([]int, len(g.Params))
		for k, p := range g.Params {
			numbers[k] = n
			if s := b.states[p]; s != nil {
				if kept := b.form.write(s); len(kept) > 0 {
					states[n] = kept
				}
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
	for name, v := range g.scheduledBy {
		out[name] = v
	}
	put(out, f.settings(&g.figures))
	return out
}

// write returns what is kept of a parameter as a state dict has it.
func (f *form) write(s *state) map[string]any {
	out := make(map[string]any)
	if f.counts {
		out["step"] = tensor.Of(float32(s.step))
	}
	for i, n := range f.numbers {
		out[n.name] = tensor.Of(s.numbers[i])
	}
	for name, x := range s.tensors {
		out[name] = x
	}
	return out
}

// LoadStateDict restores what StateDict or PyTorch's state_dict gave, settings included. Several groups of the same settings are read
// as the one group that there is here, in their order; where settings differ, the error names one that does. Tensors are copied to the
// devices and in the dtypes of the parameters. Where the state does not fit nothing changes, and the error is a *tensor.Error.
//
// As in PyTorch, a state dict does not say which optimizer it is of: one that keeps less, as SGD does, takes what it knows of
// Adam's, the learning rate for example, and leaves the rest.
func (b *Algorithm) LoadStateDict(state map[string]any) error {
	b.settle()
	var err error
	failed := tensor.Try(func() { err = b.load(statedict.Read(state)) })
	if err == nil {
		err = failed
	}
	return err
}

func (b *Algorithm) load(d *statedict.Dict) error {
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
		if kept := b.form.read(s, at.param, &loaded[at.group]); kept != nil {
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
func (b *Algorithm) readGroups(d *statedict.Dict) (loaded []Group, byNumber map[int]numbered) {
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
			if a, b := first[name], other[name]; !reflect.DeepEqual(a, b) {
				d.Refuse("the state dict's param_groups[0] and param_groups[%d] differ in %s, %v and %v: "+
					"make groups for them with optim.For", i+1, name, a, b)
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
	g.scheduledBy = maps.Clone(g.scheduledBy)
	for _, name := range schedulesKeep {
		if d.Has(name) {
			g.keep(name, d.Float(name))
		}
	}
	take(d, f.settings(&g.figures))
	if d.Err() == nil {
		notNaN(g.LR)
		f.check(&g.figures)
	}
	return g
}

// read returns what a state dict keeps of a parameter, nil where it keeps nothing.
func (f *form) read(d *statedict.Dict, p *tensor.Tensor, g *Group) *state {
	kept := f.tensors(&g.figures)
	if !f.counts && !slices.ContainsFunc(kept, func(t tensors) bool { return d.Has(t.name) }) {
		return nil
	}
	s := &state{tensors: make(map[string]*tensor.Tensor)}
	if f.counts {
		s.step = d.Int("step")
	}
	for _, n := range f.numbers {
		s.numbers = append(s.numbers, float32(d.Float(n.name)))
	}
	for _, t := range kept {
		to := tensor.EmptyLike(p)
		if t.make != nil {
			to = t.make(p, g)
		}
		if to == nil {
			continue
		}
		from := d.Tensor(t.name)
		if d.Err() != nil {
			return nil
		}
		if !from.Shape().Equal(to.Shape()) {
			d.Refuse("size mismatch for %s: copying a tensor with shape %s from the state dict, the shape of the parameter is %s",
				d.Path(t.name), from.Shape(), to.Shape())
			return nil
		}
		to.CopyInPlace(from.Detach())
		s.tensors[t.name] = to
	}
	return s
}
