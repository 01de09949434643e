package tensor_test

import (
	"cresset/internal/friend"
	"cresset/internal/op"
	"cresset/tensor"
)

// inner is what package tensor registers for nn and optim.
var inner = friend.Of[*tensor.Tensor]()

// sgdStep and adamStep are steps of one parameter.
func sgdStep(p, grad, momentum *tensor.Tensor, o op.SGD) {
	u := inner.NewUpdates()
	u.SGDStep(p, grad, momentum, o, nil)
	u.Run()
}

func adamStep(p, grad, mean, square *tensor.Tensor, o op.Adam) {
	u := inner.NewUpdates()
	u.AdamStep(p, grad, mean, square, o, nil)
	u.Run()
}

// updateStep is a step of an op whose IsUpdate is true.
func updateStep(o op.Op, numbers op.Update, p, grad *tensor.Tensor, kept ...*tensor.Tensor) {
	u := inner.NewUpdates()
	u.Step(o, numbers, p, grad, kept, nil)
	u.Run()
}

// unscaled is x, which changes, over a scale.
func unscaled(x *tensor.Tensor, scale float32) *tensor.Tensor {
	u, beside := inner.NewUpdates(), tensor.On(x.Device())
	u.Unscale(x, beside.Full(nil, scale), beside.Full(nil, float32(0)))
	u.Run()
	return x
}
