package tensor_test

import (
	"math"
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// arrangements put a contiguous tensor's elements elsewhere in memory.
var arrangements = []struct {
	name string
	lay  func(x *tensor.Tensor) *tensor.Tensor
}{
	{"transposed", reversed},
	{"inside a larger one", func(x *tensor.Tensor) *tensor.Tensor { return scattered(x, 1) }},
	{"every second of a larger one", func(x *tensor.Tensor) *tensor.Tensor { return scattered(x, 2) }},
}

// reversed returns x with its last axis outermost in memory.
func reversed(x *tensor.Tensor) *tensor.Tensor {
	order := make([]int, x.Dim())
	for i := range order {
		order[i] = len(order) - 1 - i
	}
	return x.Permute(order...).Contiguous().Permute(order...)
}

// scattered returns x as every step-th element of a larger tensor, behind its first.
func scattered(x *tensor.Tensor, step int) *tensor.Tensor {
	if x.Dim() == 0 {
		return scattered(x.Reshape(1), step).Reshape()
	}
	a, last := arrayOf(x), x.Dim()-1
	shape := slices.Clone(a.shape)
	shape[last] = 1 + step*shape[last]
	around := newArray(shape...)
	for k := range around.v {
		around.v[k] = 77
	}
	k := 0
	each(a.shape, func(index []int) {
		at := slices.Clone(index)
		at[last] = 1 + step*at[last]
		*around.at(at...) = a.v[k]
		k++
	})
	return around.tensor(x.Device(), x.DType()).Slice(last, 1, tensor.End, step)
}

// checkLayouts wants the same bits, of values and gradients, however the inputs lie in memory.
func (r *opRow) checkLayouts(t *testing.T, dev device.Device) {
	if r.contiguousOnly {
		return
	}
	for _, dt := range r.allowed() {
		if dt == dtype.Float16 || dt == dtype.BFloat16 {
			continue // they are laid out as float32 before they are computed with
		}
		want := r.outcome(r.tensors(dev, dt, false))
		for _, a := range arrangements {
			x := r.tensors(dev, dt, false)
			for i := range x {
				x[i] = a.lay(x[i])
			}
			if at := want.differs(r.outcome(x)); at != "" {
				t.Errorf("%s of %s: inputs %s: %s", r.name, dt, a.name, at)
			}
		}
		r.checkExpanded(t, dev, dt)
	}
}

// checkExpanded wants the same bits from an input that repeats one element along an axis without a copy.
func (r *opRow) checkExpanded(t *testing.T, dev device.Device, dt dtype.DType) {
	for i := range r.in {
		for axis, n := range r.in[i].shape {
			x := r.tensors(dev, dt, false)
			wide := x[i].Slice(axis, 0, 1).Expand(x[i].Shape()...)
			x[i] = wide.Contiguous()
			want := r.outcome(x)
			x[i] = wide
			if at := want.differs(r.outcome(x)); at != "" {
				t.Errorf("%s of %s: input %d repeated %d times along axis %d: %s", r.name, dt, i, n, axis, at)
			}
		}
	}
}

// outcome is what a row computes: its result and the gradients of its inputs.
type outcome struct {
	value array
	grads []array
}

func (r *opRow) outcome(x []*tensor.Tensor) outcome {
	x = r.leaves(slices.Clone(x), !r.noGrad)
	y := r.f(x)
	o := outcome{value: arrayOf(y)}
	if y.RequiresGrad() {
		backward(y)
		for i := range x {
			if x[i].RequiresGrad() {
				o.grads = append(o.grads, arrayOf(gradOf(x[i])))
			}
		}
	}
	return o
}

// differs returns where another outcome has other bits; empty where it has none.
func (o outcome) differs(p outcome) string {
	if !sameBits(o.value, p.value) {
		return "the result has other bits"
	}
	for i := range o.grads {
		if !sameBits(o.grads[i], p.grads[i]) {
			return "a gradient has other bits"
		}
	}
	return ""
}

func sameBits(a, b array) bool {
	return slices.Equal(a.shape, b.shape) && slices.EqualFunc(a.v, b.v, func(x, y float64) bool {
		return math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y)
	})
}
