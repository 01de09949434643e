package linalg

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"cresset/tensor"
)

// Order is which norm is meant: P or Named.
type Order interface{ order() string }

// P is the order of a norm that has a number.
type P float64

// Named is a norm of matrices that has a name.
type Named string

// The norms of matrices that have names.
const (
	Fro Named = "fro" // √Σ a²
	Nuc Named = "nuc" // the sum of the singular values
)

func (p P) order() string {
	return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(float64(p), 'g', -1, 64), "+"))
}

func (n Named) order() string { return string(n) }

// Norm returns VectorNorm of order 2 where ord is nil. Else it is MatrixNorm over two axes and VectorNorm over one; without axes x must
// have one or two, all of which are meant.
func Norm(x *tensor.Tensor, ord Order, axes []int, keep ...tensor.KeepDim) *tensor.Tensor {
	const name = "linalg.norm"
	given("linalg_norm", "input", 1, x)
	switch n := len(axes); {
	case n > 2:
		fail(name, tensor.ErrShape, fmt.Sprintf("linalg.norm: If dim is specified, it must be of length 1 or 2. Got %v", axes))
	case n == 0 && ord != nil && x.Dim() != 1 && x.Dim() != 2:
		fail(name, tensor.ErrShape, fmt.Sprintf("linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got %dD.", x.Dim()))
	}
	switch p, isNumber := ord.(P); {
	case ord == nil:
		return VectorNorm(x, 2, axes, keep...)
	case isNumber && len(axes) != 2 && (len(axes) == 1 || x.Dim() == 1):
		return VectorNorm(x, float64(p), axes, keep...)
	case len(axes) == 0:
		return MatrixNorm(x, ord, []int{0, 1}, keep...)
	}
	return MatrixNorm(x, ord, axes, keep...)
}

// VectorNorm returns (Σ |x|ᵖ)^(1/p) over axes, all where none is named. For p = ±Inf it is the largest or smallest |x|, for p = 0 the number
// of elements that are not zero.
func VectorNorm(x *tensor.Tensor, p float64, axes []int, keep ...tensor.KeepDim) *tensor.Tensor {
	given("linalg_vector_norm", "input", 1, x)
	return x.NormAxes(p, axes, keep...)
}

// MatrixNorm returns a norm of the matrices of two axes, the last two where none is named: Fro, as where ord is nil; Nuc; P(2), the largest
// singular value, and P(-2), the smallest; P(±Inf), the largest or smallest sum of a row's absolute values; P(±1), that of a column's.
func MatrixNorm(x *tensor.Tensor, ord Order, axes []int, keep ...tensor.KeepDim) *tensor.Tensor {
	const name = "linalg.matrix_norm"
	given("linalg_matrix_norm", "input", 1, x)
	if ord == nil {
		ord = Fro
	}
	if x.Dim() < 2 {
		fail(name, tensor.ErrShape, name+": The input tensor A must have at least 2 dimensions.")
	}
	rows, cols := matrixAxes(x, axes)
	p, isNumber := ord.(P)
	size := math.Abs(float64(p))
	switch {
	case ord == Fro:
		return VectorNorm(x, 2, []int{rows, cols}, keep...)
	case ord == Nuc:
		return ofSingularValues(x, rows, cols, keep, func(s *tensor.Tensor, k tensor.KeepDim) *tensor.Tensor { return s.SumAxes([]int{-1}, k) })
	case isNumber && size == 2:
		return ofSingularValues(x, rows, cols, keep, func(s *tensor.Tensor, k tensor.KeepDim) *tensor.Tensor { return extreme(s, p > 0, -1, k) })
	case isNumber && (size == 1 || math.IsInf(size, 1)):
		summed, across := rows, cols
		if size > 1 {
			summed, across = cols, rows
		}
		sums := VectorNorm(x, 1, []int{summed}, true)
		return squeezed(extreme(sums, p > 0, across, true), rows, cols, keep)
	}
	fail(name, tensor.ErrValue, fmt.Sprintf("linalg.matrix_norm: Order %s not supported.", ord.order()))
	return nil
}

// matrixAxes returns two axes, counted from the first.
func matrixAxes(x *tensor.Tensor, axes []int) (rows, cols int) {
	const name = "linalg.matrix_norm"
	if len(axes) == 0 {
		axes = []int{-2, -1}
	}
	if len(axes) != 2 {
		fail(name, tensor.ErrShape, fmt.Sprintf("linalg.matrix_norm: dim must be a 2-tuple. Got %v", axes))
	}
	rank := x.Dim()
	for i, axis := range axes {
		if axis < -rank || axis >= rank {
			fail(name, tensor.ErrIndex, fmt.Sprintf("Dimension out of range (expected to be in range of [%d, %d], but got %d)", -rank, rank-1, axes[i]))
		}
	}
	rows, cols = (axes[0]+rank)%rank, (axes[1]+rank)%rank
	if rows == cols {
		fail(name, tensor.ErrShape, fmt.Sprintf("linalg.matrix_norm: dims must be different. Got (%d, %d)", rows, cols))
	}
	return rows, cols
}

// extreme returns the largest elements along an axis, or the smallest, of numbers that are not negative: of none 0 is the largest.
func extreme(x *tensor.Tensor, largest bool, axis int, keep tensor.KeepDim) *tensor.Tensor {
	switch {
	case largest && x.Size(axis) == 0:
		return x.SumAxes([]int{axis}, keep)
	case largest:
		return x.AMax([]int{axis}, keep)
	}
	return x.AMin([]int{axis}, keep)
}

// ofSingularValues reduces the singular values of the matrices of two axes.
func ofSingularValues(x *tensor.Tensor, rows, cols int, keep []tensor.KeepDim, reduce func(s *tensor.Tensor, k tensor.KeepDim) *tensor.Tensor) *tensor.Tensor {
	moved := x.MoveAxis([]int{rows, cols}, []int{-2, -1})
	norm := reduce(inner.SVDVals(moved), false)
	if kept(keep) {
		return norm.Unsqueeze(min(rows, cols)).Unsqueeze(max(rows, cols))
	}
	return norm
}

// squeezed removes two axes of extent 1 unless they are to be kept.
func squeezed(x *tensor.Tensor, rows, cols int, keep []tensor.KeepDim) *tensor.Tensor {
	if kept(keep) {
		return x
	}
	return x.SqueezeAxis(rows, cols)
}

func kept(keep []tensor.KeepDim) bool { return len(keep) > 0 && bool(keep[len(keep)-1]) }
