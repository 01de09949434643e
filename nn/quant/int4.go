package quant

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/op"
	"cresset/nn"
	"cresset/tensor"
)

// Int4WeightOnly rounds groups of GroupSize neighbours of a row of a weight to 4 bits: w ≈ (q - z)·s, with q and z from 0 to 15, s = (max(w, 0) - min(w, 0))/15 in float32,
// z = round(-min(w, 0)/s) and q = round(w/s) + z, halves to even: affine quantization by the extremes of a group, as torchao's Int4WeightOnlyConfig and compressed-tensors have it.
// With Symmetric z is 8 and s = max|w|/7. Sums over eight neighbours are exact (see Int8WeightOnly), and are added up in float32.
type Int4WeightOnly struct {
	GroupSize int // 32, 64 or 128, which divides the inputs of a layer; 0 stands for 128
	Symmetric bool
}

// String returns torchao's name.
func (c Int4WeightOnly) String() string {
	if c.Symmetric {
		return fmt.Sprintf("Int4WeightOnly(group_size=%d, symmetric)", c.group())
	}
	return fmt.Sprintf("Int4WeightOnly(group_size=%d)", c.group())
}

func (c Int4WeightOnly) group() int {
	if c.GroupSize == 0 {
		return 128
	}
	return c.GroupSize
}

func (c Int4WeightOnly) check(in int) error {
	switch g := c.group(); {
	case g != 32 && g != 64 && g != 128:
		return fmt.Errorf("group_size must be 32, 64 or 128, not %d", g)
	case in%g != 0:
		return fmt.Errorf("in_features %d is not divisible by group_size %d", in, g)
	}
	return nil
}

// Int4Weight is a weight of 4 bits with a scale and a zero point for each group. Its names in a state, and the order of bits, are those of compressed-tensors.
type Int4Weight struct {
	Packed    *tensor.Tensor `nn:"weight_packed,buffer"`     // int32 [out, in/8]: eight numbers a word, the first in the lowest bits
	Scale     *tensor.Tensor `nn:"weight_scale,buffer"`      // float32 [out, groups]
	ZeroPoint *tensor.Tensor `nn:"weight_zero_point,buffer"` // int32 [out/8 rounded up, groups]: those of eight rows a word; nil where all are 8
	Shape     *tensor.Tensor `nn:"weight_shape,buffer"`      // int64: out, in

	how Int4WeightOnly
}

func (c Int4WeightOnly) quantize(w *tensor.Tensor) nn.QuantizedWeight {
	q := c.make(w.Size(0), w.Size(1), tensor.On(w.Device()))
	if w.NumEl() == 0 {
		return q
	}
	groups := w.Unflatten(1, -1, c.group()) // [out, groups, GroupSize]
	var scale, zero *tensor.Tensor
	if c.Symmetric {
		scale = groups.Abs().AMax([]int{2}, true).DivScalar(7)
	} else {
		least := groups.AMin([]int{2}, true).Clamp(nil, 0)
		scale = groups.AMax([]int{2}, true).Clamp(0, nil).Sub(least).DivScalar(15)
		zero = least.Neg()
	}
	scale = tensor.Where(scale.EqScalar(0), tensor.OnesLike(scale), scale)
	if zero == nil {
		zero = tensor.FullLike(scale, 8)
	} else {
		zero = zero.Div(scale).Round().Clamp(0, 15)
		q.ZeroPoint.CopyInPlace(packed(zero.SqueezeAxis(2).Transpose(0, 1)).Transpose(0, 1))
	}
	q.Packed.CopyInPlace(packed(groups.Div(scale).Round().Add(zero).Clamp(0, 15).Flatten(1, 2)))
	q.Scale.CopyInPlace(scale.SqueezeAxis(2))
	return q
}

// packed returns words of eight neighbours along the last axis, which are from 0 to 15; those that are not there are 0.
func packed(x *tensor.Tensor) *tensor.Tensor {
	n := x.Size(1)
	if rest := n % 8; rest > 0 {
		x = x.Pad([]int{0, 8 - rest}, 0)
	}
	shifts := tensor.On(x.Device()).As(dtype.Int32).Arange(0, 32, 4)
	return x.To(dtype.Int32).Unflatten(1, -1, 8).BitwiseLeftShift(shifts).SumAxes([]int{2}).To(dtype.Int32)
}

func (c Int4WeightOnly) empty(out, in int, place tensor.Place) nn.QuantizedWeight {
	return c.make(out, in, place)
}

func (c Int4WeightOnly) make(out, in int, place tensor.Place) *Int4Weight {
	groups := in / c.group()
	q := &Int4Weight{
		Packed: place.As(dtype.Int32).Empty(out, in/8), Scale: place.As(dtype.Float32).Empty(out, groups),
		Shape: place.As(dtype.Int64).Empty(2), how: Int4WeightOnly{c.group(), c.Symmetric},
	}
	if !c.Symmetric {
		q.ZeroPoint = place.As(dtype.Int32).Empty((out+7)/8, groups)
	}
	if !q.Shape.Device().IsMeta() {
		q.Shape.CopyInPlace(tensor.Of([]int64{int64(out), int64(in)}))
	}
	return q
}

func (w *Int4Weight) op() op.Quantized { return op.Quantized{Bits: 4, Group: w.how.group()} }

// Linear returns x·Wᵀ + bias.
func (w *Int4Weight) Linear(x, bias *tensor.Tensor) *tensor.Tensor {
	return inner.QuantizedLinear(x, w.op(), w.Packed, w.Scale, w.ZeroPoint, bias)
}

// Dequantize returns the weight that the numbers stand for, in float32.
func (w *Int4Weight) Dequantize() *tensor.Tensor {
	return inner.Dequantized(w.op(), w.Packed, w.Scale, w.ZeroPoint)
}

// Size returns the extents of the weight.
func (w *Int4Weight) Size() (out, in int) { return w.Packed.Size(0), w.Packed.Size(1) * 8 }

// String names the config.
func (w *Int4Weight) String() string { return w.how.String() }

func (w *Int4Weight) config() Config { return w.how }
