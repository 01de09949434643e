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

// matrix has the methods that Matrix lacks, so that a package which has a matrix does not compile them again.
type matrix[T dtype.Float] Matrix[T]

func of[T dtype.Float](data []T, rows, cols int) matrix[T] { return matrix[T]{data, rows, cols, cols} }

func (a matrix[T]) row(i int) []T {
	if a.Cols == 0 {
		return nil
	}
	return a.Data[i*a.Stride:][:a.Cols]
}

// from returns what lies right of and below element (i, j), with it.
func (a matrix[T]) from(i, j int) matrix[T] { return a.part(i, j, a.Rows-i, a.Cols-j) }

// part returns rows and columns from element (i, j) on.
func (a matrix[T]) part(i, j, rows, cols int) matrix[T] {
	if rows == 0 || cols == 0 {
		return matrix[T]{nil, rows, cols, a.Stride}
	}
	return matrix[T]{a.Data[i*a.Stride+j:], rows, cols, a.Stride}
}

func (a matrix[T]) view() kern.Matrix[T] { return kern.Matrix[T]{Data: a.Data, Row: a.Stride, Col: 1} }

func (a matrix[T]) clear() {
	for i := range a.Rows {
		clear(a.row(i))
	}
}

// copyFrom copies a matrix of the same extents.
func (a matrix[T]) copyFrom(b matrix[T]) {
	for i := range a.Rows {
		copy(a.row(i), b.row(i))
	}
}

// setIdentity makes a the matrix with ones on its diagonal.
func (a matrix[T]) setIdentity() {
	a.clear()
	for i := range min(a.Rows, a.Cols) {
		a.Data[i*a.Stride+i] = 1
	}
}

// transposeInto writes the transpose of a to b.
func (a matrix[T]) transposeInto(b matrix[T]) {
	for i := range a.Rows {
		for j, v := range a.row(i) {
			b.Data[j*b.Stride+i] = v
		}
	}
}

// isFinite reports whether no element is NaN or infinite.
func (a matrix[T]) isFinite() bool {
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
func (a matrix[T]) addProduct(alpha T, x, y kern.Matrix[T], inner int) {
	if a.Rows > 0 && a.Cols > 0 && inner > 0 {
		kern.Float[T]().Gemm(a.Rows, a.Cols, inner, alpha, x, y, 1, a.Data, a.Stride)
	}
}

// setProduct makes a x·y.
func (a matrix[T]) setProduct(x, y kern.Matrix[T], inner int) {
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
