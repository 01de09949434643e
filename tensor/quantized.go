package tensor

import (
	"fmt"
	"slices"

	"cresset/dtype"
	"cresset/internal/op"
)

// quantizedLinear returns x·Wᵀ + bias over the last axis of x, of a weight whose form op.Quantized describes. Its gradient for x is that of a layer with the weight that
// the numbers stand for, also where x is rounded to int8: a straight-through estimate. The weight has none. In float64 it is the layer with that weight.
func (x *Tensor) quantizedLinear(q op.Quantized, weight, scale, zero, bias *Tensor) *Tensor {
	const name = "quantized_linear"
	refuseNil(name, "input", 1, x)
	if a := autocastOf(x, bias); a != nil {
		x, bias = a.two("linear", x, bias)
	}
	x.checkQuantized(q, weight, scale, zero, bias)
	if x.dtype == dtype.Float64 && !q.Dynamic {
		if x.scope != nil { // which is to own what is made of the weight
			weight = x.scope.enter(weight)
			scale = x.scope.enter(scale)
		}
		return x.Contiguous().Linear(dequantized(q, weight, scale, zero).cast(dtype.Float64), bias)
	}
	shape := x.layout.Shape()
	n, k := weight.layout.Shape()[0], shape[len(shape)-1]
	rows, _ := shape[:len(shape)-1].NumEl()
	flat := x.Reshape(rows, k)
	out := flat.empty(op.QuantizedLinear, x.dtype, Shape{rows, n}, weight, scale, zero, bias)
	launch(op.QuantizedLinear, x.dtype, q, []*Tensor{out}, []*Tensor{flat, weight, scale.cast(dtype.Float32), zero, bias})
	record(out, op.QuantizedLinear, quantizedLinearGrad, q, flat, bias).save(weight, scale, zero)
	if len(shape) == 2 {
		return out
	}
	return out.View(append(append(Shape{}, shape[:len(shape)-1]...), n)...)
}

// checkQuantized panics where operands do not fit.
func (x *Tensor) checkQuantized(q op.Quantized, weight, scale, zero, bias *Tensor) {
	const name = "quantized_linear"
	operands := func() []*Tensor {
		return slices.DeleteFunc([]*Tensor{x, weight, scale, zero, bias}, func(t *Tensor) bool { return t == nil })
	}
	for _, t := range [...]*Tensor{weight, scale, zero, bias} {
		if t != nil && t.storage.device != x.storage.device {
			failDevices(name, x.storage.device, t.storage.device, argument{"input", x}, argument{"weight", weight}, argument{"bias", bias})
		}
	}
	if x.layout.Rank() == 0 {
		fail(name, ErrShape, "both arguments to linear need to be at least 1D, but they are 0D and 2D", operands()...)
	}
	shape := x.layout.Shape()
	k, of := shape[len(shape)-1], weight.layout.Shape()
	in := of[1]
	if q.Bits == 4 {
		in *= 8
	}
	if k != in {
		rows, _ := shape[:len(shape)-1].NumEl()
		fail(name, ErrShape, fmt.Sprintf("mat1 and mat2 shapes cannot be multiplied (%dx%d and %dx%d)", rows, k, in, of[0]), operands()...)
	}
	if bias != nil && bias.dtype != x.dtype {
		fail(name, ErrDType, fmt.Sprintf("mat1 and bias must have the same dtype, but got %s and %s", x.dtype.ScalarName(), bias.dtype.ScalarName()), operands()...)
	}
}

func quantizedLinearGrad(b *backprop, dy *Tensor) {
	q := b.params().(op.Quantized)
	b.giveNeeded(0, func() *Tensor { return dy.MM(dequantized(q, b.saved(0), b.saved(1), b.saved(2)).cast(dy.dtype)) })
	b.giveNeeded(1, func() *Tensor { return dy.SumAxes([]int{0}) })
}

// dequantized returns the weight [n, k] that the numbers of a quantized one stand for, in float32.
func dequantized(q op.Quantized, weight, scale, zero *Tensor) *Tensor {
	scale = scale.Detach().cast(dtype.Float32)
	if q.Bits == 8 {
		return weight.cast(dtype.Float32).Mul(scale)
	}
	n, groups := weight.layout.Shape()[0], scale.layout.Shape()[1]
	numbers := weight.nibbles(-1).View(n, groups, q.Group)
	if zero == nil {
		numbers = numbers.SubScalar(8)
	} else {
		if weight.scope != nil {
			zero = weight.scope.enter(zero)
		}
		numbers = numbers.Sub(zero.nibbles(1).Reshape(-1, groups).Narrow(0, 0, n).Unsqueeze(-1))
	}
	return numbers.cast(dtype.Float32).Mul(scale.Unsqueeze(-1)).View(n, groups*q.Group)
}

// nibbles returns the eight numbers from 0 to 15 of each word of int32, along a new axis.
func (x *Tensor) nibbles(axis int) *Tensor {
	shape := Shape{8}
	if axis == 1 {
		shape = Shape{8, 1}
	}
	shifts := On(x.storage.device).As(dtype.Int32).Arange(0, 32, 4).View(shape...)
	defer shifts.Release()
	return x.Detach().Unsqueeze(axis).BitwiseRightShift(shifts).BitwiseAndScalar(15)
}
