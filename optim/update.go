package optim

import (
	"cresset/internal/friend"
	"cresset/tensor"
)

// update is what a step knows of one parameter.
type update struct {
	*state
	param, p *tensor.Tensor // the parameter, and its elements untracked, which fused kernels do without
	grad     *tensor.Tensor
	lr       float64
	f        *figures
	steps    friend.Updates[*tensor.Tensor] // what runs fused kernels
	began    bool                           // the momentum is new
}

// Undo makes the state what it was before a step that a fused kernel has not run.
func (u *update) Undo() {
	u.step--
	if u.began {
		delete(u.tensors, "momentum_buffer")
	}
}

// direction returns the gradient, negated to maximize, with the weight decay that is not decoupled. It is only to be read.
func (u *update) direction() *tensor.Tensor {
	g := u.grad
	if u.f.maximize {
		g = g.Neg()
	}
	if u.f.weightDecay != 0 && !u.f.decoupled {
		g = g.AddScaled(u.p, u.f.weightDecay)
	}
	return g
}

// shrink is the weight decay that is decoupled.
func (u *update) shrink() {
	if u.f.weightDecay != 0 && u.f.decoupled {
		u.p.MulScalarInPlace(1 - u.lr*u.f.weightDecay)
	}
}

// blend moves x towards y by a part of the way.
func blend(x, y *tensor.Tensor, part float64) { x.AddScaledInPlace(y.Sub(x), part) }

// average keeps a share of the running mean x of squares, and takes the rest of y².
func average(x, y *tensor.Tensor, share float64) {
	x.MulScalarInPlace(share).AddScaledInPlace(y.Mul(y), 1-share)
}

// moments moves Adam's running means of the gradient and of its square.
func (u *update) moments(g *tensor.Tensor) (mean, square *tensor.Tensor) {
	mean, square = u.tensors["exp_avg"], u.tensors["exp_avg_sq"]
	blend(mean, g, 1-u.f.betas[0])
	average(square, g, u.f.betas[1])
	return mean, square
}
