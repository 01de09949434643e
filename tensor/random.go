package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// Random tensors are drawn from the generator of their place, On(dev).With(g), and else from their device's own.

// Rand returns draws that are uniform in [0, 1).
func (p Place) Rand(sizes ...int) *Tensor {
	x := p.make("rand", p.or(dtype.Default), sizes)
	x.checkUniform(0, 1)
	return x.draw(op.Uniform, p.generator, op.Draw{A: 0, B: 1})
}

// Randn returns draws of mean 0 and standard deviation 1.
func (p Place) Randn(sizes ...int) *Tensor {
	x := p.make("randn", p.or(dtype.Default), sizes)
	x.checkNormal(1)
	return x.draw(op.Normal, p.generator, op.Draw{A: 0, B: 1})
}

// RandInt returns integers from lo to hi-1, as int64 unless the place names a dtype.
func (p Place) RandInt(lo, hi int, sizes ...int) *Tensor {
	x := p.make("randint", p.or(dtype.Int64), sizes)
	return x.draw(op.RandInt, p.generator, op.Draw{Low: int64(lo), High: int64(hi)})
}

// RandPerm returns a permutation of 0 to n-1, as int64 unless the place names a dtype, which must hold n-1.
func (p Place) RandPerm(n int) *Tensor {
	dt := p.or(dtype.Int64)
	if n < 0 {
		fail("randperm", ErrValue, fmt.Sprintf("n must be non-negative, got%d", n))
	}
	if dt == dtype.Bool {
		name := backend.KernelName("randperm", p.device.IsCUDA())
		fail("randperm", ErrKernel, fmt.Sprintf("%q not implemented for 'Bool'", name))
	}
	fits("randperm", backend.Scalar{I: int64(max(n-1, 0)), Kind: backend.IntScalar}, dt)
	x := p.make("randperm", dtype.Int64, []int{n})
	return x.draw(op.RandPerm, p.generator, op.Draw{}).cast(dt)
}

// Rand returns float32 draws on the CPU that are uniform in [0, 1).
func Rand(sizes ...int) *Tensor { return Place{}.Rand(sizes...) }

// Randn returns float32 draws on the CPU of mean 0 and standard deviation 1.
func Randn(sizes ...int) *Tensor { return Place{}.Randn(sizes...) }

// RandInt returns int64 integers on the CPU from lo to hi-1.
func RandInt(lo, hi int, sizes ...int) *Tensor { return Place{}.RandInt(lo, hi, sizes...) }

// RandPerm returns a permutation of 0 to n-1 on the CPU.
func RandPerm(n int) *Tensor { return Place{}.RandPerm(n) }

// RandLike returns draws that are uniform in [0, 1), of x's shape, dtype and device.
func RandLike(x *Tensor) *Tensor { return Like(x).Rand(x.layout.Shape()...) }

// RandnLike returns draws of mean 0 and standard deviation 1, of x's shape, dtype and device.
func RandnLike(x *Tensor) *Tensor { return Like(x).Randn(x.layout.Shape()...) }

// RandIntLike returns integers from lo to hi-1, of x's shape, dtype and device.
func RandIntLike(x *Tensor, lo, hi int) *Tensor { return Like(x).RandInt(lo, hi, x.layout.Shape()...) }

// draw fills x, which nothing is recorded about, with a random op.
func (x *Tensor) draw(o op.Op, g *Generator, p op.Draw) *Tensor {
	p.Generator = g.of(o.String(), x.storage.device)
	launch(o, x.dtype, p, []*Tensor{x}, nil)
	return x
}

// checkUniform panics where x cannot hold draws from [from, to).
func (x *Tensor) checkUniform(from, to float64) {
	limit := limits[x.dtype].high
	switch {
	case !x.dtype.IsFloat():
		fail("uniform_", ErrDType, fmt.Sprintf("\"check_uniform_bounds\" not implemented for '%s'", x.dtype.ScalarName()), x)
	case !(-limit <= from && from <= limit):
		fail("uniform_", ErrValue, "from is out of bounds for "+x.dtype.CppName(), x)
	case !(-limit <= to && to <= limit):
		fail("uniform_", ErrValue, "to is out of bounds for "+x.dtype.CppName(), x)
	case from > to:
		fail("uniform_", ErrValue, "uniform_ expects to return a [from, to) range, but found from="+cText(from)+" > to="+cText(to), x)
	case to-from > limit:
		fail("uniform_", ErrValue, fmt.Sprintf("uniform_ expects to-from <= std::numeric_limits<%s>::max(), but found to=%s and from=%s which result in to-from to exceed the limit",
			x.dtype.ScalarName(), cText(to), cText(from)), x)
	}
}

// checkNormal panics where x cannot hold normal draws of the standard deviation.
func (x *Tensor) checkNormal(std float64) {
	switch {
	case !(std >= 0):
		fail("normal_", ErrValue, "normal expects std >= 0.0, but found std "+cText(std), x)
	case !x.dtype.IsFloat():
		fail("normal_", ErrDType, noKernel("normal_kernel_cpu", x.dtype, x), x)
	}
}
