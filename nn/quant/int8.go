package quant

import (
	"cresset/dtype"
	"cresset/internal/op"
	"cresset/nn"
	"cresset/tensor"
)

// Int8WeightOnly rounds each row of a weight, which makes an output, to int8: w ≈ q·s with s = max|w|/127 in float32 and q = round(w/s), halves to even. That is the absmax
// quantization of LLM.int8() (Dettmers et al., 2022) without its outliers, and torchao's Int8WeightOnlyConfig with 127 where it has 127.5.
//
// Inputs x meet q as whole numbers of 2**(e-22), where 2**e is the power of two above the row's max|x|: a number is off by at most 2**-22 of that. Sums of products are exact, so
// results have the same bits for any number of rows and threads and on every machine; they are rounded to float32 once, before the bias is added.
type Int8WeightOnly struct{}

// Int8DynamicActivation is Int8WeightOnly whose inputs are rounded to int8 as well, by rows: x ≈ p·t with t = max|x|/127. It is torchao's
// Int8DynamicActivationInt8WeightConfig.
type Int8DynamicActivation struct{}

// String returns torchao's name.
func (Int8WeightOnly) String() string { return "Int8WeightOnly" }

// String returns torchao's name.
func (Int8DynamicActivation) String() string { return "Int8DynamicActivation" }

func (Int8WeightOnly) check(int) error        { return nil }
func (Int8DynamicActivation) check(int) error { return nil }

func (Int8WeightOnly) quantize(w *tensor.Tensor) nn.QuantizedWeight { return quantizeInt8(w, false) }
func (Int8DynamicActivation) quantize(w *tensor.Tensor) nn.QuantizedWeight {
	return quantizeInt8(w, true)
}

func (Int8WeightOnly) empty(out, in int, place tensor.Place) nn.QuantizedWeight {
	return emptyInt8(out, in, place, false)
}

func (Int8DynamicActivation) empty(out, in int, place tensor.Place) nn.QuantizedWeight {
	return emptyInt8(out, in, place, true)
}

// Int8Weight is a weight of int8 with a scale for each output. Its names in a state are those of compressed-tensors.
type Int8Weight struct {
	Weight *tensor.Tensor `nn:"weight,buffer"`       // int8 [out, in]
	Scale  *tensor.Tensor `nn:"weight_scale,buffer"` // float32 [out, 1]

	dynamic bool // inputs are rounded to int8 too
}

func quantizeInt8(w *tensor.Tensor, dynamic bool) *Int8Weight {
	q := emptyInt8(w.Size(0), w.Size(1), tensor.On(w.Device()), dynamic)
	if w.NumEl() == 0 {
		q.Scale.FillInPlace(1)
		return q
	}
	scale := w.Abs().AMax([]int{1}, true).DivScalar(127)
	scale = tensor.Where(scale.EqScalar(0), tensor.OnesLike(scale), scale)
	q.Weight.CopyInPlace(w.Div(scale).Round())
	q.Scale.CopyInPlace(scale)
	return q
}

func emptyInt8(out, in int, place tensor.Place, dynamic bool) *Int8Weight {
	return &Int8Weight{Weight: place.As(dtype.Int8).Empty(out, in), Scale: place.As(dtype.Float32).Empty(out, 1), dynamic: dynamic}
}

// Linear returns x·Wᵀ + bias.
func (w *Int8Weight) Linear(x, bias *tensor.Tensor) *tensor.Tensor {
	return inner.QuantizedLinear(x, op.Quantized{Bits: 8, Dynamic: w.dynamic}, w.Weight, w.Scale, nil, bias)
}

// Dequantize returns the weight that the numbers stand for, in float32.
func (w *Int8Weight) Dequantize() *tensor.Tensor {
	return inner.Dequantized(op.Quantized{Bits: 8}, w.Weight, w.Scale, nil)
}

// Size returns the extents of the weight.
func (w *Int8Weight) Size() (out, in int) { return w.Weight.Size(0), w.Weight.Size(1) }

// String names the config.
func (w *Int8Weight) String() string {
	if w.dynamic {
		return Int8DynamicActivation{}.String()
	}
	return Int8WeightOnly{}.String()
}

func (w *Int8Weight) config() Config {
	if w.dynamic {
		return Int8DynamicActivation{}
	}
	return Int8WeightOnly{}
}
