// Package optim updates the parameters of models by their gradients, as torch.optim does.
package optim

import (
	"errors"
	"fmt"
	"iter"

	"cresset/tensor"
)

// Optimizer is what training loops, schedules and plans need of SGD and Adam.
type Optimizer interface {
	// Step updates every parameter that has a gradient.
	Step()
	// ZeroGrad drops the gradients of all parameters.
	ZeroGrad()
	// LR returns the learning rate.
	LR() float64
	// SetLR changes the learning rate for the steps that follow.
	SetLR(lr float64)
	// InitialLR returns the learning rate from which schedules start: what LR was when the first of them was made.
	InitialLR() float64
	// Copy returns an optimizer like this one, without its state, of what of returns for each of its parameters.
	Copy(of func(p *tensor.Tensor) *tensor.Tensor) Optimizer
}

// params are the leaves that an optimizer updates.
type params []*tensor.Tensor

// collect reads the parameters, with PyTorch's errors for none and for results of computations.
func collect(ps iter.Seq2[string, *tensor.Tensor]) params {
	var out params
	for _, p := range ps {
		if !p.IsLeaf() {
			refuse(tensor.ErrAutograd, "can't optimize a non-leaf Tensor")
		}
		out = append(out, p)
	}
	if len(out) == 0 {
		refuse(tensor.ErrValue, "optimizer got an empty parameter list")
	}
	return out
}

// ZeroGrad drops the gradients of all parameters.
func (ps params) ZeroGrad() {
	for _, p := range ps {
		p.ZeroGrad()
	}
}

// copied returns what of returns for each of the parameters.
func (ps params) copied(of func(p *tensor.Tensor) *tensor.Tensor) params {
	out := make(params, len(ps))
	for i, p := range ps {
		out[i] = of(p)
	}
	return out
}

// refuse panics with PyTorch's text, as every wrong use of tensors does.
func refuse(kind error, text string) {
	panic(&tensor.Error{Op: "optimizer", Kind: kind, Err: errors.New(text)})
}

// nonNegative refuses a negative or NaN figure: "Invalid learning rate: -1".
func nonNegative(what string, v float64) {
	if !(v >= 0) {
		refuse(tensor.ErrValue, fmt.Sprintf("Invalid %s: %v", what, v))
	}
}
