package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// Maximum returns the larger of x and y, broadcast; NaN where either is. Operands that are equal share the gradient.
func (x *Tensor) Maximum(y *Tensor) *Tensor { return x.pairwise(op.Maximum, y) }

// Minimum returns the smaller of x and y, broadcast; NaN where either is. Operands that are equal share the gradient.
func (x *Tensor) Minimum(y *Tensor) *Tensor { return x.pairwise(op.Minimum, y) }

func (x *Tensor) pairwise(o op.Op, y *Tensor) *Tensor {
	a, b := input(o, x), other(o, y)
	t := commonType(a, b)
	out := binary(o, a, b, t, t)
	record(out, o, pairwiseGrad, nil, x, y).save(x, y)
	return out
}

func pairwiseGrad(b *backprop, dy *Tensor) {
	less, more := b.saved(0), b.saved(1) // input 0 gets nothing where less < more, input 1 nothing where less > more
	if b.current.op == op.Minimum {
		less, more = more, less
	}
	shared := Where(less.Eq(more), dy.DivScalar(2), dy)
	b.giveNeeded(0, func() *Tensor { return shared.MaskedFill(less.Lt(more), 0) })
	b.giveNeeded(1, func() *Tensor { return shared.MaskedFill(less.Gt(more), 0) })
}

// Where returns x where cond is true, else y, broadcast. Both are tensors or numbers and meet in their common dtype.
func Where(cond *Tensor, x, y any) *Tensor {
	a, b := operandOf("where", x), operandOf("where", y)
	refuseNil("where", "condition", 1, cond)
	if cond.dtype == dtype.Uint8 {
		cond = cond.Bool() // PyTorch takes bytes as masks too
	}
	if cond.dtype != dtype.Bool {
		fail("where", ErrDType, "where expected condition to be a boolean tensor, but got a tensor with dtype "+cond.dtype.ScalarName(), cond, a.t, b.t)
	}
	out := choose(op.Where, cond, a, b, commonType(a, b))
	record(out, op.Where, whereGrad, nil, a.t, b.t).save(cond)
	return out
}

func whereGrad(b *backprop, dy *Tensor) {
	cond := b.saved(0)
	b.giveNeeded(0, func() *Tensor { return Where(cond, dy, 0) })
	b.giveNeeded(1, func() *Tensor { return Where(cond, 0, dy) })
}

// MaskedFill returns x with v, a number or a tensor without axes, where mask is true, broadcast. v must fit x's dtype; it loses its
// fraction where that is an integer.
func (x *Tensor) MaskedFill(mask *Tensor, v any) *Tensor {
	value := operandOf("masked_fill", v)
	refuseNil("masked_fill", "input", 1, x)
	refuseNil("masked_fill", "mask", 2, mask)
	if mask.dtype != dtype.Bool {
		fail("masked_fill", ErrDType, "masked_fill_ only supports boolean masks, but got mask with dtype "+mask.dtype.CppName(), x, mask)
	}
	if home, dev := x.storage.device, mask.storage.device; dev != home {
		failHint("masked_fill", ErrDevice, fmt.Sprintf("expected self and mask to be on the same device, but got mask on %s and self on %s", dev, home),
			placeHint([]argument{{"self", x}, {"mask", mask}}))
	}
	x.fitsFill("masked_fill", value)
	out := choose(op.MaskedFill, mask, value, operand{t: x}, x.dtype)
	record(out, op.MaskedFill, maskedFillGrad, nil, x, value.t).save(mask)
	return out
}

// fitsFill panics where a value cannot fill elements of x.
func (x *Tensor) fitsFill(name string, value operand) {
	if value.t == nil {
		fits(name, value.s, x.dtype)
	} else if rank := value.t.layout.Rank(); rank > 0 {
		fail(name, ErrShape, fmt.Sprintf("%s_ only supports a 0-dimensional value tensor, but got tensor with %d dimension(s).", name, rank), x, value.t)
	}
}

// maskedFillGrad is the gradient of x where a mask is false, and of the value where it is true.
func maskedFillGrad(b *backprop, dy *Tensor) {
	mask := b.saved(0)
	b.giveNeeded(0, func() *Tensor { return dy.MaskedFill(mask, 0) })
	b.giveNeeded(1, func() *Tensor { return Where(mask, dy, 0).Sum() })
}

// choose computes x where cond is true, else y, in the dtype common.
func choose(o op.Op, cond *Tensor, x, y operand, common dtype.DType) *Tensor {
	name := o.String()
	shape := cond.layout.Shape()
	for _, t := range []*Tensor{x.t, y.t} {
		if t != nil {
			s, err := layout.Broadcast(shape, t.layout.Shape())
			check(name, ErrShape, err, cond, x.t, y.t)
			shape = s
		}
	}
	dev := sameDevice(name, cond, x.t, y.t)
	out := newResult(name, dev, common, layout.Fresh(shape...), cond, x.t, y.t)
	test := operand{t: cond}
	test.convert(dtype.Bool)
	x.convert(common)
	y.convert(common)
	c := backend.NewCall(op.Where, common)
	out.writtenBy(c)
	test.readBy(c, out, dtype.Bool)
	x.readBy(c, out, common)
	y.readBy(c, out, common)
	run(c, out, cond, x.t, y.t)
	return out
}
