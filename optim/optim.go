// Package optim updates the parameters of models by their gradients, as torch.optim does.
package optim

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"cresset/internal/friend"
	"cresset/tensor"
)

// Optimizer is what training loops and schedules need of an optimizer. Those of this package are optimizers, and whatever else has
// these three methods.
type Optimizer interface {
	// Step updates every parameter that has a gradient.
	Step()
	// ZeroGrad drops the gradients of all parameters.
	ZeroGrad()
	// Groups returns the parameters with their learning rates, which Step reads and schedules change.
	Groups() []*Group
}

// Group holds parameters that are updated alike: one of PyTorch's param_groups.
type Group struct {
	Params []*tensor.Tensor
	LR     float64 // the learning rate of the steps that follow

	form        *form // what settings there are; nil in NewGroup's
	figures     figures
	initial     float64
	scheduled   bool               // initial is known
	scheduledBy map[string]float64 // what else schedules keep, by schedulesKeep
}

// NewGroup returns a group of the parameters, for example nn.Parameters(net). It panics where there are none, where one is not
// a leaf, and where the learning rate is negative or NaN.
func NewGroup(ps iter.Seq2[string, *tensor.Tensor], lr float64) *Group {
	nonNegative("learning rate", lr)
	g := &Group{LR: lr}
	for _, p := range ps {
		if !p.IsLeaf() {
			refuse(tensor.ErrAutograd, "can't optimize a non-leaf Tensor")
		}
		g.Params = append(g.Params, p)
	}
	if len(g.Params) == 0 {
		refuse(tensor.ErrValue, "optimizer got an empty parameter list")
	}
	return g
}

// InitialLR returns the learning rate from which schedules start: what LR was when the first of them was made.
func (g *Group) InitialLR() float64 {
	if !g.scheduled {
		g.initial, g.scheduled = g.LR, true
	}
	return g.initial
}

// ZeroGrad drops the gradients of the parameters.
func (g *Group) ZeroGrad() {
	for _, p := range g.Params {
		p.ZeroGrad()
	}
}

// inner is what package tensor registers for optimizers.
var inner = friend.Of[*tensor.Tensor]()

// refuse panics with PyTorch's text, as every wrong use of tensors does.
func refuse(kind error, text string) {
	panic(&tensor.Error{Op: "optimizer", Kind: kind, Err: errors.New(text)})
}

// nonNegative refuses a negative or NaN figure: "Invalid learning rate: -1".
func nonNegative(what string, v float64) {
	if v >= 0 {
		return
	}
	text := fmt.Sprint(v)
	if what == "learning rate" { // which is no whole number in most programs
		text = python(v)
	}
	refuse(tensor.ErrValue, "Invalid "+what+": "+text)
}

// notNaN refuses a learning rate that is NaN.
func notNaN(lr float64) {
	if math.IsNaN(lr) {
		refuse(tensor.ErrValue, "Invalid learning rate: nan")
	}
}
