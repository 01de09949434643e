package tensor

import (
	"fmt"

	"cresset/internal/op"
)

// MM returns the matrix product of x [m, k] and y [k, n].
func (x *Tensor) MM(y *Tensor) *Tensor {
	checkMatrices("mm", x, y)
	if x.dtype != y.dtype {
		fail("mm", ErrDType, fmt.Sprintf("expected m1 and m2 to have the same dtype, but got: %s != %s", x.dtype.CppName(), y.dtype.CppName()), x, y)
	}
	out := x.empty(op.MM, x.dtype, Shape{x.layout.Shape[0], y.layout.Shape[1]}, y)
	launch(op.MM, x.dtype, nil, []*Tensor{out}, []*Tensor{x, y})
	record(out, op.MM, mmGrad, nil, x, y).save(x, y)
	return out
}

func mmGrad(b *backprop, dy *Tensor) {
	if b.needs(0) {
		b.give(0, dy.MM(b.saved(1).T()))
	}
	if b.needs(1) {
		b.give(1, b.saved(0).T().MM(dy))
	}
}

// AddMM returns x + a·b for matrices a [m, k] and b [k, n]; x is broadcast to [m, n].
func (x *Tensor) AddMM(a, b *Tensor) *Tensor { return x.AddMMScaled(a, b, 1, 1) }

// AddMMScaled returns beta·x + alpha·a·b.
func (x *Tensor) AddMMScaled(a, b *Tensor, beta, alpha float64) *Tensor {
	checkMatrices("addmm", a, b)
	if a.dtype != b.dtype {
		fail("addmm", ErrDType, fmt.Sprintf("mat1 and mat2 must have the same dtype, but got %s and %s", a.dtype.ScalarName(), b.dtype.ScalarName()), x, a, b)
	}
	if x.dtype != b.dtype {
		fail("addmm", ErrDType, fmt.Sprintf("self and mat2 must have the same dtype, but got %s and %s", x.dtype.ScalarName(), b.dtype.ScalarName()), x, a, b)
	}
	out := a.empty(op.AddMM, a.dtype, Shape{a.layout.Shape[0], b.layout.Shape[1]}, x, b)
	wide := x.Detach().Expand(out.layout.Shape...)
	p := op.Affine{Alpha: alpha, Beta: beta}
	launch(op.AddMM, a.dtype, p, []*Tensor{out}, []*Tensor{wide, a, b})
	record(out, op.AddMM, addMMGrad, p, x, a, b).save(a, b)
	return out
}

func addMMGrad(b *backprop, dy *Tensor) {
	p := b.params().(op.Affine)
	scaled := func(g *Tensor, by float64) *Tensor {
		if by == 1 {
			return g
		}
		return g.MulScalar(by)
	}
	if b.needs(0) {
		b.give(0, scaled(dy, p.Beta))
	}
	if b.needs(1) {
		b.give(1, scaled(dy.MM(b.saved(1).T()), p.Alpha))
	}
	if b.needs(2) {
		b.give(2, scaled(b.saved(0).T().MM(dy), p.Alpha))
	}
}

func checkMatrices(name string, a, b *Tensor) {
	if a.layout.Rank() != 2 {
		fail(name, ErrShape, "self must be a matrix", a, b)
	}
	if b.layout.Rank() != 2 {
		fail(name, ErrShape, "mat2 must be a matrix", a, b)
	}
	if a.layout.Shape[1] != b.layout.Shape[0] {
		fail(name, ErrShape, fmt.Sprintf("mat1 and mat2 shapes cannot be multiplied (%dx%d and %dx%d)",
			a.layout.Shape[0], a.layout.Shape[1], b.layout.Shape[0], b.layout.Shape[1]), a, b)
	}
}
