package tensor

import (
	"fmt"
	"math"

	"cresset/internal/op"
)

// Norm returns the 2-norm of all elements, √Σ x², a tensor without axes. It panics for integers.
func (x *Tensor) Norm() *Tensor { return x.NormAxes(2, nil) }

// NormAxes returns the p-norm (Σ |x|ᵖ)^(1/p) over axes, all where none is named; the axes disappear unless KeepDim is given.
// For p = ±Inf it is the largest or smallest |x|, for p = 0 the number of elements that are not zero. It panics for integers.
func (x *Tensor) NormAxes(p float64, axes []int, keep ...KeepDim) *Tensor {
	x = x.autocast(op.Norm)
	if !x.dtype.IsFloat() {
		fail("norm", ErrDType, "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "+x.dtype.ScalarName(), x)
	}
	r := x.reduced("norm", axes, kept(keep))
	r.P = p
	x.checkNorm(p, axes)
	out := x.reduce(op.Norm, r, r)
	record(out, op.Norm, kernelGrad, r, x).save(out, x)
	return out
}

// checkNorm panics for orders that have no value over nothing.
func (x *Tensor) checkNorm(p float64, axes []int) {
	if p >= 0 && !math.IsInf(p, 1) || x.NumEl() > 0 {
		return
	}
	order := fmt.Sprint(p)
	if math.IsInf(p, 0) {
		order = map[bool]string{false: "inf", true: "-inf"}[p < 0]
	}
	if len(axes) == 0 {
		fail("norm", ErrShape, fmt.Sprintf("linalg.vector_norm cannot compute the %s norm on an empty tensor because the operation does not have an identity", order), x)
	}
	if empty, ok := x.emptyAxis(axes); ok {
		fail("norm", ErrShape, fmt.Sprintf("linalg.vector_norm cannot compute the %s norm on the dimension %dbecause this dimension is empty and the operation does not have an identity", order, empty), x)
	}
}
