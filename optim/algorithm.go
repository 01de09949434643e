package optim

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"cresset/device"
	"cresset/internal/friend"
	"cresset/tensor"
)

// Algorithm is an optimizer of this package, but for LBFGS: groups of parameters, their settings, and what is kept of each
// parameter from step to step. It is a checkpoint.Stateful.
type Algorithm struct {
	groups []*Group
	form   *form
	states map[*tensor.Tensor]*state
	steps  friend.Updates[*tensor.Tensor]
	latest *skippable
	flags  func(dev device.Device) *tensor.Tensor // what may skip the step under way; nil outside of stepUnless
}

var _ Optimizer = (*Algorithm)(nil)

// form is what sets one kind of optimizer apart from the others.
type form struct {
	class    string // PyTorch's name
	floats   bool   // PyTorch's defaults of 0 are floats
	defaults figures
	settings func(f *figures) []setting // of a group, but for its learning rate
	check    func(f *figures)           // refuses figures that make no sense
	suits    func(p *tensor.Tensor)     // refuses parameters, where not nil
	counts   bool                       // keeps the number of steps of each parameter
	numbers  []number                   // what else is kept of each parameter
	tensors  func(f *figures) []tensors
	update   func(u *update)
	composed bool // steps are made of ops, which cannot be skipped on a GPU
}

// number is a float32 that is kept of each parameter.
type number struct {
	name  string
	start func(lr float64) float64
}

// tensors is a tensor that is kept of each parameter. Where make returns nil the parameter has none; without make it has the
// parameter's shape, and the update makes it.
type tensors struct {
	name string
	make func(p *tensor.Tensor, g *Group) *tensor.Tensor
}

// zeros is a tensor like the parameter.
func zeros(p *tensor.Tensor, _ *Group) *tensor.Tensor { return tensor.ZerosLike(p) }

// zeroed are tensors like the parameter.
func zeroed(names ...string) func(*figures) []tensors {
	all := make([]tensors, len(names))
	for i, name := range names {
		all[i] = tensors{name, zeros}
	}
	return func(*figures) []tensors { return all }
}

// state is what an optimizer keeps of a parameter: its numbers are in the order of the form's.
type state struct {
	step    int
	numbers []float32
	tensors map[string]*tensor.Tensor
}

// newAlgorithm returns an optimizer of the parameters.
func newAlgorithm[O setter](f *form, ps iter.Seq2[string, *tensor.Tensor], opts []O) *Algorithm {
	settings := f.defaults
	for _, o := range opts {
		o.set(&settings)
	}
	return &Algorithm{f.group(ps, settings), f, make(map[*tensor.Tensor]*state), inner.NewUpdates(), nil, nil}
}

// group divides parameters into groups with their settings.
func (f *form) group(ps iter.Seq2[string, *tensor.Tensor], settings figures) []*Group {
	choices := settings.groups
	settings.groups = nil
	parts := make([][]*tensor.Tensor, len(choices)+1)
	NewGroup(func(yield func(string, *tensor.Tensor) bool) {
		for name, p := range ps {
			i := slices.IndexFunc(choices, func(c chosen) bool { return c.fits(name, p) })
			parts[i+1] = append(parts[i+1], p)
			if !yield(name, p) {
				return
			}
		}
	}, settings.lr)
	var groups []*Group
	for i, part := range parts {
		own := settings
		if i > 0 {
			choices[i-1].change(&own)
		}
		switch {
		case i > 0 && len(part) == 0:
			refuse(tensor.ErrValue, fmt.Sprintf("no parameter fits group %d of the optimizer", i))
		case len(part) == 0 && len(choices) > 0:
			continue // none is left for the first group
		}
		nonNegative("learning rate", own.lr)
		f.check(&own)
		groups = append(groups, &Group{Params: part, LR: own.lr, form: f, figures: own})
	}
	of := make(map[*tensor.Tensor]*Group)
	for _, g := range groups {
		for _, p := range g.Params {
			if other := of[p]; other != nil && other != g {
				refuse(tensor.ErrValue, "some parameters appear in more than one parameter group")
			}
			of[p] = g
			if f.suits != nil {
				f.suits(p)
			}
			if f.composed {
				refusePart(f.class, p)
			}
		}
	}
	return groups
}

