package tensor

import (
	"fmt"

	"cresset/device"
)

// RequiresGrad reports whether gradients are tracked through x.
func (x *Tensor) RequiresGrad() bool { return x.node != nil }

// SetRequiresGrad makes x a leaf to which Backward adds gradients, or stops that, and returns x. A leaf that stops keeps its
// gradient.
func (x *Tensor) SetRequiresGrad(on bool) *Tensor {
	x.current("requires_grad_")
	switch {
	case on == (x.node != nil):
	case !on && x.node.leaf == nil:
		fail("requires_grad_", ErrAutograd, "you can only change requires_grad flags of leaf variables. If you want to use a computed "+
			"variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().", x)
	case !on:
		x.freeze(x.node)
	case !x.dtype.IsFloat():
		fail("requires_grad_", ErrAutograd, "only Tensors of floating point dtype can require gradients", x)
	default:
		if !x.thaw() {
			x.node = &node{order: nodes.Add(1), layout: x.layout, leaf: &leaf{dtype: x.dtype, device: x.storage.device}}
		}
	}
	return x
}

// Parameter returns a leaf over t's storage that requires gradients and prints as a parameter. Over a value that a Scope
// owns it dies with the scope; Keep the value first.
func Parameter(t *Tensor) *Tensor {
	refuseNil("Parameter", "data", 1, t)
	if !t.dtype.IsFloat() {
		fail("Parameter", ErrAutograd, "Only Tensors of floating point and complex dtype can require gradients", t)
	}
	p := t.Detach()
	p.scope, p.parameter = nil, true
	return p.SetRequiresGrad(true)
}

// IsLeaf reports whether x was made by the caller rather than computed from tensors that track gradients.
func (x *Tensor) IsLeaf() bool { return x.node == nil || x.node.leaf != nil }

// GradFn returns the name that PyTorch prints for the op that made x, "AddmmBackward0"; empty for a leaf.
func (x *Tensor) GradFn() string {
	if x.IsLeaf() {
		return ""
	}
	return x.node.name()
}

// Grad returns the gradient that Backward accumulated in x: nil where there is none, and for a computed tensor unless
// RetainGrad was called on it.
func (x *Tensor) Grad() *Tensor {
	if n := x.leafNode(); n != nil {
		n.leaf.mu.Lock()
		defer n.leaf.mu.Unlock()
		n.leaf.own = false // the caller may keep it
		return n.leaf.grad
	}
	if x.node == nil {
		return nil
	}
	return x.node.hooks.retained()
}

// borrowGrad returns the gradient of a leaf for use until it is dropped: ZeroGrad gives the memory of one that was only
// borrowed back at once, and leaves that of one that Grad has returned to the collector. It is what optimizers use.
func (x *Tensor) borrowGrad() *Tensor {
	n := x.leafNode()
	if n == nil {
		return nil
	}
	n.leaf.mu.Lock()
	defer n.leaf.mu.Unlock()
	return n.leaf.grad
}

// SetGrad replaces the accumulated gradient; nil clears it. It panics where shape, dtype or device differ from x's.
func (x *Tensor) SetGrad(g *Tensor) {
	n := x.leafNode()
	if n == nil {
		fail("grad", ErrAutograd, "only a leaf that requires gradients holds one", x)
	}
	if g != nil {
		x.checkGrad(g)
		g = g.Detach()
		if g.scope != nil {
			g = g.outside()
		}
	}
	n.leaf.mu.Lock()
	defer n.leaf.mu.Unlock()
	n.leaf.replace(g)
}

// replace puts a gradient of the caller's, nil for none, in the place of the accumulated one.
func (l *leaf) replace(g *Tensor) {
	if l.own && l.grad != nil {
		l.grad.Release()
	}
	l.grad, l.own = g, false
}

func (x *Tensor) checkGrad(g *Tensor) {
	switch {
	case g == x:
		fail("grad", ErrAutograd, "can't assign Variable as its own grad", x)
	case g.dtype != x.dtype:
		fail("grad", ErrDType, fmt.Sprintf("attempting to assign a gradient with dtype '%s' to a tensor with dtype '%s'. Please ensure that the "+
			"gradient and the tensor have the same dtype", g.dtype.CppName(), x.dtype.CppName()), x, g)
	case g.storage.device != x.storage.device:
		failHint("grad", ErrDevice, gradDeviceText(g.storage.device, x.storage.device), placeHint([]argument{{"gradient", g}, {"parameter", x}}))
	case !g.layout.Shape().Equal(x.layout.Shape()):
		fail("grad", ErrShape, fmt.Sprintf("attempting to assign a gradient of size '%s' to a tensor of size '%s'. Please ensure that the "+
			"gradient and the tensor are the same size", g.layout.Shape().List(), x.layout.Shape().List()), x, g)
	}
}

// gradDeviceText says what is wrong with a gradient on one device for a tensor on another: the kinds of device or, where these
// agree, the indices.
func gradDeviceText(gradient, tensor device.Device) string {
	const advice = "Please ensure that the gradient and the tensor are on the same device"
	if gradient.Type() != tensor.Type() {
		return fmt.Sprintf("attempting to assign a gradient with device type '%s' to a tensor with device type '%s'. %s", gradient.Type(), tensor.Type(), advice)
	}
	from, _ := gradient.Index()
	to, _ := tensor.Index()
	return fmt.Sprintf("attempting to assign a gradient located on device with index '%d' to a tensor located on device with index '%d'. %s", from, to, advice)
}

// outside returns a copy of x that belongs to no scope.
func (x *Tensor) outside() *Tensor {
	return newTensor("clone", x.storage.device, x.dtype, x.layout.Shape()).copyFrom(x)
}

// ZeroGrad drops the accumulated gradient; the next Backward starts afresh.
func (x *Tensor) ZeroGrad() {
	if x.leafNode() != nil {
		x.SetGrad(nil)
	}
}

// SetData puts t's elements, dtype and device under x, which stays the same leaf: what is computed from x later sees
// them, and an accumulated gradient follows. Where the shape changes a Backward fails that leads to what x was, and one
// that would add to the old gradient.
func (x *Tensor) SetData(t *Tensor) {
	t = t.Detach()
	if t.scope != nil {
		t = t.outside()
	}
	n, frozen := x.leafNode(), x.node == nil
	if n != nil && frozen {
		x.thaw()
	}
	if placement.on.Load() {
		placement.renamed(x.storage, t.storage)
	}
	x.storage.linked().replaced++
	x.layout, x.storage, x.dtype, x.view = t.layout, t.storage, t.dtype, false
	x.history, x.rebased = t.history, t.rebased
	if n == nil {
		return
	}
	n.follow(x)
	if frozen {
		x.freeze(n)
	}
}

// follow makes a leaf's node, and its gradient, that of a tensor with other data.
func (n *node) follow(x *Tensor) {
	l := n.leaf
	l.mu.Lock()
	defer l.mu.Unlock()
	n.layout, l.dtype, l.device = x.layout, x.dtype, x.storage.device
	if l.grad != nil {
		l.grad.SetData(l.grad.To(l.device, l.dtype))
	}
}
