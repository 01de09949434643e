package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// In-place ops write the elements of x, which views and detached tensors see, and return x. Where no operand tracks
// gradients the kernel writes into x itself (overwrite); else the op makes a new tensor as always, whose elements and
// place in the graph of gradients x takes over (become). So every gradient is that of the op that is not in place.

// AddInPlace adds y, broadcast, to x.
func (x *Tensor) AddInPlace(y *Tensor) *Tensor { return x.update(op.Add, other(op.Add, y), add) }

// AddScalarInPlace adds v to x.
func (x *Tensor) AddScalarInPlace(v any) *Tensor { return x.update(op.Add, scalar(op.Add, v), add) }

// AddScaledInPlace adds alpha·y, broadcast, to x.
func (x *Tensor) AddScaledInPlace(y *Tensor, alpha any) *Tensor {
	x.mutable(op.Add, y)
	return x.become(op.Add, x.AddScaled(y, alpha))
}

// SubInPlace subtracts y, broadcast, from x.
func (x *Tensor) SubInPlace(y *Tensor) *Tensor { return x.update(op.Sub, other(op.Sub, y), sub) }

// SubScalarInPlace subtracts v from x.
func (x *Tensor) SubScalarInPlace(v any) *Tensor { return x.update(op.Sub, scalar(op.Sub, v), sub) }

// MulInPlace multiplies x by y, broadcast.
func (x *Tensor) MulInPlace(y *Tensor) *Tensor { return x.update(op.Mul, other(op.Mul, y), mul) }

// MulScalarInPlace multiplies x by v.
func (x *Tensor) MulScalarInPlace(v any) *Tensor { return x.update(op.Mul, scalar(op.Mul, v), mul) }

// DivInPlace divides x by y, broadcast. It panics where x holds integers.
func (x *Tensor) DivInPlace(y *Tensor) *Tensor { return x.update(op.Div, other(op.Div, y), div) }

// DivScalarInPlace divides x by v. It panics where x holds integers.
func (x *Tensor) DivScalarInPlace(v any) *Tensor { return x.update(op.Div, scalar(op.Div, v), div) }

// update does x = o(x, y).
func (x *Tensor) update(o op.Op, y operand, compute func(o op.Op, x, y operand) *Tensor) *Tensor {
	x.mutable(o, y.t)
	if x.overwrite(o, y) {
		return x
	}
	return x.become(o, compute(o, operand{t: x}, y))
}

// overwrite computes x = o(x, y) into x and reports whether it could: not where gradients are recorded, where y is larger
// than x, or where the op computes in another dtype.
func (x *Tensor) overwrite(o op.Op, y operand) bool {
	plain := x.dtype.IsFloat() || (x.dtype.IsInteger() && o != op.Div)
	plain = plain && !(o == op.Sub && y.isBool())
	if x.node != nil || !plain || commonType(operand{t: x}, y) != x.dtype {
		return false
	}
	if y.t != nil {
		if y.t.node != nil || !x.layout.Shape().Holds(y.t.layout.Shape()) {
			return false
		}
		if y.t.storage.device != x.storage.device && sameDevice(o.String(), x, y.t) != x.storage.device {
			return false
		}
		y.t = y.t.apart(x)
	}
	binaryInto(o, x, operand{t: x}, y, x.dtype)
	x.storage.version++
	return true
}

// apart returns y, or a copy where y looks at the memory of x in another way than x: its elements would change while they
// are read.
func (y *Tensor) apart(x *Tensor) *Tensor {
	if y.storage == x.storage && !sameView(y.layout, x.layout) {
		return y.unshared(x)
	}
	return y
}

// unshared returns y, or a copy where y looks at the memory of x, for ops that write x in another order than they read y.
func (y *Tensor) unshared(x *Tensor) *Tensor {
	if y.storage != x.storage {
		return y
	}
	return y.like(op.Clone, y.dtype).copyFrom(y)
}

func sameView(a, b *layout.Layout) bool {
	return a.Offset == b.Offset && a.Shape().Equal(b.Shape()) && Shape(a.Strides()).Equal(b.Strides())
}

