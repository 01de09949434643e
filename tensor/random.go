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
	return p.make("rand", p.or(dtype.Default), sizes).rand(p.generator)
}

// Randn returns draws of mean 0 and standard deviation 1.
func (p Place) Randn(sizes ...int) *Tensor {
	return p.make("randn", p.or(dtype.Default), sizes).randn(p.generator)
}

// RandInt returns integers from lo to hi-1, as int64 unless the place names a dtype.
func (p Place) RandInt(lo, hi int, sizes ...int) *Tensor {
	return p.make("randint", p.or(dtype.Int64), sizes).randInt(lo, hi, p.generator)
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

// RandLike returns draws that are uniform in [0, 1), of x's shape, dtype and device. They are made in the order of memory, which is x's.
func RandLike(x *Tensor) *Tensor { return x.laidOut("rand_like").rand(nil) }

// RandnLike returns draws of mean 0 and standard deviation 1, of x's shape, dtype and device, in x's order of memory.
func RandnLike(x *Tensor) *Tensor { return x.laidOut("randn_like").randn(nil) }

// RandIntLike returns integers from lo to hi-1, of x's shape, dtype and device, in x's order of memory.
func RandIntLike(x *Tensor, lo, hi int) *Tensor {
	return x.laidOut("randint_like").randInt(lo, hi, nil)
}

func (x *Tensor) rand(g *Generator) *Tensor {
	x.checkUniform(0, 1)
	return x.draw(op.Uniform, g, op.Draw{A: 0, B: 1})
}

func (x *Tensor) randn(g *Generator) *Tensor {
	x.checkNormal(1)
	return x.draw(op.Normal, g, op.Draw{A: 0, B: 1})
}

func (x *Tensor) randInt(lo, hi int, g *Generator) *Tensor {
	return x.draw(op.RandInt, g, op.Draw{Low: int64(lo), High: int64(hi)})
}

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
