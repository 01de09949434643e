package linalg

import (
	"cresset/dtype"
	"cresset/tensor"
)

// ToleranceOption is an option of MatrixRank and Pinv: ATol, RTol or Hermitian.
type ToleranceOption interface{ toleranceOption() }

// ATol is the size up to which singular values count as zero, 0 unless given.
type ATol float64

// RTol is the share of the largest singular value up to which others count as zero.
type RTol float64

// Hermitian says that matrices are symmetric, and has their lower triangles read alone.
type Hermitian bool

func (ATol) toleranceOption()      {}
func (RTol) toleranceOption()      {}
func (Hermitian) toleranceOption() {}

// tolerance is what the options say.
type tolerance struct {
	atol, rtol float64
	hermitian  bool
}

func tolerances(a *tensor.Tensor, opts []ToleranceOption) tolerance {
	t := tolerance{rtol: -1}
	for _, o := range opts {
		switch o := o.(type) {
		case ATol:
			t.atol = float64(o)
		case RTol:
			t.rtol = float64(o)
		case Hermitian:
			t.hermitian = bool(o)
		}
	}
	switch {
	case t.rtol >= 0:
	case t.atol > 0:
		t.rtol = 0
	default:
		t.rtol = epsilon(a.DType()) * float64(max(a.Size(-2), a.Size(-1)))
	}
	return t
}

// limit returns up to where values count as zero, for each matrix.
func (t tolerance) limit(values *tensor.Tensor) *tensor.Tensor {
	return values.AMax([]int{-1}, tensor.KeepDim(true)).MulScalar(t.rtol).Clamp(t.atol, nil)
}

// epsilon is the distance from 1 to the next number of a dtype.
func epsilon(dt dtype.DType) float64 {
	if dt == dtype.Float32 {
		return 0x1p-23
	}
	return 0x1p-52
}
