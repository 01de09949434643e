package optim

import (
	"slices"

	"cresset/internal/statedict"
	"cresset/tensor"
)

// StateDict returns the state as PyTorch's LBFGS does.
func (l *LBFGS) StateDict() map[string]any {
	group := lbfgs.describe(l.group)
	numbers := make([]int, len(l.group.Params))
	for i := range numbers {
		numbers[i] = i
	}
	group["params"] = numbers
	state := make(map[int]map[string]any)
	if l.evals > 0 {
		s := map[string]any{"func_evals": l.evals, "n_iter": l.iters}
		if l.grad != nil {
			ro := make([]any, len(l.ro))
			for i, v := range l.ro {
				ro[i] = tensor.Like(l.grad).Full(nil, v)
			}
			s["d"], s["t"], s["old_dirs"], s["old_stps"], s["ro"] = l.d, l.t, list(l.ys), list(l.ss), ro
			s["H_diag"], s["prev_flat_grad"], s["prev_loss"] = tensor.Like(l.grad).Full(nil, l.scale), l.grad, l.before
		}
		state[0] = s
	}
	return map[string]any{"state": state, "param_groups": []map[string]any{group}}
}

func list(ts []*tensor.Tensor) []any {
	all := make([]any, len(ts))
	for i, x := range ts {
		all[i] = x
	}
	return all
}

// LoadStateDict restores what StateDict or PyTorch gave. Where the state does not fit nothing changes, and the error is a *tensor.Error.
func (l *LBFGS) LoadStateDict(state map[string]any) error {
	next := &LBFGS{group: new(Group), loss: l.loss}
	*next.group = *l.group
	var err error
	failed := tensor.Try(func() { err = next.load(statedict.Read(state)) })
	if err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	group := l.group // schedules hold it
	*group = *next.group
	*l = *next
	l.group = group
	return nil
}

func (l *LBFGS) load(d *statedict.Dict) error {
	groups := d.Dicts("param_groups")
	if d.Err() == nil && len(groups) != 1 {
		d.Refuse("loaded state dict has a different number of parameter groups")
	}
	if d.Err() != nil {
		return d.Err()
	}
	if len(groups[0].Ints("params")) != len(l.group.Params) {
		d.Refuse("loaded state dict contains a parameter group that doesn't match the size of optimizer's group")
	}
	*l.group = lbfgs.readGroup(groups[0], *l.group)
	for _, s := range d.Numbered("state") {
		l.evals, l.iters = s.Int("func_evals"), s.Int("n_iter")
		if !s.Has("prev_flat_grad") {
			break
		}
		elements := 0
		for _, p := range l.group.Params {
			elements += p.NumEl()
		}
		vector := func(x *tensor.Tensor) *tensor.Tensor {
			if d.Err() != nil {
				return nil
			}
			if x.Dim() != 1 || x.NumEl() != elements {
				d.Refuse("the state dict has a vector of the shape %v, and the parameters %d elements", x.Shape(), elements)
				return nil
			}
			return x.Detach().To(l.group.Params[0].DType(), l.group.Params[0].Device(), tensor.Copy(true))
		}
		l.d, l.grad = vector(s.Tensor("d")), vector(s.Tensor("prev_flat_grad"))
		for _, x := range s.Tensors("old_dirs") {
			l.ys = append(l.ys, vector(x))
		}
		for _, x := range s.Tensors("old_stps") {
			l.ss = append(l.ss, vector(x))
		}
		l.t, l.before, l.scale, l.ro = s.Float("t"), s.Float("prev_loss"), s.Float("H_diag"), slices.Clone(s.Floats("ro"))
		if d.Err() == nil && (len(l.ys) != len(l.ss) || len(l.ys) != len(l.ro)) {
			d.Refuse("the state dict has %d old_dirs, %d old_stps and %d ro", len(l.ys), len(l.ss), len(l.ro))
		}
		break
	}
	return d.Err()
}

// String prints the optimizer as PyTorch does.
func (l *LBFGS) String() string { return (&Algorithm{groups: l.Groups(), form: lbfgs}).String() }

func (l *LBFGS) class() string { return lbfgs.class }
