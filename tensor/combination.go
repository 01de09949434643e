package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// Lerp returns x + weight·(end - x), broadcast. The weight is a number or a tensor; tensors are floats of one dtype.
func (x *Tensor) Lerp(end *Tensor, weight any) *Tensor {
	const name = "lerp"
	a, b, w := input(op.Lerp, x), operand{t: end}, operandOf(name, weight)
	refuseNil(name, "end", 2, end)
	checkSameType(name, "end", x, end)
	kernel, o := "lerp_kernel_tensor", op.Lerp
	if w.t != nil {
		checkSameType(name, "weight", x, w.t)
	} else {
		kernel, o = "lerp_kernel_scalar", op.LerpScalar
	}
	refuseIntegers(name, kernel, x, end)
	out := combined(op.Lerp, x.dtype, nil, a, b, w)
	record(out, o, lerpGrad, w.s, x, end, w.t).save(w.t, end.neededByTensor(w.t), x.neededByTensor(w.t))
	return out
}

// LerpInPlace replaces x by its Lerp, which moves a running average towards end.
func (x *Tensor) LerpInPlace(end *Tensor, weight any) *Tensor {
	w, _ := weight.(*Tensor)
	return x.combineInPlace(op.Lerp, end, w, func(x *Tensor) *Tensor { return x.Lerp(end, weight) })
}

// combineInPlace does x = compute(x), which has operands y and z; they may be nil.
func (x *Tensor) combineInPlace(o op.Op, y, z *Tensor, compute func(x *Tensor) *Tensor) *Tensor {
	x.mutable(o, y)
	x.mutable(o, z)
	return x.become(o, compute(x))
}

// neededByTensor is neededBy a tensor that may be nil.
func (x *Tensor) neededByTensor(y *Tensor) *Tensor {
	if y == nil {
		return nil
	}
	return x.neededBy(y)
}

func lerpGrad(b *backprop, dy *Tensor) {
	w := b.saved(0)
	if w == nil {
		v := b.params().(backend.Scalar).Float()
		b.giveNeeded(0, func() *Tensor { return dy.MulScalar(1 - v) })
		b.giveNeeded(1, func() *Tensor { return dy.MulScalar(v) })
		return
	}
	b.giveNeeded(0, func() *Tensor { return dy.Mul(w.RSubScalar(1)) })
	b.giveNeeded(1, func() *Tensor { return dy.Mul(w) })
	b.giveNeeded(2, func() *Tensor { return dy.Mul(b.saved(1).Sub(b.saved(2))) })
}

func checkSameType(name, role string, x, y *Tensor) {
	if x.dtype != y.dtype {
		fail(name, ErrDType, fmt.Sprintf("expected dtype %s for `%s` but got dtype %s", x.dtype.CppName(), role, y.dtype.CppName()), x, y)
	}
}

// AddCMul returns x + value·y·z, broadcast. For integers value loses its fraction. It panics for bools.
func (x *Tensor) AddCMul(y, z *Tensor, value any) *Tensor {
	return x.addCombined(op.AddCMul, addCMulGrad, y, z, value)
}

// AddCMulInPlace adds value·y·z, broadcast, to x.
func (x *Tensor) AddCMulInPlace(y, z *Tensor, value any) *Tensor {
	return x.combineInPlace(op.AddCMul, y, z, func(x *Tensor) *Tensor { return x.AddCMul(y, z, value) })
}

func addCMulGrad(b *backprop, dy *Tensor) {
	y, z, value := b.saved(0), b.saved(1), b.params().(op.Number).A
	b.give(0, dy)
	b.giveNeeded(1, func() *Tensor { return dy.Mul(z.MulScalar(value)) })
	b.giveNeeded(2, func() *Tensor { return dy.Mul(y.MulScalar(value)) })
}

// AddCDiv returns x + value·y/z, broadcast. It panics where all are integers.
func (x *Tensor) AddCDiv(y, z *Tensor, value any) *Tensor {
	if x != nil && y != nil && z != nil && !y.dtype.IsFloat() && !z.dtype.IsFloat() {
		fail("addcdiv", ErrDType, "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all dtypes.", x, y, z)
	}
	return x.addCombined(op.AddCDiv, addCDivGrad, y, z, value)
}

// AddCDivInPlace adds value·y/z, broadcast, to x.
func (x *Tensor) AddCDivInPlace(y, z *Tensor, value any) *Tensor {
	return x.combineInPlace(op.AddCDiv, y, z, func(x *Tensor) *Tensor { return x.AddCDiv(y, z, value) })
}

func addCDivGrad(b *backprop, dy *Tensor) {
	y, z, value := b.saved(0), b.saved(1), b.params().(op.Number).A
	b.give(0, dy)
	b.giveNeeded(1, func() *Tensor { return dy.Mul(z.Reciprocal().MulScalar(value)) })
	b.giveNeeded(2, func() *Tensor { return dy.Neg().Mul(y.MulScalar(value).Div(z.Mul(z))) })
}

func (x *Tensor) addCombined(o op.Op, back gradient, y, z *Tensor, value any) *Tensor {
	name := o.String()
	a := input(o, x)
	refuseNil(name, "tensor1", 2, y)
	refuseNil(name, "tensor2", 3, z)
	v := scalarOf(name, value)
	var p dtype.Promotion
	for _, t := range []operand{a, {t: y}, {t: z}} {
		t.promote(&p)
	}
	t := p.Result()
	fits(name, v, t)
	params := op.Number{A: v.Float()}
	out := combined(o, t, params, a, operand{t: y}, operand{t: z})
	record(out, o, back, params, x, y, z).save(y, z)
	return out
}

// combined computes an elementwise op of three operands that are cast to dt and broadcast.
func combined(o op.Op, dt dtype.DType, params any, operands ...operand) *Tensor {
	shape := Shape{}
	for _, a := range operands {
		if a.t != nil {
			s, err := layout.Broadcast(shape, a.t.layout.Shape())
			check(o.String(), ErrShape, err, operands[0].t, operands[1].t, operands[2].t)
			shape = s
		}
	}
	return ternary(o, dt, shape, params, operands[0], operands[1], operands[2])
}
