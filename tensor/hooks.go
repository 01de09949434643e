package tensor

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// hooks are what a caller attached to the gradient of a tensor.
type hooks struct {
	calls  []*func(*Tensor) *Tensor
	after  []*func() // of a leaf: called when its gradient has been added to what it had
	retain bool
	grad   *Tensor
}

// RegisterHook calls f with the gradient of x whenever a Backward computes it, in the order of registration. What f
// returns replaces the gradient unless it is nil. The returned function removes the hook.
func (x *Tensor) RegisterHook(f func(grad *Tensor) *Tensor) (remove func()) {
	x.current("register_hook")
	if x.node == nil {
		fail("register_hook", ErrAutograd, "cannot register a hook on a tensor that doesn't require gradient", x)
	}
	h := x.node.attach()
	h.calls = append(h.calls, &f)
	return func() {
		// A copy: the hook may remove itself while apply walks over the calls.
		h.calls = slices.DeleteFunc(slices.Clone(h.calls), func(g *func(*Tensor) *Tensor) bool { return g == &f })
	}
}

// RegisterPostAccumulateGradHook calls f with x, a leaf, whenever a Backward has added to its gradient, in the order of registration. The returned
// function removes the hook.
func (x *Tensor) RegisterPostAccumulateGradHook(f func(x *Tensor)) (remove func()) {
	const name = "register_post_accumulate_grad_hook"
	x.current(name)
	switch {
	case x.node == nil:
		fail(name, ErrAutograd, "cannot register a hook on a tensor that doesn't require gradient", x)
	case x.node.leaf == nil:
		fail(name, ErrAutograd, "post accumulate grad hooks cannot be registered on non-leaf tensors", x)
	}
	h, call := x.node.attach(), func() { f(x) }
	h.after = append(h.after, &call)
	waiters.Add(1)
	var once sync.Once
	return func() {
		once.Do(func() { waiters.Add(-1) })
		h.after = slices.DeleteFunc(slices.Clone(h.after), func(g *func()) bool { return g == &call })
	}
}

// accumulated calls the hooks that wait for a leaf's gradient, of which one that does not require it any more gets none.
func (n *node) accumulated() {
	if n.hooks == nil || n.leaf.frozen.Load() {
		return
	}
	for _, call := range n.hooks.after {
		(*call)()
	}
}

// RetainGrad makes Backward keep the gradient of x, a computed tensor, for Grad.
func (x *Tensor) RetainGrad() {
	x.current("retain_grad")
	if x.node == nil {
		fail("retain_grad", ErrAutograd, "can't retain_grad on Tensor that has requires_grad=False", x)
	}
	if x.node.leaf == nil {
		x.node.attach().retain = true
	}
}

func (n *node) attach() *hooks {
	if n.hooks == nil {
		n.hooks = &hooks{}
	}
	return n.hooks
}

// apply passes dy through the hooks. From here on the collector owns its memory: a hook may have kept it.
func (h *hooks) apply(dy *Tensor, creates bool) *Tensor {
	if h == nil || len(h.calls) == 0 && !h.retain {
		return dy
	}
	dy.storage.holds = 0
	for _, call := range h.calls {
		if g := (*call)(dy); g != nil {
			checkHooked(dy, g)
			if dy = g; !creates {
				dy = g.Detach()
			}
		}
	}
	if h.retain {
		if h.grad == nil {
			h.grad = dy
		} else {
			h.grad = h.grad.Add(dy)
		}
	}
	return dy
}

// checkHooked panics where g, which a hook returned for dy, is of another kind.
func checkHooked(dy, g *Tensor) {
	switch {
	case g.dtype != dy.dtype || g.storage.device != dy.storage.device:
		fail("hook", ErrDType, fmt.Sprintf("hook has changed the type of value (was %s got %s)", dy.typeName(), g.typeName()), g, dy)
	case !g.layout.Shape().Equal(dy.layout.Shape()):
		fail("hook", ErrShape, "hook has changed the size of value", g, dy)
	}
}

// typeName is PyTorch's short name of a tensor's type, "CPUFloatType".
func (x *Tensor) typeName() string {
	return strings.ToUpper(x.storage.device.Type().String()) + x.dtype.ScalarName() + "Type"
}

// moveRetained ends what RetainGrad asked for, and returns it for the node that takes the tensor's place: other hooks stay
// with the gradient that they were made for.
func (h *hooks) moveRetained() *hooks {
	if h == nil || !h.retain {
		return nil
	}
	moved := &hooks{retain: true, grad: h.grad}
	h.retain, h.grad = false, nil
	return moved
}

func (h *hooks) retained() *Tensor {
	if h == nil {
		return nil
	}
	return h.grad
}