// refusePart panics for a part of a parameter, where an optimizer needs the whole.
func refusePart(class string, p *tensor.Tensor) {
	if inner.IsPart(p) {
		refuse(tensor.ErrValue, class+" needs whole parameters, but got one of which each rank keeps a part")
	}
}

// Groups returns the parameters with their learning rates.
func (a *Algorithm) Groups() []*Group { return a.groups }

// ZeroGrad drops the gradients of all parameters.
func (a *Algorithm) ZeroGrad() {
	for _, g := range a.groups {
		g.ZeroGrad()
	}
}

// Copy returns an optimizer like a, without what a keeps of its parameters, of what of returns for each of them.
func (a *Algorithm) Copy(of func(p *tensor.Tensor) *tensor.Tensor) Optimizer {
	out := &Algorithm{make([]*Group, len(a.groups)), a.form, make(map[*tensor.Tensor]*state), inner.NewUpdates(), nil, nil}
	for i, g := range a.groups {
		c := *g
		c.scheduledBy = maps.Clone(g.scheduledBy)
		c.Params = make([]*tensor.Tensor, len(g.Params))
		for k, p := range g.Params {
			c.Params[k] = of(p)
		}
		out.groups[i] = &c
	}
	return out
}

// Step updates every parameter that has a gradient. On a GPU all that are alike are updated by one launch, but for Muon and
// Adafactor, whose steps need products and sums of each parameter.
func (a *Algorithm) Step() { a.run(nil) }

// run is Step; kept is called for what each parameter's step changed, unless it is nil.
func (a *Algorithm) run(kept func(u *update)) {
	a.settle()
	c := a.capturing()
	if c != nil {
		a.captured(c)
	}
	defer a.steps.Drop() // what a panic has left
	for _, g := range a.groups {
		for _, p := range g.Params {
			grad := inner.BorrowGrad(p)
			if grad == nil {
				continue
			}
			if c != nil {
				a.warm(c, p, g)
			}
			u := &update{state: a.stateOf(p, g), of: a, group: g, param: p, grad: grad, lr: g.LR, f: &g.figures, steps: a.steps}
			if a.flags != nil {
				a.steps.SkipWhere(a.flags(p.Device()))
			}
			copy(u.were[:], u.numbers)
			u.step++
			a.form.update(u)
			if kept != nil {
				kept(u)
			}
		}
	}
	a.steps.Run()
}

// stateOf returns what is kept of a parameter of a group. What is not there yet begins: a schedule may turn momentum on.
func (a *Algorithm) stateOf(p *tensor.Tensor, g *Group) *state {
	s := a.states[p]
	if s == nil {
		s = &state{tensors: make(map[string]*tensor.Tensor)}
		for _, n := range a.form.numbers {
			s.numbers = append(s.numbers, float32(n.start(g.LR)))
		}
		a.states[p] = s
	}
	for _, t := range a.form.tensors(&g.figures) {
		if s.tensors[t.name] == nil && t.make != nil {
			if x := t.make(p, g); x != nil {
				s.tensors[t.name] = x
			}
		}
	}
	return s
}

// String prints the optimizer as PyTorch does.
func (a *Algorithm) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (\n", a.form.class)
	for i, g := range a.groups {
		fmt.Fprintf(&b, "Parameter Group %d\n", i)
		g.print(&b)
		if i+1 < len(a.groups) {
			b.WriteString("\n")
		}
	}
	return b.String() + ")"
}

func (a *Algorithm) class() string { return a.form.class }
