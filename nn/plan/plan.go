// Package plan tells how much memory of a GPU a training step takes before anything is moved there, and on which of the
// present GPUs that fits.
//
//	net := nn.NewSequential(nn.NewLinear(784, 4096), nn.NewReLU(), nn.NewLinear(4096, 10))
//	opt := optim.NewAdam(nn.Parameters(net))
//	e, err := plan.Fits(net, opt, images, labels)
//	fmt.Println(e)
//
// The step is really made, on a copy of the model on the meta device: its tensors have shapes but no elements, and its
// kernels do nothing, but every request for memory is the one that a GPU would see. So the figures are those of a GPU to the
// byte, whatever the model is made of, and a model may be larger than the machine: nn.On(device.Meta) makes one without memory.
// The model, its gradients, the optimizer and all random numbers stay as they are.
//
// What is told is a step that begins with ZeroGrad and whose intermediate results are given back when it ends, as a
// data.Loader with Scopes does it. Without scopes a GPU also holds what the collector has not found yet: up to 32 MiB, or half
// of the rest if that is more; or less, where the collector finds results that a scope would hold. Neither is a reason not to
// fit: the allocator collects before it runs out. On a GPU that has been used before, requests may be met by larger blocks that
// the allocator has kept.
package plan

import (
	"errors"
	"fmt"

	"cresset/device"
	"cresset/internal/backend/cuda"
	"cresset/nn"
	"cresset/optim"
	"cresset/smi"
	"cresset/tensor"
)

// Fits estimates a training step and says on which of the machine's GPUs it fits. The batch is the input, whose results are
// summed to be the loss, or the input and its labels, for tensor.CrossEntropy. Where there are no GPUs, the estimate comes
// together with a *smi.Error; where no estimate can be made, the error is an *Error.
func Fits(model nn.Module, opt optim.Optimizer, batch ...*tensor.Tensor) (*Estimate, error) {
	e, err := Step(model, opt, batch, usual)
	if err != nil {
		return nil, err
	}
	return e, e.Find()
}

// Find fills in GPUs: where the step fits among those that are present.
func (e *Estimate) Find() error {
	inventory, err := smi.Take()
	if inventory != nil {
		e.GPUs = e.On(inventory.GPUs)
		for i := range e.GPUs {
			e.GPUs[i].Simulated = inventory.Simulated
		}
	}
	return err
}

// usual is the loss of Fits.
func usual(model nn.Module, batch []*tensor.Tensor) *tensor.Tensor {
	switch y := model.Forward(batch[0]); len(batch) {
	case 1:
		return y.Sum()
	case 2:
		return tensor.CrossEntropy(y, batch[1])
	default:
		panic(&tensor.Error{Op: "plan", Kind: tensor.ErrValue,
			Err: fmt.Errorf("a batch of Fits is the input, or the input and its labels, but got %d tensors; Step takes any", len(batch))})
	}
}

// Step estimates a training step of any model and loss, which is called with copies of the model and of the batch. Of the
// batch only shapes and dtypes are looked at. The modules are in training or evaluation mode as they are. An optimizer of nil
// leaves the update out; one of the caller's own needs a method Copy as that of optim.Algorithm. Options are those of Backward. The error is an *Error.
func Step[M any](model M, opt optim.Optimizer, batch []*tensor.Tensor, loss func(model M, batch []*tensor.Tensor) *tensor.Tensor, options ...tensor.BackwardOption) (*Estimate, error) {
	if len(batch) == 0 {
		return nil, &Error{errors.New("a step needs a batch")}
	}
	gpu, closeMeta, err := cuda.NewMeta()
	if err != nil {
		return nil, &Error{err}
	}
	defer closeMeta()
	dev, err := device.New("meta", gpu.Index())
	if err != nil {
		return nil, &Error{err}
	}
	e := new(Estimate)
	err = tensor.Try(func() {
		copies := metaCopiesOf(model, tensor.On(dev))
		net := nn.Copy(model, copies.of)
		r := &rehearsal{gpu: gpu, copies: copies, batch: batch, options: options}
		r.loss = func(batch []*tensor.Tensor) *tensor.Tensor { return loss(net, batch) }
		if opt != nil {
			r.optimizer = copied(opt, copies.add)
		}
		*e = r.run()
	})
	if err != nil {
		return nil, &Error{err}
	}
	return e, nil
}

// copied returns an optimizer like opt of what of returns for each of its parameters.
func copied(opt optim.Optimizer, of func(p *tensor.Tensor) *tensor.Tensor) optim.Optimizer {
	c, ok := opt.(interface {
		Copy(of func(p *tensor.Tensor) *tensor.Tensor) optim.Optimizer
	})
	if !ok {
		panic(&tensor.Error{Op: "plan", Kind: tensor.ErrValue, Err: fmt.Errorf("a plan steps a copy of the optimizer, and %T has no method Copy as optim.Algorithm has", opt)})
	}
	return c.Copy(of)
}

// Error says why a step cannot be estimated: mostly the *tensor.Error with which the step itself would fail.
type Error struct{ Err error }

// Error returns the cause.
func (e *Error) Error() string { return "plan: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Hint says what helps, as far as that is known.
func (e *Error) Hint() string {
	var cause interface{ Hint() string }
	switch {
	case errors.Is(e.Err, tensor.ErrMeta):
		return "the step looks at elements, by Item, Values or Float64 for example, and a plan knows shapes alone: leave that out of what Step is given"
	case errors.As(e.Err, &cause):
		return cause.Hint()
	}
	return ""
}
