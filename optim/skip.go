package optim

import (
	"cresset/device"
	"cresset/internal/friend"
	"cresset/tensor"
)

// skippable is a step on GPUs that changes nothing where a flag there is not 0. Whether it did the host learns with the next step, when the
// device is long past it: until then numbers of steps, and what else the host keeps, may be one too high.
type skippable struct {
	flag    *tensor.Tensor // on its way to the host
	updates []*update
	graph   friend.Capture // in which the step is, nil for none
}

// stepUnless is Step that changes nothing where flag, on a GPU, is not 0. It waits for the device of the step before alone.
func (a *Algorithm) stepUnless(flag *tensor.Tensor) {
	a.settle()
	on := make(map[device.Device]*tensor.Tensor)
	var kept []*update
	a.flags = func(dev device.Device) *tensor.Tensor {
		if on[dev] == nil {
			on[dev] = flag.To(dev)
		}
		return on[dev]
	}
	defer func() {
		a.flags = nil
		a.steps.SkipWhere(nil)
	}()
	a.run(func(u *update) { kept = append(kept, u) })
	for _, u := range kept {
		u.grad = nil
	}
	s := &skippable{flag.To(device.CPU, tensor.NonBlocking(true)), kept, a.capturing()}
	a.latest = s
	if s.graph != nil {
		s.graph.Host(func() error { a.latest = s; return nil }, func() { a.latest = nil })
	}
}

// settle takes back what was counted for a step that was skipped.
func (a *Algorithm) settle() {
	s := a.latest
	switch {
	case s == nil:
		return
	case s.graph != nil && s.graph == a.capturing():
		refuseCaptured(s.graph, "a second step that may be skipped, of which the host learns after the replay", "capture one step, and replay it twice")
	}
	a.latest = nil
	if inner.Arrived(s.flag).Float64() == 0 {
		return
	}
	for _, u := range s.updates {
		u.Undo()
	}
}