// become gives x the elements of y, which an op on x computed, and y's place in the graph of gradients.
func (x *Tensor) become(o op.Op, y *Tensor) *Tensor {
	name := o.String()
	switch {
	case !y.layout.Shape().Equal(x.layout.Shape()):
		fail(name, ErrShape, fmt.Sprintf("output with shape %s doesn't match the broadcast shape %s", x.layout.Shape().List(), y.layout.Shape().List()), x)
	case !dtype.CanCast(y.dtype, x.dtype):
		fail(name, ErrDType, fmt.Sprintf("result type %s can't be cast to the desired output type %s", y.dtype.ScalarName(), x.dtype.ScalarName()), x)
	}
	if y.storage.device != x.storage.device {
		failDevices(name, y.storage.device, x.storage.device, argument{"x", x}, argument{"the result", y})
	}
	if y.node != nil {
		y.node.keepFrom(x)
	}
	x.copyFrom(y)
	x.storage.version++
	if y.node == nil {
		y.storage.discard()
		return x
	}
	if x.node != nil {
		y.node.hooks = x.node.hooks.moveRetained()
	}
	x.node = y.node
	x.rebase()
	return x
}

// keepFrom copies what the node saved of x, whose elements are about to change.
func (n *node) keepFrom(x *Tensor) {
	for i := range n.saved {
		if v := &n.saved[i]; v.value.storage == x.storage {
			kept := v.value.like(op.Clone, v.value.dtype)
			kept.copyFrom(&v.value)
			v.value, v.version = *kept, kept.storage.version
			v.value.scope = nil
		}
	}
}

// mutable panics where x must not be changed in place by an op with operand y, which may be nil.
func (x *Tensor) mutable(o op.Op, y *Tensor) {
	x.alive()
	name := o.String()
	x.current(name)
	if y != nil {
		y.current(name)
	}
	x.mayRecord(name, y)
	if !x.layout.IsContiguous() && x.layout.Overlaps() {
		fail(name, ErrShape, "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "+
			"Please clone() the tensor before performing the operation.", x)
	}
}

// mayRecord panics where gradients go through x, which an op with operand y, which may be nil, is to change, and could not go on.
func (x *Tensor) mayRecord(name string, y *Tensor) {
	if x.node == nil {
		if x.view && y != nil && y.node != nil {
			x.refuseView(name)
		}
		return
	}
	switch base := x.node.base(); {
	case x.node.leaf != nil:
		fail(name, ErrAutograd, "a leaf Variable that requires grad is being used in an in-place operation.", x)
	case base.leaf != nil:
		fail(name, ErrAutograd, "a view of a leaf Variable that requires grad is being used in an in-place operation.", x)
	case base != x.node:
		x.refuseView(name)
	}
}

func (x *Tensor) refuseView(name string) {
	failHint(name, ErrAutograd, "in-place operations on a view of a tensor that tracks gradients are not supported; "+
		"change the tensor itself, or make a new one", "Where, Cat and MaskedFill make new tensors; Detach cuts gradients off")
}

// base returns the node of the tensor that a chain of views was taken from.
func (n *node) base() *node {
	for n.leaf == nil && n.op.IsView() && n.edges[0].to != nil {
		n = n.edges[0].to
	}
	return n
}

// CopyInPlace copies src, broadcast, cast and moved to x's device, into x. Gradients flow to src.
func (x *Tensor) CopyInPlace(src *Tensor) *Tensor {
	refuseNil("copy_", "src", 2, src)
	x.mutable(op.CopyInPlace, src)
	src.alive()
	x.checkCovers(op.CopyInPlace, src)
	from := src.apart(x)
	switch far := from.storage.device != x.storage.device; {
	case far && !from.storage.device.IsMeta() && from.dtype == x.dtype && from.layout.Shape().Equal(x.layout.Shape()) && sameOrder(x.layout, x.layout):
		x.transfer(from, false) // at once, without a copy between
	case far:
		from = from.Detach().To(x.storage.device)
		fallthrough
	default:
		x.copyFrom(from.alias(from.layout.Expand(nil, x.layout.Shape())))
	}
	return x.changed(op.CopyInPlace, copyInPlaceGrad, x, src)
}

// changed notes that an op has written the elements of x, and records it.
func (x *Tensor) changed(o op.Op, back gradient, inputs ...*Tensor) *Tensor {
	x.storage.version++
	if record(x, o, back, nil, inputs...) != nil {
		x.rebase()
	}
	return x
}

func copyInPlaceGrad(b *backprop, dy *Tensor) {
	if b.needs(0) {
		zeroGrad(b, dy)
	}
	b.give(1, dy)
}

