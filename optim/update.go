package optim

import (
	"errors"

	"cresset/internal/friend"
	"cresset/internal/op"
	"cresset/tensor"
)

// update is what a step knows of one parameter.
type update struct {
	*state
	of       *Algorithm
	group    *Group
	param, p *tensor.Tensor // the parameter, and its elements untracked, where the step is made of ops
	grad     *tensor.Tensor
	lr       float64
	f        *figures
	steps    friend.Updates[*tensor.Tensor] // what runs kernels of steps
	began    bool                           // the momentum is new
	were     [2]float32                     // the state's numbers before the step
}

// Undo makes the state what it was before a step that a kernel has not run.
func (u *update) Undo() {
	u.step--
	copy(u.numbers, u.were[:])
	if u.began {
		delete(u.tensors, "momentum_buffer")
	}
}

// Redo makes the state what it is in view of the next step, and returns its numbers.
func (u *update) Redo() (numbers any, err error) {
	if u.of.states[u.param] != u.state {
		return nil, errReplaced
	}
	copy(u.were[:], u.numbers)
	u.step++
	u.lr = u.group.LR
	own, next := u.steps, new(noted)
	u.steps = next
	u.of.form.update(u)
	u.steps = own
	if u.began {
		u.Undo()
		return nil, errReplaced
	}
	return next.numbers, nil
}

// errReplaced is a graph with steps on memory that the optimizer does not use any more.
var errReplaced = errors.New("optim: a graph has the step of an optimizer whose state was replaced since; capture anew")

// Group returns the group of the parameter.
func (u *update) Group() any { return u.group }

// noted notes the numbers of a step instead of running it.
type noted struct {
	friend.Updates[*tensor.Tensor] // nil: forms of composed steps alone call the rest
	numbers                        any
}

func (n *noted) SGDStep(_, _, _ *tensor.Tensor, o op.SGD, _ friend.Undoer) { n.numbers = o }

func (n *noted) AdamStep(_, _, _, _ *tensor.Tensor, o op.Adam, _ friend.Undoer) { n.numbers = o }

func (n *noted) Step(_ op.Op, numbers op.Update, _, _ *tensor.Tensor, _ []*tensor.Tensor, _ friend.Undoer) {
	n.numbers = numbers
}

// run updates the parameter and what is kept of it under the names.
func (u *update) run(o op.Op, n op.Update, kept ...string) {
	all := make([]*tensor.Tensor, len(kept))
	for i, name := range kept {
		all[i] = u.tensors[name]
	}
	u.steps.Step(o, n, u.param, u.grad, all, u)
}

// numbersOf returns the numbers that optimizers share, of a step of a length.
func (u *update) numbersOf(step float64) op.Update {
	f := u.f
	n := op.Update{Rate: -step, Sign: 1, Shrink: 1, Eps: f.eps}
	if f.maximize {
		n.Sign = -1
	}
	if f.decoupled {
		n.Shrink = 1 - u.lr*f.weightDecay
	} else {
		n.Decay = f.weightDecay
	}
	return n
}

// ofMeans returns the numbers of a step of a length that keeps Adam's running means.
func (u *update) ofMeans(step float64) op.Update {
	n := u.numbersOf(step)
	n.Part, n.Share, n.Rest = 1-u.f.betas[0], u.f.betas[1], 1-u.f.betas[1]
	return n
}

// shrink is the weight decay that is decoupled.
func (u *update) shrink() {
	if u.f.weightDecay != 0 && u.f.decoupled {
		u.p.MulScalarInPlace(1 - u.lr*u.f.weightDecay)
	}
}

// blend moves x towards y by a part of the way.
func blend(x, y *tensor.Tensor, part float64) { x.AddScaledInPlace(y.Sub(x), part) }
