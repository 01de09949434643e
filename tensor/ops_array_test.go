package tensor_test

import (
	"slices"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// array is numbers in row-major order: what the slow references compute with.
type array struct {
	shape []int
	v     []float64
}

func newArray(shape ...int) array { return array{shape, make([]float64, extent(shape))} }

// extent returns how many elements a shape has.
func extent(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// at returns the place of an element.
func (a array) at(index ...int) *float64 {
	k := 0
	for axis, i := range index {
		k = k*a.shape[axis] + i
	}
	return &a.v[k]
}

// each calls visit with the index of every element, in order; visit must not keep it.
func each(shape []int, visit func(index []int)) {
	index := make([]int, len(shape))
	for range extent(shape) {
		visit(index)
		for axis := len(shape) - 1; axis >= 0; axis-- {
			if index[axis]++; index[axis] < shape[axis] {
				break
			}
			index[axis] = 0
		}
	}
}

// tensor returns the numbers as a tensor.
func (a array) tensor(dev device.Device, dt dtype.DType) *tensor.Tensor {
	return tensor.FromSlice(slices.Clone(a.v)).Reshape(a.shape...).To(dev, dt)
}

// arrayOf returns a tensor's numbers.
func arrayOf(x *tensor.Tensor) array { return array{x.Shape(), tensor.Values[float64](x)} }

// elementwise applies f to elements that meet when the inputs are broadcast.
func elementwise(f func(v []float64) float64, x []array) array {
	var shape []int
	for _, a := range x {
		for len(shape) < len(a.shape) {
			shape = slices.Insert(shape, 0, 1)
		}
		for i, d := range a.shape {
			if at := len(shape) - len(a.shape) + i; d != 1 {
				shape[at] = d
			}
		}
	}
	out, v := newArray(shape...), make([]float64, len(x))
	each(shape, func(index []int) {
		for k, a := range x {
			v[k] = *a.broadcastAt(index)
		}
		*out.at(index...) = f(v)
	})
	return out
}

// broadcastAt returns the element that stands at an index of a broadcast shape.
func (a array) broadcastAt(index []int) *float64 {
	own := slices.Clone(index[len(index)-len(a.shape):])
	for i, d := range a.shape {
		if d == 1 {
			own[i] = 0
		}
	}
	return a.at(own...)
}
