package tensor

import (
	"fmt"

	"cresset/internal/layout"
	"cresset/internal/op"
)

// MatMul returns the product of x and y by rank, as PyTorch's @: the inner product of vectors, matrix times vector, vector
// times matrix, matrix times matrix, and, with more axes, a product of matrices for each index of the leading axes,
// which are broadcast.
func (x *Tensor) MatMul(y *Tensor) *Tensor {
	if a := autocastOf(x, y); a != nil {
		x, y = a.two("matmul", x, y)
	}
	refuseNil("matmul", "input", 1, x)
	refuseNil("matmul", "other", 2, y)
	rx, ry := x.layout.Rank(), y.layout.Rank()
	switch {
	case rx == 0 || ry == 0:
		fail("matmul", ErrShape, fmt.Sprintf("both arguments to matmul need to be at least 1D, but they are %dD and %dD", rx, ry), x, y)
	case rx == 1 && ry == 1:
		return x.Dot(y)
	case rx == 2 && ry == 1:
		return x.MV(y)
	case rx == 1 && ry == 2:
		row := x.Unsqueeze(0).MM(y)
		return row.viewAs(op.SqueezeInPlace, viewGrad, nil, row.layout.Select(nil, 0, 0))
	case rx == 2 && ry == 2:
		return x.MM(y)
	case ry <= 2 && folds(x, y):
		return x.foldedProduct(y)
	case rx <= 2 && y.foldsTransposed(x):
		return y.transposedProduct(x)
	}
	return x.batchedProduct(y)
}

// folds reports whether the leading axes of x, which has three or more, become rows of one matrix. They do where that
// needs no copy, and where y tracks gradients: its gradient would else be as large as x's.
func folds(x, y *Tensor) bool {
	return y.node != nil || x.NumEl() == 0 || rowsMerge(x.layout)
}

func rowsMerge(l *layout.Layout) bool {
	for i := range l.Rank() - 2 {
		if l.Strides()[i] != l.Strides()[i+1]*l.Shape()[i+1] {
			return false
		}
	}
	return true
}

// foldedProduct multiplies x, seen as one matrix, by a vector or matrix.
func (x *Tensor) foldedProduct(y *Tensor) *Tensor {
	last := x.layout.Rank() - 1
	shape := append(Shape{}, x.layout.Shape()[:last]...)
	rows, _ := shape.NumEl()
	folded := x.Reshape(rows, x.layout.Shape()[last])
	if y.layout.Rank() == 1 {
		return folded.MV(y).unsafeView(shape)
	}
	return folded.MM(y).unsafeView(append(shape, y.layout.Shape()[1]))
}

// foldsTransposed reports whether x·y, where y has three or more axes, is computed as yᵀ·xᵀ folded. For a matrix x the
// result has to be copied into order, which only a gradient of x is worth.
func (y *Tensor) foldsTransposed(x *Tensor) bool {
	return x.node != nil || x.layout.Rank() == 1 && folds(y.Detach().Transpose(-2, -1), x)
}

func (y *Tensor) transposedProduct(x *Tensor) *Tensor {
	if x.layout.Rank() == 1 {
		return y.Transpose(-2, -1).foldedProduct(x)
	}
	return y.Transpose(-2, -1).foldedProduct(x.T()).Transpose(-2, -1).Contiguous()
}

// batchedProduct multiplies matrices for each index of the broadcast leading axes; a vector counts as a matrix of one row
// on the left, of one column on the right.
func (x *Tensor) batchedProduct(y *Tensor) *Tensor {
	if g := x.withoutBatch(y); g != nil {
		return g.MatMul(y)
	}
	if g := y.withoutBatch(x); g != nil {
		return x.MatMul(g)
	}
	a, b := x, y
	if x.layout.Rank() == 1 {
		a = x.Unsqueeze(0)
	}
	if y.layout.Rank() == 1 {
		b = y.Unsqueeze(1)
	}
	ra, rb := a.layout.Rank(), b.layout.Rank()
	m, k := a.layout.Shape()[ra-2], a.layout.Shape()[ra-1]
	kb, n := b.layout.Shape()[rb-2], b.layout.Shape()[rb-1]
	batch, err := layout.Broadcast(a.layout.Shape()[:ra-2], b.layout.Shape()[:rb-2])
	check("matmul", ErrShape, err, x, y)
	shape := append(Shape{}, batch...)
	if x.layout.Rank() > 1 {
		shape = append(shape, m)
	}
	if y.layout.Rank() > 1 {
		shape = append(shape, n)
	}
	return a.batches(batch, m, k).BMM(b.batches(batch, kb, n)).unsafeView(shape)
}

