package tensor

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// SetIndex does x[i, j, …] = value in place and returns x. The indices are those of Index; value is a number, or a tensor that
// broadcasts to what Index returns, is cast to x's dtype and moved to its device. Where places repeat the last value stays. Gradients
// flow to value, and to the elements of x that stay.
func (x *Tensor) SetIndex(value any, indices ...any) *Tensor {
	refuseNil("index_put_", "self", 1, x)
	v := operandOf("index_put_", value)
	x.refuseLeaf(indices)
	x.mutable(op.SetIndex, v.t)
	s := x.setting(v, indices)
	if !tracked(x, v.t) {
		s.into(x)
		x.storage.version++
		return x
	}
	out := x.like(op.SetIndex, x.dtype).copyFrom(x)
	s.into(out)
	record(out, op.SetIndex, setIndexGrad, s.setPlan, x, v.t).save(s.index)
	return x.become(op.SetIndex, out)
}

// refuseLeaf panics where x is a leaf that requires gradients, as PyTorch words it: an integer, a slice or a new axis is a view that
// an assignment changes, tensors alone are places of x itself.
func (x *Tensor) refuseLeaf(indices []any) {
	if x.node == nil || x.node.leaf == nil {
		return
	}
	whole := x.Detach().alias(layout.Contiguous(x.layout.Shape()))
	if part, _ := whole.subscript(indices); !sameView(part.layout, whole.layout) {
		fail("index_put_", ErrAutograd, "a view of a leaf Variable that requires grad is being used in an in-place operation.", x)
	}
}

// setPlan says where a SetIndex writes: in a part of a contiguous tensor, where nothing else is said to all of it.
type setPlan struct {
	part    layout.Layout
	put     putPlan
	partial bool // at places of the part that tensors name
}

// setting is a plan with what it needs.
type setting struct {
	setPlan
	indices []any
	tensors []*Tensor
	value   *Tensor
	index   *Tensor
}

// setting checks the operands of a SetIndex.
func (x *Tensor) setting(v operand, indices []any) *setting {
	whole := x.Detach()
	packed := whole.alias(layout.Contiguous(x.layout.Shape())) // whose memory is not looked at
	part, tensors := packed.subscript(indices)
	s := &setting{setPlan: setPlan{part: *part.layout, partial: tensors != nil}, indices: indices, tensors: tensors}
	if v.t == nil {
		fits("index_put_", v.s, x.dtype)
		s.value = x.empty(op.Fill, x.dtype, Shape{}).fill(v.s)
	} else {
		s.value = v.t.Detach().To(x.storage.device, x.dtype).Reshape(withoutLeading(v.t.layout.Shape())...)
	}
	if tensors != nil {
		p := part.putting(tensors, s.value, false)
		s.put, s.index = p.putPlan, p.index
	} else {
		s.value = s.value.Expand(part.layout.Shape()...)
	}
	return s
}

// withoutLeading drops the leading extents of 1, which an assignment does not count.
func withoutLeading(shape Shape) Shape {
	for len(shape) > 0 && shape[0] == 1 {
		shape = shape[1:]
	}
	return shape
}

// into writes to out, which has the shape for which the plan was made.
func (s *setting) into(out *Tensor) {
	out = out.Detach()
	part, _ := out.subscript(s.indices)
	if !s.partial {
		part.copyFrom(s.value.apart(part))
		return
	}
	p := putting{s.put, s.index}
	p.into(part, s.value.unshared(out))
}

func setIndexGrad(b *backprop, dy *Tensor) {
	p, index := b.params().(setPlan), b.saved(0)
	b.giveNeeded(0, func() *Tensor {
		written := dy.zerosAs(dtype.Bool, dy.layout.Shape())
		truth := dy.zerosAs(dtype.Bool, Shape{}).fill(backend.Scalar{I: 1, Kind: backend.BoolScalar})
		part := written.alias(p.part)
		if p.partial {
			places := putting{p.put, index}
			places.into(part, truth)
		} else {
			part.copyFrom(truth.Expand(part.layout.Shape()...))
		}
		return Where(written, 0, dy)
	})
	b.giveNeeded(1, func() *Tensor {
		g := dy.cutAt(p.part)
		if p.partial {
			g = g.Reshape(p.put.whole...).pickRavelled(ravelled{p.put.indexPlan, index, p.put.shape})
		}
		return g.sumTo(withoutLeading(b.input(1))).Reshape(b.input(1)...)
	})
}
