package optim

import (
	"iter"

	"cresset/tensor"
)

// form is what sets one kind of optimizer apart from the others in a state dict.
type form struct {
	settings func(f *figures) []setting // of a group, but for its learning rate
	check    func(f *figures)           // refuses figures that make no sense
	counts   bool                       // keeps the number of steps of each parameter
	tensors  func(f *figures) []string  // what is kept of each parameter, in its shape
}

// base is what all optimizers of this package are made of: groups of parameters, and what they keep of each from step to step.
type base struct {
	groups []*Group
	form   *form
	states map[*tensor.Tensor]*state
}

// state is what an optimizer keeps of a parameter: its tensors are in the order of form.tensors.
type state struct {
	step    int
	tensors []*tensor.Tensor
}

// newBase returns what an optimizer of the parameters is made of.
func newBase(f *form, ps iter.Seq2[string, *tensor.Tensor], settings figures) base {
	g := NewGroup(ps, settings.lr)
	f.check(&settings)
	g.figures = settings
	return base{[]*Group{g}, f, make(map[*tensor.Tensor]*state)}
}

// Groups returns the parameters with their learning rates.
func (b *base) Groups() []*Group { return b.groups }

// ZeroGrad drops the gradients of all parameters.
func (b *base) ZeroGrad() {
	for _, g := range b.groups {
		g.ZeroGrad()
	}
}

// copied returns a base like b, without its state, of what of returns for each parameter.
func (b *base) copied(of func(p *tensor.Tensor) *tensor.Tensor) base {
	out := base{make([]*Group, len(b.groups)), b.form, make(map[*tensor.Tensor]*state)}
	for i, g := range b.groups {
		c := *g
		c.Params = make([]*tensor.Tensor, len(g.Params))
		for k, p := range g.Params {
			c.Params[k] = of(p)
		}
		out.groups[i] = &c
	}
	return out
}

// steps calls update for each parameter that has a gradient, with that and its group.
func (b *base) steps(update func(p, grad *tensor.Tensor, g *Group)) {
	for _, g := range b.groups {
		for _, p := range g.Params {
			if grad := inner.BorrowGrad(p); grad != nil {
				update(p, grad, g)
			}
		}
	}
}

// of returns the state of a parameter of a group. Where there is none yet it is made of what like returns for the parameter.
func (b *base) of(p *tensor.Tensor, g *Group, like func(*tensor.Tensor) *tensor.Tensor) (s *state, first bool) {
	s = b.states[p]
	if s != nil {
		return s, false
	}
	s = new(state)
	for range b.form.tensors(&g.figures) {
		s.tensors = append(s.tensors, like(p))
	}
	b.states[p] = s
	return s, true
}
