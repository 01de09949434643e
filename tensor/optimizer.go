package tensor

import (
	"fmt"
	"sync/atomic"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/friend"
	"cresset/internal/layout"
	"cresset/internal/op"
	"cresset/internal/profile"
)

// updates are the steps of an optimizer, each of one parameter. On a device that updates many parameters by one launch they wait
// for others of the same settings and dtype until Run; elsewhere they run at once.
type updates struct {
	batches []batch // the first used hold steps; all keep what devices know of parameters
	used    int
	skip    *Tensor // on GPUs, says that steps change nothing; nil for none
}

// batch is steps that run by one launch.
type batch struct {
	op     op.Op
	params any
	group  any // of steps in a graph, whose params must change alike
	on     backend.Backend
	runner backend.Updates
	calls  []*backend.Call
	steps  []updateStep
}

// updateStep is a step that waits: state changes, of which the first is the parameter.
type updateStep struct {
	state []*Tensor
	grad  *Tensor
	undo  friend.Undoer
	more  []*Tensor // what a kernel reads besides
}

// SGDStep updates the parameter p in place by its gradient; momentum is nil without momentum. It is not recorded for
// gradients:
//
//	g += WeightDecay·p;  momentum = Momentum·momentum + (1-Dampening)·g
//	p -= LR·momentum     // LR·(g + Momentum·momentum) with Nesterov, LR·g without momentum
func (u *updates) SGDStep(p, grad, momentum *Tensor, o op.SGD, undo friend.Undoer) {
	state := []*Tensor{p}
	if momentum != nil {
		state = append(state, momentum)
	}
	u.add(op.SGDStep, o, updateStep{state: state, grad: grad, undo: undo})
}

// AdamStep updates the parameter p in place by its gradient; mean and square are the running means of the gradient and of
// its square. It is not recorded for gradients:
//
//	mean += (1-Beta1)·(g-mean);  square = Beta2·square + (1-Beta2)·g²
//	p -= LR/(1-Beta1^Step) · mean / (√square/√(1-Beta2^Step) + Eps)
func (u *updates) AdamStep(p, grad, mean, square *Tensor, o op.Adam, undo friend.Undoer) {
	u.add(op.AdamStep, o, updateStep{state: []*Tensor{p, mean, square}, grad: grad, undo: undo})
}

// Step updates the parameter p, and what is kept of it, in place by its gradient, as the row of o in internal/kgen/recipe says. It is
// not recorded for gradients.
func (u *updates) Step(o op.Op, numbers op.Update, p, grad *Tensor, kept []*Tensor, undo friend.Undoer) {
	u.add(o, numbers, updateStep{state: append([]*Tensor{p}, kept...), grad: grad, undo: undo})
}

// SkipWhere makes steps on GPUs change nothing where flag, a float32 on the device of their parameters, is not 0 when they run there; nil
// ends that.
func (u *updates) SkipWhere(flag *Tensor) { u.skip = flag }

// Unscale divides a gradient in place by scale and sets found to 1 where an element is not finite: both are float32 and beside it. On a GPU
// that waits until Run.
func (u *updates) Unscale(grad, scale, found *Tensor) {
	s := updateStep{state: []*Tensor{grad}, grad: grad}
	if _, ok := grad.storage.backend.(backend.Updater); ok {
		s.more = []*Tensor{scale, found}
		u.add(op.UnscaleGrad, op.Unscale{}, s)
		return
	}
	var raised atomic.Bool
	u.add(op.UnscaleGrad, op.Unscale{Inverse: 1 / scale.Float64(), Raised: &raised}, s)
	if raised.Load() {
		found.fill(backend.Scalar{I: 1, Kind: backend.IntScalar})
		found.storage.version++
	}
}

// Norms returns the 2-norms of gradients of one GPU as float64, each rounded to its dtype as by Norm; nil elsewhere, and for other dtypes than floats. It runs what waits.
func (u *updates) Norms(grads []*Tensor) *Tensor {
	defer u.Drop() // what a panic has left
	own := make([]*Tensor, len(grads))
	for i, g := range grads {
		if _, ok := g.storage.backend.(backend.Updater); !ok || !g.dtype.IsFloat() {
			return nil
		}
		own[i] = g.Detach().autocast(op.Norm).Contiguous()
	}
	l := layout.Contiguous(Shape{len(own)})
	norms := newResult(op.GradNorm.String(), own[0].storage.device, dtype.Float64, &l, own[0], own[1:]...)
	for i, g := range own {
		s := updateStep{state: []*Tensor{norms.Select(0, i)}, grad: g}
		u.wait(callOf(op.GradNorm, g.dtype, nil, s.state, []*Tensor{g}), nil, s)
	}
	u.Run()
	return norms
}

// Clip multiplies a gradient in place by most/(norm+1e-6), where that is less than 1; norm is a float64 beside it. On a GPU that waits until Run.
func (u *updates) Clip(grad, norm *Tensor, most float64) {
	if _, ok := grad.storage.backend.(backend.Updater); !ok {
		if by := most / (norm.Float64() + 1e-6); !(by >= 1) {
			grad.MulScalarInPlace(by)
		}
		return
	}
	u.add(op.ClipGrad, op.Clip{Most: most}, updateStep{state: []*Tensor{grad}, grad: grad, more: []*Tensor{norm}})
}

