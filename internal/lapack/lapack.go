// Package lapack factors dense matrices: in Go, and by the products of package kern where most of the work is. Matrices are
// row-major. Working memory comes from the caller, and everything ends for NaN and infinities too. What is computed depends on the
// matrices alone and not on the number of threads.
package lapack

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern"
)

// block is how many columns are factored before the others follow by products.
const block = 32

// Matrix is rows of elements, Stride apart.
type Matrix[T dtype.Float] struct {
	Data               []T
	Rows, Cols, Stride int
}

// Of returns a matrix over contiguous memory.
func Of[T dtype.Float](data []T, rows, cols int) Matrix[T] { return Matrix[T]{data, rows, cols, cols} }

func (a Matrix[T]) row(i int) []T {
	if a.Cols == 0 {
		return nil
	}
	return a.Data[i*a.Stride:][:a.Cols]
}

// from returns what lies right of and below element (i, j), with it.
func (a Matrix[T]) from(i, j int) Matrix[T] { return a.part(i, j, a.Rows-i, a.Cols-j) }

// part returns rows and columns from element (i, j) on.
func (a Matrix[T]) part(i, j, rows, cols int) Matrix[T] {
	if rows == 0 || cols == 0 {
		return Matrix[T]{nil, rows, cols, a.Stride}
	}
	return Matrix[T]{a.Data[i*a.Stride+j:], rows, cols, a.Stride}
}

func (a Matrix[T]) view() kern.Matrix[T] { return kern.Matrix[T]{Data: a.Data, Row: a.Stride, Col: 1} }

func (a Matrix[T]) clear() {
	for i := range a.Rows {
		clear(a.row(i))
	}
}

// copyFrom copies a matrix of the same extents.
func (a Matrix[T]) copyFrom(b Matrix[T]) {
	for i := range a.Rows {
		copy(a.row(i), b.row(i))
	}
}

// setIdentity makes a the matrix with ones on its diagonal.
func (a Matrix[T]) setIdentity() {
	a.clear()
	for i := range min(a.Rows, a.Cols) {
		a.Data[i*a.Stride+i] = 1
	}
}

// transposeInto writes the transpose of a to b.
func (a Matrix[T]) transposeInto(b Matrix[T]) {
	for i := range a.Rows {
		for j, v := range a.row(i) {
			b.Data[j*b.Stride+i] = v
		}
	}
}

// isFinite reports whether no element is NaN or infinite.
func (a Matrix[T]) isFinite() bool {
	for i := range a.Rows {
		for _, v := range a.row(i) {
			if v-v != 0 {
				return false
			}
		}
	}
	return true
}

// addProduct adds alpha·x·y to a.
func (a Matrix[T]) addProduct(alpha T, x, y kern.Matrix[T], inner int) {
	if a.Rows > 0 && a.Cols > 0 && inner > 0 {
		kern.Float[T]().Gemm(a.Rows, a.Cols, inner, alpha, x, y, 1, a.Data, a.Stride)
	}
}

// setProduct makes a x·y.
func (a Matrix[T]) setProduct(x, y kern.Matrix[T], inner int) {
	if a.Rows > 0 && a.Cols > 0 {
		kern.Float[T]().Gemm(a.Rows, a.Cols, inner, 1, x, y, 0, a.Data, a.Stride)
	}
}

// axpy adds alpha·x to y.
func axpy[T dtype.Float](alpha T, x, y []T) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += alpha * v
	}
}

func dot[T dtype.Float](x, y []T) (sum T) {
	y = y[:len(x)]
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

// norm returns √Σ x[i·step]² of n elements, whose squares may be out of range.
func norm[T dtype.Float](x []T, n, step int) float64 {
	var most float64
	for i := range n {
		most = max(most, math.Abs(float64(x[i*step])))
	}
	if most == 0 || most-most != 0 {
		return most
	}
	var sum float64
	for i := range n {
		v := float64(x[i*step]) / most
		sum += v * v
	}
	return most * math.Sqrt(sum)
}
