package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/friend"
	"cresset/internal/op"
)

// linearAlgebra is what package linalg exports.
func linearAlgebra() friend.Linalg[*Tensor] {
	return friend.Linalg[*Tensor]{
		Cholesky:        (*Tensor).cholesky,
		SolveTriangular: (*Tensor).solveTriangular,
		LU:              (*Tensor).lu,
		Solve:           (*Tensor).solve,
		Inv:             (*Tensor).inv,
		InvEx:           (*Tensor).invEx,
		Det:             (*Tensor).det,
		SlogDet:         (*Tensor).slogDet,
		Pinv:            (*Tensor).pinv,
		QR:              (*Tensor).qr,
		Eigh:            (*Tensor).eigh,
		EigvalsH:        (*Tensor).eigvalsH,
		SVD:             (*Tensor).svd,
		SVDVals:         (*Tensor).svdVals,
		Autocasting:     autocasting,
	}
}

// matrices is what x has of matrices, one for each index of the axes before the last two.
type matrices struct {
	batch      Shape
	rows, cols int
}

// matrices panics where x has fewer than two axes or elements of another kind than float32 and float64. kernel is PyTorch's name of the
// CPU's kernel.
func (x *Tensor) matrices(name, kernel string) matrices {
	refuseNil(name, "A", 1, x)
	rank := x.layout.Rank()
	if rank < 2 {
		fail(name, ErrShape, name+": The input tensor A must have at least 2 dimensions.", x)
	}
	x.refuseOtherThanFloats(name, kernel)
	shape := x.layout.Shape()
	return matrices{append(Shape{}, shape[:rank-2]...), shape[rank-2], shape[rank-1]}
}

// squares is matrices that must be square.
func (x *Tensor) squares(name, kernel string) matrices {
	refuseNil(name, "A", 1, x)
	if rank := x.layout.Rank(); rank >= 2 && x.Size(-2) != x.Size(-1) {
		fail(name, ErrShape, fmt.Sprintf("%s: A must be batches of square matrices, but they are %d by %d matrices", name, x.Size(-2), x.Size(-1)), x)
	}
	return x.matrices(name, kernel)
}

func (x *Tensor) refuseOtherThanFloats(name, kernel string) {
	switch {
	case !x.dtype.IsFloat():
		fail(name, ErrDType, name+": Expected a floating point or complex tensor as input. Got "+x.dtype.ScalarName(), x)
	case x.dtype == dtype.Float32 || x.dtype == dtype.Float64:
	case name == "linalg.inv" || name == "linalg.slogdet":
		fail(name, ErrKernel, name+": Low precision dtypes not supported. Got "+x.dtype.ScalarName(), x)
	default:
		fail(name, ErrKernel, noKernel(kernel, x.dtype, x), x)
	}
}

// shape is that of matrices of the same batch.
func (m matrices) shape(rows, cols int) Shape { return append(append(Shape{}, m.batch...), rows, cols) }

// vectors is the shape of a vector for each matrix.
func (m matrices) vectors(n int) Shape { return append(append(Shape{}, m.batch...), n) }

// failWhere panics for the first matrix whose info is not 0 with PyTorch's text, which may name that number.
func (x *Tensor) failWhere(info *Tensor, name string, text func(n int64) string) {
	for i, n := range hostSlice[int64](info) {
		if n == 0 {
			continue
		}
		where := ""
		if info.layout.Rank() > 0 {
			where = fmt.Sprintf("(Batch element %d): ", i)
		}
		fail(name, ErrValue, name+": "+where+text(n), x)
	}
	info.storage.discard()
}

// mT returns x with its last two axes exchanged.
func (x *Tensor) mT() *Tensor { return x.Transpose(-2, -1) }

// identities returns matrices with ones on their diagonals, of x's dtype and beside it.
func (x *Tensor) identities(shape Shape) *Tensor {
	out := x.zeros(shape)
	out.Diagonal(0, -2, -1).FillInPlace(1)
	return out
}

// diagonals returns matrices with the vectors of x on their diagonals.
func (x *Tensor) diagonals() *Tensor { return x.DiagEmbed(0, -2, -1) }

// ofBatch returns x expanded to a batch of its matrices.
func (x *Tensor) ofBatch(batch Shape) *Tensor {
	return x.Expand(append(append(Shape{}, batch...), x.Size(-2), x.Size(-1))...)
}

// triangularSolution returns the solution of x·y = b for a triangular x, without a gradient record. Batches are equal.
func (x *Tensor) triangularSolution(b *Tensor, p op.Triangular) *Tensor {
	out := b.like(op.SolveTriangular, b.dtype)
	launch(op.SolveTriangular, x.dtype, p, []*Tensor{out}, []*Tensor{x, b})
	return out
}
