package tensor

import (
	"fmt"

	"cresset/internal/op"
)

// sgdStep updates the parameter p in place by its gradient; momentum is nil without momentum. It is not recorded for
// gradients:
//
//	g += WeightDecay·p;  momentum = Momentum·momentum + (1-Dampening)·g
//	p -= LR·momentum     // LR·(g + Momentum·momentum) with Nesterov, LR·g without momentum
func sgdStep(p, grad, momentum *Tensor, o op.SGD) {
	outs := []*Tensor{p}
	if momentum != nil {
		outs = append(outs, momentum)
	}
	optimizerStep(op.SGDStep, o, outs, grad)
}

// adamStep updates the parameter p in place by its gradient; mean and square are the running means of the gradient and of
// its square. It is not recorded for gradients:
//
//	mean += (1-Beta1)·(g-mean);  square = Beta2·square + (1-Beta2)·g²
//	p -= LR/(1-Beta1^Step) · mean / (√square/√(1-Beta2^Step) + Eps)
func adamStep(p, grad, mean, square *Tensor, o op.Adam) {
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