// add runs a step, or lets it wait with those like it. A step that panics is undone.
func (u *updates) add(o op.Op, params any, s updateStep) {
	added := false
	defer func() {
		if !added && s.undo != nil {
			s.undo.Undo()
		}
	}()
	u.try(o, params, s)
	added = true
}

// try is add, without what follows a panic.
func (u *updates) try(o op.Op, params any, s updateStep) {
	s.check(o)
	p := s.state[0]
	if _, ok := p.storage.backend.(backend.Updater); !ok {
		launch(o, p.dtype, params, s.state, []*Tensor{s.grad})
		s.changed()
		return
	}
	if u.skip != nil {
		s.more = []*Tensor{u.skip}
	}
	c := callOf(o, p.dtype, params, s.state, append([]*Tensor{s.grad}, s.more...))
	var group any
	if s.undo != nil && captureOf(p) != nil {
		c.Stepper, group = s.undo, s.undo.Group()
	}
	u.wait(c, group, s)
}

// wait has the call of a step wait with those like it.
func (u *updates) wait(c *backend.Call, group any, s updateStep) {
	on := s.state[0].storage.backend
	b := u.batchFor(c, group, on, on.(backend.Updater))
	b.calls, b.steps = append(b.calls, c), append(b.steps, s)
}

// check panics where the tensors do not fit one another.
func (s *updateStep) check(o op.Op) {
	p, all := s.state[0], append(s.state, s.grad)
	for _, t := range all {
		t.alive()
		if !t.layout.Shape().Equal(p.layout.Shape()) || t.dtype != p.dtype {
			fail(o.String(), ErrShape, fmt.Sprintf("a gradient or state of %s%s does not fit a parameter of %s%s",
				t.dtype.Name(), t.layout.Shape().List(), p.dtype.Name(), p.layout.Shape().List()), p, s.grad)
		}
	}
	sameDevice(o.String(), all...)
}

// changed notes that the step has run.
func (s *updateStep) changed() {
	for _, t := range s.state {
		t.storage.version++
	}
}

// batchFor returns the batch that a call belongs to. A new one takes the place of that which was new at the same time in the step
// before, which most likely was of the same parameters.
func (u *updates) batchFor(c *backend.Call, group any, on backend.Backend, updater backend.Updater) *batch {
	for i := range u.batches[:u.used] {
		if b := &u.batches[i]; b.op == c.Op && b.on == on && b.calls[0].DType == c.DType && b.params == c.Params && b.group == group {
			return b
		}
	}
	if u.used == len(u.batches) {
		u.batches = append(u.batches, batch{})
	}
	b := &u.batches[u.used]
	u.used++
	if b.on != on {
		b.on, b.runner = on, updater.NewUpdates()
	}
	b.op, b.params, b.group = c.Op, c.Params, group
	return b
}

// Run runs the steps that wait. After a panic those that have not run still wait: Drop forgets them.
func (u *updates) Run() {
	for i := range u.batches[:u.used] {
		u.batches[i].run()
	}
	u.used = 0
}

// Drop undoes what was done in view of the steps that wait, and forgets them. It does nothing where there are none.
func (u *updates) Drop() {
	for i := range u.batches[:u.used] {
		b := &u.batches[i]
		for k := len(b.steps) - 1; k >= 0; k-- {
			if undo := b.steps[k].undo; undo != nil {
				undo.Undo()
			}
		}
		b.forget(len(b.steps))
	}
	u.used = 0
}

// run runs the steps of a batch.
func (b *batch) run() {
	what, hint := "run the step of an optimizer", "step behind the compiled function"
	if b.op == op.GradNorm || b.op == op.ClipGrad {
		what, hint = "clip gradients", "clip them behind the compiled function"
	}
	for _, s := range b.steps {
		s.grad.refuseRecorded(b.op.String(), what, hint)
	}
	f := profile.BeginOp(b.calls[0])
	done, err := b.runner.Run(b.calls)
	f.End()
	for i := range b.steps[:done] {
		b.steps[i].changed()
	}
	if err != nil {
		s := b.steps[done]
		b.forget(done)
		checkDone(b.op.String(), err, append(s.state, s.grad)...)
	}
	if watching.Load() != 0 {
		b.underived()
	}
	b.forget(done)
}

// underived tells the parameters whose gradients have records of their own that the steps have none.
func (b *batch) underived() {
	for _, s := range b.steps {
		for _, t := range s.state {
			t.underived(b.op, s.grad)
		}
	}
}

// forget gives back the first n calls.
func (b *batch) forget(n int) {
	for _, c := range b.calls[:n] {
		c.Release()
	}
	left := copy(b.calls, b.calls[n:])
	clear(b.calls[left:])
	copy(b.steps, b.steps[n:])
	clear(b.steps[left:])
	b.calls, b.steps = b.calls[:left], b.steps[:left]
}
