package tensor

import (
	"fmt"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// Place is where and as what tensors are made: a device, a dtype, and for random ones a generator. Its zero value is the
// CPU with default dtypes.
type Place struct {
	device    device.Device
	dtype     dtype.DType // Undefined: the default of what is made
	generator *Generator  // nil: the device's own
}

// On returns the place on a device, with default dtypes.
func On(dev device.Device) Place { return Place{device: dev} }

// As returns the place with dtype dt.
func (p Place) As(dt dtype.DType) Place {
	p.dtype = dt
	return p
}

// With returns the place whose random tensors are drawn from g.
func (p Place) With(g *Generator) Place {
	p.generator = g
	return p
}

// Like returns the place of x: its device and dtype.
func Like(x *Tensor) Place {
	refuseNil("like", "input", 1, x)
	return Place{device: x.storage.device, dtype: x.dtype}
}

// or returns the place's dtype, or dt where it names none.
func (p Place) or(dt dtype.DType) dtype.DType {
	if p.dtype == dtype.Undefined {
		return dt
	}
	return p.dtype
}

// make returns an uninitialised tensor after a check of the sizes.
func (p Place) make(name string, dt dtype.DType, sizes []int) *Tensor {
	return newTensor(name, resolve(p.device), dt, checkSizes(name, sizes))
}

// checkSizes copies sizes, refusing negative ones, too many, and those whose product overflows.
func checkSizes(name string, sizes []int) Shape {
	shape := append(Shape{}, sizes...)
	if len(shape) > layout.MaxRank {
		check(name, ErrShape, errTooManyAxes)
	}
	for _, n := range shape {
		if n < 0 {
			fail(name, ErrShape, fmt.Sprintf("Trying to create tensor with negative dimension %d: %s", n, shape.List()))
		}
	}
	if _, ok := shape.NumEl(); !ok {
		fail(name, ErrMemory, "Storage size calculation overflowed with sizes="+shape.List())
	}
	return shape
}

// Empty returns a tensor whose elements are whatever the memory held.
func (p Place) Empty(sizes ...int) *Tensor { return p.make("empty", p.or(dtype.Default), sizes) }

// Zeros returns a tensor of zeros.
func (p Place) Zeros(sizes ...int) *Tensor {
	return p.make("zeros", p.or(dtype.Default), sizes).fill(backend.Scalar{})
}

// Ones returns a tensor of ones.
func (p Place) Ones(sizes ...int) *Tensor {
	return p.make("ones", p.or(dtype.Default), sizes).fill(backend.Scalar{I: 1, Kind: backend.IntScalar})
}

// Full returns a tensor of the given sizes whose elements are v, which must fit the dtype; without As that is v's: bool,
// int64 or float32.
func (p Place) Full(sizes []int, v any) *Tensor {
	s := scalarOf("full", v)
	dt := p.or(s.DType())
	fits("full", s, dt)
	return p.make("full", dt, sizes).fill(s)
}

// fill sets every element and returns x; it is not recorded.
func (x *Tensor) fill(s backend.Scalar) *Tensor {
	elementwise(op.Fill, x.dtype, nil, x, operand{s: s})
	return x
}

// Empty returns a float32 tensor on the CPU whose elements are whatever the memory held.
func Empty(sizes ...int) *Tensor { return Place{}.Empty(sizes...) }

// Zeros returns a float32 tensor of zeros on the CPU.
func Zeros(sizes ...int) *Tensor { return Place{}.Zeros(sizes...) }

// Ones returns a float32 tensor of ones on the CPU.
func Ones(sizes ...int) *Tensor { return Place{}.Ones(sizes...) }

// Full returns a tensor on the CPU whose elements are v.
func Full(sizes []int, v any) *Tensor { return Place{}.Full(sizes, v) }

// EmptyLike returns an uninitialised tensor of x's shape, dtype and device, in x's order of memory.
func EmptyLike(x *Tensor) *Tensor { return x.laidOut("empty_like") }

// laidOut returns an uninitialised tensor like x that is computed from nothing: no scope takes it.
func (x *Tensor) laidOut(name string) *Tensor {
	refuseNil(name, "input", 1, x)
	return newResult(name, x.storage.device, x.dtype, x.preserved(), nil)
}

// ZerosLike returns zeros of x's shape, dtype and device.
func ZerosLike(x *Tensor) *Tensor { return Like(x).Zeros(x.layout.Shape()...) }

// OnesLike returns ones of x's shape, dtype and device.
func OnesLike(x *Tensor) *Tensor { return Like(x).Ones(x.layout.Shape()...) }

// FullLike returns a tensor of x's shape, dtype and device whose elements are v.
func FullLike(x *Tensor, v any) *Tensor { return Like(x).Full(x.layout.Shape(), v) }

// DType returns the dtype that the place names, Undefined where it names none.
func (p Place) DType() dtype.DType { return p.dtype }
