package tensor

import (
	"fmt"
	"math"

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

// Clamp returns min(max(x, low), high); NaN stays, and nil is a bound that does not limit, as one that no integer of x's
// dtype reaches. The gradient passes where x is within the bounds, these included.
func (x *Tensor) Clamp(low, high any) *Tensor {
	t, p := x.bounds(low, high)
	y := x.cast(t)
	out := y.like(op.Clamp, t)
	if math.IsNaN(p.Low) || math.IsNaN(p.High) {
		out.fill(backend.Scalar{F: math.NaN(), Kind: backend.FloatScalar})
	} else {
		launch(op.Clamp, t, p, []*Tensor{out}, []*Tensor{y})
	}
	record(out, op.Clamp, clampGrad, p, x).save(x)
	return out
}

// bounds reads the bounds of a Clamp of x and returns the dtype of the result.
func (x *Tensor) bounds(low, high any) (dtype.DType, op.Bounds) {
	if low == nil && high == nil {
		fail("clamp", ErrValue, "torch.clamp: At least one of 'min' or 'max' must not be None", x)
	}
	var common dtype.Promotion
	operand{t: x}.promote(&common)
	var p op.Bounds
	var lowest, highest backend.Scalar
	if low != nil {
		lowest, p.HasLow = scalarOf("clamp", low), true
		operand{s: lowest}.promote(&common)
	}
	if high != nil {
		highest, p.HasHigh = scalarOf("clamp", high), true
		operand{s: highest}.promote(&common)
	}
	t := common.Result()
	if r, ok := ranges[t]; ok {
		lowest.I, highest.I = max(lowest.I, r.low), min(highest.I, r.high)
		if lowest.I > r.high || highest.I < r.low {
			overflows("clamp", r.name)
		}
	}
	fits("clamp", lowest, t)
	fits("clamp", highest, t)
	p.Low, p.High, p.IntLow, p.IntHigh = lowest.Float(), highest.Float(), lowest.Int(), highest.Int()
	return t, p
}

func clampGrad(b *backprop, dy *Tensor) {
	x, p := b.saved(0), b.params().(op.Bounds)
	var inside *Tensor
	if p.HasLow {
		inside = x.GeScalar(p.Low)
	}
	if p.HasHigh {
		below := x.LeScalar(p.High)
		if inside == nil {
			inside = below
		} else {
			inside = inside.LogicalAnd(below)
		}
	}
	b.give(0, Where(inside, dy, 0))
}

// Where returns x where cond is true, else y, broadcast. Both are tensors or numbers and meet in their common dtype.
func Where(cond *Tensor, x, y any) *Tensor {
	a, b := operandOf("where", x), operandOf("where", y)
	refuseNil("where", "condition", 1, cond)
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

// MaskedFill returns x with v where mask is true, broadcast. v must fit x's dtype; it loses its fraction where that is an
// integer.
func (x *Tensor) MaskedFill(mask *Tensor, v any) *Tensor {
	s := scalarOf("masked_fill", v)
	refuseNil("masked_fill", "input", 1, x)
	refuseNil("masked_fill", "mask", 2, mask)
	if mask.dtype != dtype.Bool {
		fail("masked_fill", ErrDType, "masked_fill_ only supports boolean masks, but got mask with dtype "+mask.dtype.CppName(), x, mask)
	}
	if home, dev := x.storage.device, mask.storage.device; dev != home {
		failHint("masked_fill", ErrDevice, fmt.Sprintf("expected self and mask to be on the same device, but got mask on %s and self on %s", dev, home),
			placeHint([]argument{{"self", x}, {"mask", mask}}))
	}
	fits("masked_fill", s, x.dtype)
	out := choose(op.MaskedFill, mask, operand{s: s}, operand{t: x}, x.dtype)
	record(out, op.MaskedFill, maskedFillGrad, nil, x).save(mask)
	return out
}

func maskedFillGrad(b *backprop, dy *Tensor) { b.give(0, dy.MaskedFill(b.saved(0), 0)) }

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
