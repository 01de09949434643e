package tensor

import (
	"math"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// Clamp returns min(max(x, low), high); NaN stays, and nil is a bound that does not limit, as a number that no integer of x's
// dtype reaches. Bounds are numbers, or tensors that are broadcast. The gradient passes where x is within the bounds, these
// included; elsewhere it goes to the bound that is a tensor.
func (x *Tensor) Clamp(low, high any) *Tensor {
	lowest, isTensor := low.(*Tensor)
	highest, areTensors := high.(*Tensor)
	if isTensor || areTensors {
		if low != nil && !isTensor || high != nil && !areTensors {
			fail("clamp", ErrValue, "clamp() takes two numbers or two tensors as bounds, not one of each", x, lowest, highest)
		}
		return x.clampTensors(lowest, highest)
	}
	t, p := x.bounds(low, high)
	if t == dtype.Bool {
		kernel := "clamp_scalar_cpu"
		switch {
		case !p.HasHigh:
			kernel = "clamp_min_scalar_cpu"
		case !p.HasLow:
			kernel = "clamp_max_scalar_cpu"
		}
		fail("clamp", ErrKernel, noKernel(kernel, t, x), x)
	}
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

// clampTensors is Clamp by tensors, of which one may be nil.
func (x *Tensor) clampTensors(low, high *Tensor) *Tensor {
	y := input(op.Clamp, x).t
	if low != nil && high != nil && x.dtype == dtype.Bool && low.dtype == dtype.Bool && high.dtype == dtype.Bool {
		fail("clamp", ErrKernel, noKernel("clamp_cpu", dtype.Bool, x), x, low, high)
	}
	for _, bound := range []struct {
		o op.Op
		t *Tensor
	}{{op.Maximum, low}, {op.Minimum, high}} {
		if bound.t != nil {
			a, b := operand{t: y}, operand{t: bound.t}
			t := commonType(a, b)
			y = binary(bound.o, a, b, t, t)
		}
	}
	record(y, op.ClampTensor, clampTensorsGrad, nil, x, low, high).save(x, low, high)
	return y
}

func clampTensorsGrad(b *backprop, dy *Tensor) {
	x, low, high := b.saved(0), b.saved(1), b.saved(2)
	switch {
	case high == nil:
		b.giveNeeded(0, func() *Tensor { return Where(x.Ge(low), dy, 0) })
		b.giveNeeded(1, func() *Tensor { return Where(x.Lt(low), dy, 0) })
	case low == nil:
		b.giveNeeded(0, func() *Tensor { return Where(x.Le(high), dy, 0) })
		b.giveNeeded(2, func() *Tensor { return Where(x.Gt(high), dy, 0) })
	default:
		b.giveNeeded(0, func() *Tensor { return Where(x.Ge(low).LogicalAnd(x.Le(high)), dy, 0) })
		b.giveNeeded(1, func() *Tensor { return Where(x.Lt(low).LogicalAnd(low.Lt(high)), dy, 0) })
		b.giveNeeded(2, func() *Tensor { return Where(x.Gt(high).LogicalOr(high.Lt(low)), dy, 0) })
	}
}
