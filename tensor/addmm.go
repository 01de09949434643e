package tensor

import (
	"fmt"
	"math"

	"cresset/internal/op"
)

// AddMM returns x + a·b for matrices a [m, k] and b [k, n]; x is broadcast to [m, n].
func (x *Tensor) AddMM(a, b *Tensor) *Tensor { return x.AddMMScaled(a, b, 1, 1) }

// AddMMScaled returns beta·x + alpha·a·b; x is not read where beta is 0. Both must be whole numbers where the tensors are
// integers.
func (x *Tensor) AddMMScaled(a, b *Tensor, beta, alpha float64) *Tensor {
	return x.addMM(a, b, beta, alpha, op.Invalid)
}

// addMM is AddMMScaled with what follows it, of which no record is made.
func (x *Tensor) addMM(a, b *Tensor, beta, alpha float64, then op.Op) *Tensor {
	if casts := autocastOf(a, b); casts != nil {
		x, a, b = casts.three("addmm", x, a, b)
	}
	x.checkAddMM(a, b, beta, alpha)
	out := a.empty(op.AddMM, a.dtype, Shape{a.layout.Shape()[0], b.layout.Shape()[1]}, x, b)
	wide := x.Detach().Expand(out.layout.Shape()...)
	p := op.Affine{Alpha: alpha, Beta: beta}
	launchThen(then, op.AddMM, a.dtype, p, []*Tensor{out}, []*Tensor{wide, a, b})
	record(out, op.AddMM, addMMGrad, p, x, a, b).save(a, b)
	return out
}

func addMMGrad(b *backprop, dy *Tensor) {
	p := b.params().(op.Affine)
	b.giveNeeded(0, func() *Tensor { return scaled(dy, p.Beta) })
	b.giveNeeded(1, func() *Tensor { return scaled(b.productFor(1, dy, b.saved(1).T()), p.Alpha) })
	b.giveNeeded(2, func() *Tensor { return scaled(b.productFor(2, b.saved(0).T(), dy), p.Alpha) })
}

func scaled(g *Tensor, by float64) *Tensor {
	if by == 1 {
		return g
	}
	return g.MulScalar(by)
}

func (x *Tensor) checkAddMM(a, b *Tensor, beta, alpha float64) {
	checkArguments(op.AddMM, argument{"self", x}, argument{"mat1", a}, argument{"mat2", b})
	switch {
	case x.dtype != b.dtype:
		fail("addmm", ErrDType, fmt.Sprintf("self and mat2 must have the same dtype, but got %s and %s", x.dtype.ScalarName(), b.dtype.ScalarName()), x, a, b)
	case a.dtype != b.dtype:
		fail("addmm", ErrDType, fmt.Sprintf("mat1 and mat2 must have the same dtype, but got %s and %s", a.dtype.ScalarName(), b.dtype.ScalarName()), x, a, b)
	case a.layout.Rank() != 2:
		fail("addmm", ErrShape, fmt.Sprintf("mat1 must be a matrix, got %d-D tensor", a.layout.Rank()), x, a, b)
	case b.layout.Rank() != 2:
		fail("addmm", ErrShape, fmt.Sprintf("mat2 must be a matrix, got %d-D tensor", b.layout.Rank()), x, a, b)
	}
	checkInner("addmm", a, b)
	x.refuseBool(op.AddMM, "addmm_impl_cpu_")
	if x.dtype.IsFloat() {
		return
	}
	for _, n := range [...]struct {
		name  string
		value float64
	}{{"beta", beta}, {"alpha", alpha}} {
		if n.value != math.Trunc(n.value) {
			fail("addmm", ErrDType, fmt.Sprintf("For integral input tensors, argument %s must not be a floating point number.", n.name), x, a, b)
		}
	}
}
