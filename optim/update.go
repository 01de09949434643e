package optim

import (
	"cresset/internal/friend"
	"cresset/internal/op"
	"cresset/tensor"
)

// update is what a step knows of one parameter.
type update struct {
	*state
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
