package tensor

import (
	"fmt"

	"cresset/internal/op"
)

// SGD holds the figures of one SGDStep. First is true in the step that starts the momentum.
type SGD = op.SGD

// Adam holds the figures of one AdamStep. Step counts from 1; Decoupled is AdamW's weight decay.
type Adam = op.Adam

// SGDStep updates the parameter p in place by its gradient; momentum is nil without momentum. It is what package optim is
// made of and is not recorded for gradients:
//
//	g += WeightDecay·p;  momentum = Momentum·momentum + (1-Dampening)·g
//	p -= LR·momentum     // LR·(g + Momentum·momentum) with Nesterov, LR·g without momentum
func SGDStep(p, grad, momentum *Tensor, o SGD) {
	outs := []*Tensor{p}
	if momentum != nil {
		outs = append(outs, momentum)
	}
	optimizerStep(op.SGDStep, o, outs, grad)
}

// AdamStep updates the parameter p in place by its gradient; mean and square are the running means of the gradient and of
// its square. It is not recorded for gradients:
//
//	mean += (1-Beta1)·(g-mean);  square = Beta2·square + (1-Beta2)·g²
//	p -= LR/(1-Beta1^Step) · mean / (√square/√(1-Beta2^Step) + Eps)
func AdamStep(p, grad, mean, square *Tensor, o Adam) {
	optimizerStep(op.AdamStep, o, []*Tensor{p, mean, square}, grad)
}

// optimizerStep runs a kernel that changes state, of which the first is the parameter, by its gradient.
func optimizerStep(o op.Op, params any, state []*Tensor, grad *Tensor) {
	p := state[0]
	for _, t := range append(state, grad) {
		t.alive()
		if !t.layout.Shape().Equal(p.layout.Shape()) || t.dtype != p.dtype {
			fail(o.String(), ErrShape, fmt.Sprintf("a gradient or state of %s%s does not fit a parameter of %s%s",
				t.dtype.Name(), t.layout.Shape().List(), p.dtype.Name(), p.layout.Shape().List()), p, grad)
		}
	}
	sameDevice(o.String(), append(state, grad)...)
	launch(o, p.dtype, params, state, []*Tensor{grad})
	for _, t := range state {
		t.storage.version++
	}
}