// checkCovers panics where another tensor does not broadcast to x's shape.
func (x *Tensor) checkCovers(o op.Op, from *Tensor) {
	common, err := layout.Broadcast(x.layout.Shape(), from.layout.Shape())
	check(o.String(), ErrShape, err, x, from)
	if !common.Equal(x.layout.Shape()) {
		fail(o.String(), ErrShape, fmt.Sprintf("output with shape %s doesn't match the broadcast shape %s", x.layout.Shape().List(), common.List()), x, from)
	}
}

// FillInPlace sets all elements of x to v, which must fit its dtype.
func (x *Tensor) FillInPlace(v any) *Tensor {
	x.mutable(op.Fill, nil)
	s := scalarOf("fill_", v)
	fits("fill_", s, x.dtype)
	x.fill(s)
	return x.changed(op.Fill, zeroGrad, x)
}

// ZeroInPlace sets all elements of x to zero.
func (x *Tensor) ZeroInPlace() *Tensor {
	x.mutable(op.Zero, nil)
	x.fill(backend.Scalar{})
	return x.changed(op.Zero, zeroGrad, x)
}

// NegInPlace replaces x by -x.
func (x *Tensor) NegInPlace() *Tensor { return x.replace(op.Neg, (*Tensor).Neg) }

// ExpInPlace replaces x by eˣ. It panics where x holds integers.
func (x *Tensor) ExpInPlace() *Tensor { return x.replace(op.Exp, (*Tensor).Exp) }

// SqrtInPlace replaces x by √x. It panics where x holds integers.
func (x *Tensor) SqrtInPlace() *Tensor { return x.replace(op.Sqrt, (*Tensor).Sqrt) }

// ReLUInPlace replaces x by max(x, 0).
func (x *Tensor) ReLUInPlace() *Tensor { return x.replace(op.ReLU, (*Tensor).ReLU) }

// TanhInPlace replaces x by its hyperbolic tangent. It panics where x holds integers.
func (x *Tensor) TanhInPlace() *Tensor { return x.replace(op.Tanh, (*Tensor).Tanh) }

// SigmoidInPlace replaces x by 1/(1 + e⁻ˣ). It panics where x holds integers.
func (x *Tensor) SigmoidInPlace() *Tensor { return x.replace(op.Sigmoid, (*Tensor).Sigmoid) }

// replace does x = o(x).
func (x *Tensor) replace(o op.Op, compute func(x *Tensor) *Tensor) *Tensor {
	if x != nil && (x.node != nil || !x.dtype.IsFloat()) {
		return x.replaceBy(o, compute)
	}
	x.mutable(o, nil)
	launch(o, x.dtype, nil, []*Tensor{x}, []*Tensor{x})
	x.storage.version++
	return x
}

// replaceBy does x = compute(x) for what may be several ops, of which messages name o. A result that shares x's memory is x itself.
func (x *Tensor) replaceBy(o op.Op, compute func(x *Tensor) *Tensor) *Tensor {
	x.mutable(o, nil)
	y := uncast(func(t []*Tensor) *Tensor { return compute(t[0]) }, x)
	if y.storage == x.storage {
		x.storage.version++
		return x
	}
	return x.become(o, y)
}

// ClampInPlace replaces x by min(max(x, low), high); nil is a bound that does not limit.
func (x *Tensor) ClampInPlace(low, high any) *Tensor {
	lowest, _ := low.(*Tensor)
	highest, _ := high.(*Tensor)
	x.mutable(op.Clamp, lowest)
	x.mutable(op.Clamp, highest)
	y := x.Clamp(low, high)
	if lowest == nil && highest == nil && !dtype.CanCast(y.dtype, x.dtype) {
		fail("clamp_", ErrDType, fmt.Sprintf("result type %s can't be cast to the desired output type %s", y.dtype.ScalarName(), x.dtype.CppName()), x)
	}
	return x.become(op.Clamp, y)
}

// PowInPlace replaces x by x to the power v.
func (x *Tensor) PowInPlace(v any) *Tensor {
	x.mutable(op.PowScalar, nil)
	return x.become(op.PowScalar, uncast(func(t []*Tensor) *Tensor { return t[0].Pow(v) }, x))
}

// MaskedFillInPlace puts v where mask is true; mask broadcasts to x.
func (x *Tensor) MaskedFillInPlace(mask *Tensor, v any) *Tensor {
	value := operandOf("masked_fill", v)
	x.mutable(op.MaskedFill, value.t)
	return x.become(op.MaskedFill, x.MaskedFill(mask, v))
}