// withoutBatch returns x without its first axis where y would repeat it although its gradient is wanted: folding sums
// that gradient as it is computed.
func (x *Tensor) withoutBatch(y *Tensor) *Tensor {
	if x.node == nil || x.layout.Rank() != 3 || y.layout.Rank() != 3 || x.layout.Shape()[0] != 1 || y.layout.Shape()[0] == 1 {
		return nil
	}
	return x.SqueezeAxis(0)
}

// batches broadcasts the leading axes and makes them one; [batch, m, n] keeps a batch that is only repeated without a copy.
func (x *Tensor) batches(batch Shape, m, n int) *Tensor {
	count, _ := batch.NumEl()
	wide := x.Expand(append(append(Shape{}, batch...), m, n)...)
	return wide.Reshape(count, m, n)
}

// unsafeView gives a fresh result that nobody else sees another shape; it does not count as a view.
func (x *Tensor) unsafeView(shape Shape) *Tensor {
	out := x.viewAs(op.UnsafeView, viewGrad, nil, layout.Contiguous(shape))
	out.view = false
	return out
}

// Linear returns x·wᵀ + bias over the last axis of x, for a weight w [out, in] and a bias [out] that may be nil.
func (x *Tensor) Linear(w, bias *Tensor) *Tensor { return x.linear(w, bias, op.Invalid) }

// linearReLU returns x.Linear(w, bias).ReLU(), without keeping what lies between.
func (x *Tensor) linearReLU(w, bias *Tensor) *Tensor { return x.linear(w, bias, op.ReLU).rectified() }

// linear is Linear with what follows it, of which no record is made.
func (x *Tensor) linear(w, bias *Tensor, then op.Op) *Tensor {
	if a := autocastOf(x, w); a != nil {
		x, w, bias = a.three("linear", x, w, bias)
	}
	refuseNil("linear", "input", 1, x)
	refuseNil("linear", "weight", 2, w)
	rank := x.layout.Rank()
	switch {
	case rank == 0 || w.layout.Rank() == 0:
		fail("linear", ErrShape, fmt.Sprintf("both arguments to linear need to be at least 1D, but they are %dD and %dD", rank, w.layout.Rank()), x, w)
	}
	x.checkLinearDevices(w, bias)
	switch {
	case bias == nil:
		return x.MatMul(w.T()).overwritten(then)
	case rank == 2:
		return bias.addMM(x, w.T(), 1, 1, then)
	case !x.layout.IsContiguous(), w.layout.Rank() == 1:
		return x.MatMul(w.T()).Add(bias).overwritten(then)
	}
	last := x.layout.Shape()[rank-1]
	shape := append(Shape{}, x.layout.Shape()[:rank-1]...)
	rows, _ := shape.NumEl()
	flat := bias.addMM(x.Reshape(rows, last), w.T(), 1, 1, then)
	return flat.View(append(shape, flat.layout.Shape()[1])...)
}

// checkLinearDevices panics with the text of the products that Linear is made of, and a hint that speaks of the layer.
func (x *Tensor) checkLinearDevices(w, bias *Tensor) {
	from, to := x.storage.device, w.storage.device
	if from == to && (bias == nil || bias.storage.device == from) || w.layout.Rank() != 2 {
		return
	}
	operands := []argument{{"input", x}, {"weight", w}, {"bias", bias}}
	flat := x.layout.Rank() == 2 || x.layout.IsContiguous()
	switch {
	case bias != nil && flat && bias.storage.device != from:
		failArgument("addmm", "wrapper_CUDA_addmm", "mat1", bias.storage.device, from, operands...)
	case bias != nil && flat:
		failArgument("addmm", "wrapper_CUDA_addmm", "mat2", from, to, operands...)
	case from != to:
		failArgument("mm", "wrapper_CUDA_mm", "mat2", from, to, operands...)
	}
}
