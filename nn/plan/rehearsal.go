package plan

import (
	"cresset/internal/backend/cuda"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// rehearsal is a training step on a meta device that nobody else uses.
type rehearsal struct {
	gpu       *cuda.Meta
	copies    *copies
	batch     []*tensor.Tensor
	loss      func(batch []*tensor.Tensor) *tensor.Tensor
	options   []tensor.BackwardOption
	optimizer optim.Optimizer // nil for none
	estimate  Estimate
}

// run makes two steps: the first makes the optimizer's state, which the second begins with, as all later ones do.
func (r *rehearsal) run() Estimate {
	e := &r.estimate
	e.Parameters = r.held()
	r.step()
	r.copies.zeroGrad()
	r.gpu.Settle()
	r.step()
	held := r.gpu.Settle()
	r.copies.zeroGrad()
	rest := r.gpu.Settle()
	e.Gradients, e.OptimizerState = held-rest, rest-e.Parameters
	e.Reserved = r.gpu.Stats().ReservedBytes[cuda.All].Peak
	return *e
}

// step makes one step and gives back what it has computed.
func (r *rehearsal) step() {
	s := tensor.NewScope()
	defer s.Close()
	before := r.held()
	batch := make([]*tensor.Tensor, len(r.batch))
	for i, t := range r.batch {
		replica := r.copies.place.As(t.DType()).Empty(t.Shape()...)
		defer replica.Release()
		batch[i] = s.Enter(replica)
	}
	r.estimate.Batch = r.held() - before
	var loss *tensor.Tensor
	r.estimate.Activations = r.phase("forward", func() { loss = r.loss(batch) })
	r.phase("backward", func() { loss.Backward(r.options...) })
	if r.optimizer != nil {
		r.phase("update", r.optimizer.Step)
	}
}

// phase makes a part of a step, notes whether memory peaks in it, and returns the bytes by which more is held afterwards.
func (r *rehearsal) phase(name string, f func()) (grown int64) {
	before := r.held()
	r.gpu.ResetPeakStats()
	f()
	after, e := r.held(), &r.estimate
	if peak := r.gpu.Memory().Peak; peak > e.Peak {
		e.Peak, e.Phase, e.Workspace = peak, name, peak-max(before, after)
	}
	return after - before
}

// held returns the bytes that tensors hold.
func (r *rehearsal) held() int64 { return r.gpu.Memory().Allocated }

// copies are tensors on the meta device that stand for others.
type copies struct {
	place tensor.Place
	known map[*tensor.Tensor]*tensor.Tensor
}

// metaCopiesOf returns copies of a model's parameters and buffers.
func metaCopiesOf(model any, place tensor.Place) *copies {
	w := &copies{place: place, known: make(map[*tensor.Tensor]*tensor.Tensor)}
	for _, p := range nn.Parameters(model) {
		w.add(p)
	}
	for _, b := range nn.Buffers(model) {
		w.add(b)
	}
	return w
}

// add returns the replica of t, which it makes where there is none.
func (w *copies) add(t *tensor.Tensor) *tensor.Tensor {
	if replica, ok := w.known[t]; ok {
		return replica
	}
	replica := w.place.As(t.DType()).Empty(t.Shape()...)
	if t.RequiresGrad() {
		replica = tensor.Parameter(replica)
	}
	w.known[t] = replica
	return replica
}

// of returns the replica of t, or t itself where it has none: it is no part of the model's state.
func (w *copies) of(t *tensor.Tensor) *tensor.Tensor {
	if replica, ok := w.known[t]; ok {
		return replica
	}
	return t
}

// zeroGrad drops the gradients.
func (w *copies) zeroGrad() {
	for _, replica := range w.known {
		replica.ZeroGrad()
	}
}
