package tensor

import (
	"math"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// IncludeSelf makes ScatterReduce and IndexReduce join what they find in a place with the elements of src, as they do unless given,
// or the elements of src alone.
type IncludeSelf bool

// reducing is what ScatterReduce was told.
type reducing struct {
	axis   int
	reduce string
	self   bool
}

// ScatterReduce returns x with the elements of src joined to the places that index names along one axis, as Scatter does. They are
// joined by "sum", "prod", "mean", "amax" or "amin", in the order of src. Means of integers are rounded down.
func (x *Tensor) ScatterReduce(axis int, index, src *Tensor, reduce string, self ...IncludeSelf) *Tensor {
	switch reduce {
	case "sum", "prod", "mean", "amax", "amin":
	default:
		fail("scatter_reduce", ErrValue, "reduce argument must be either sum, prod, mean, amax or amin, got "+reduce, x, index, src)
	}
	return x.scatterReduced("scatter_reduce", axis, index, src, reduce, last(self, true))
}

func (x *Tensor) scatterReduced(name string, axis int, index, src *Tensor, reduce string, self bool) *Tensor {
	refuseNil(name, "src", 4, src)
	if reduce == "mean" && x.dtype == dtype.Bool {
		fail(name, ErrKernel, noKernel("scatter_gather_tensor_cpu_reduce_mean", x.dtype, x), x, index, src)
	}
	s := x.scattering(name, axis, index, src)
	p := reducing{s.axis, reduce, self}
	out := x.Detach().reducedBy(p, s.index, s.src.Detach())
	record(out, op.ScatterReduce, scatterReduceGrad, p, x, src).save(x, s.index, src, out)
	return out
}

// reducedBy is ScatterReduce without a gradient record.
func (x *Tensor) reducedBy(p reducing, index, src *Tensor) *Tensor {
	out := x.empty(op.ScatterReduce, x.dtype, x.layout.Shape(), index, src).copyFrom(x)
	if !p.self {
		out = out.Scatter(p.axis, index, identityOf(p.reduce, x.dtype))
	}
	switch p.reduce {
	case "sum", "mean":
		out.scatterBy(op.ScatterAdd, p.axis, index, src)
	case "prod":
		out.scatterBy(op.ScatterProd, p.axis, index, src)
	case "amax":
		out.scatterBy(op.ScatterAMax, p.axis, index, src)
	case "amin":
		out.scatterBy(op.ScatterAMin, p.axis, index, src)
	}
	switch {
	case p.reduce != "mean":
		return out
	case x.dtype.IsFloat():
		return out.Div(out.countsOf(p, index))
	default:
		return out.FloorDivide(out.countsOf(p, index))
	}
}

// identityOf is what changes no element that is joined to it.
func identityOf(reduce string, dt dtype.DType) any {
	switch {
	case reduce == "prod":
		return 1
	case reduce == "amax" && dt.IsFloat():
		return math.Inf(-1)
	case reduce == "amin" && dt.IsFloat():
		return math.Inf(1)
	case reduce == "amax":
		return ranges[dt].low
	case reduce == "amin":
		return ranges[dt].high
	}
	return 0
}

// countsOf returns how many elements are joined in each place of x, at least 1.
func (x *Tensor) countsOf(p reducing, index *Tensor) *Tensor {
	one := backend.Scalar{I: 1, Kind: backend.IntScalar}
	n := x.like(op.Fill, x.dtype).fill(one)
	if !p.self {
		n.fill(backend.Scalar{})
	}
	n.scatterBy(op.ScatterAdd, p.axis, index, index.like(op.Fill, x.dtype).fill(one))
	if !p.self {
		n = n.MaskedFill(n.EqScalar(0), 1)
	}
	return n
}

func scatterReduceGrad(b *backprop, dy *Tensor) {
	p, x, index, src, y := b.params().(reducing), b.saved(0), b.saved(1), b.saved(2), b.saved(3)
	if src.layout.Rank() == 0 {
		src = src.Reshape(1)
	}
	src = src.first(index.layout.Shape())
	var dx, dsrc *Tensor
	switch p.reduce {
	case "sum":
		dx, dsrc = dy, dy.Gather(p.axis, index)
	case "mean":
		dx = dy.Div(y.Detach().countsOf(p, index))
		dsrc = dx.Gather(p.axis, index)
	case "prod":
		dx, dsrc = scatterProdGrad(p, dy, x, index, src, y)
	default:
		dx, dsrc = scatterExtremeGrad(p, dy, x, index, src, y)
	}
	if !p.self {
		dx = dx.Scatter(p.axis, index, 0)
	}
	b.give(0, dx)
	b.giveNeeded(1, func() *Tensor { return dsrc.paddedTo(b.input(1)) })
}

// scatterProdGrad divides products by each factor. Where one is zero, the product without it takes the quotient's place; where there
// are more, all quotients are zero.
func scatterProdGrad(p reducing, dy, x, index, src, y *Tensor) (dx, dsrc *Tensor) {
	product := func(x, src *Tensor) *Tensor {
		return x.ScatterReduce(p.axis, index, src, p.reduce, IncludeSelf(p.self))
	}
	nonZero := x.MaskedFill(x.EqScalar(0), 1)
	dx = dy.Mul(product(nonZero, src)).Div(nonZero)
	zero := src.EqScalar(0)
	zeros := x.zerosAs(dtype.Int64, x.layout.Shape())
	zeros.scatterBy(op.ScatterAdd, p.axis, index, zero.cast(dtype.Int64))
	only := zero.LogicalAnd(zeros.Gather(p.axis, index).EqScalar(1))
	without := dy.Mul(product(x, src.MaskedFill(only, 1))).Gather(p.axis, index)
	quotient := dy.Mul(y).Gather(p.axis, index).Div(src.MaskedFill(zero, 1))
	return dx, Where(only, without, quotient)
}

// scatterExtremeGrad divides the gradient evenly among the elements that are the extreme.
func scatterExtremeGrad(p reducing, dy, x, index, src, y *Tensor) (dx, dsrc *Tensor) {
	y = y.Detach()
	own, of := x.Eq(y).cast(dy.dtype), src.Eq(y.Gather(p.axis, index)).cast(dy.dtype)
	share := own.Clone()
	share.scatterBy(op.ScatterAdd, p.axis, index, of)
	share = dy.Div(share)
	return share.Mul(own), share.Gather(p.axis, index).Mul(of)
}

// ScatterReduceInPlace joins the elements of src to the places of x that ScatterReduce says.
func (x *Tensor) ScatterReduceInPlace(axis int, index, src *Tensor, reduce string, self ...IncludeSelf) *Tensor {
	x.mutable(op.ScatterReduce, src)
	return x.become(op.ScatterReduce, x.ScatterReduce(axis, index, src, reduce, self...))
}

// IndexReduce returns x with src joined at those indices of one axis that index, a vector, names. They are joined by "prod", "mean",
// "amax" or "amin", in the order of src. Means of integers are rounded down.
func (x *Tensor) IndexReduce(axis int, index, src *Tensor, reduce string, self ...IncludeSelf) *Tensor {
	const name = "index_reduce"
	switch reduce {
	case "prod", "mean", "amax", "amin":
	default:
		fail(name, ErrValue, "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got "+reduce+".", x, index, src)
	}
	axis = x.checkIndexAdd(name, axis, index, src)
	return x.scatterReduced(name, axis, index.alongAxis(axis, src.layout.Shape()), src, reduce, last(self, true))
}

// alongAxis expands a vector of indices of an axis to a shape.
func (x *Tensor) alongAxis(axis int, shape Shape) *Tensor {
	if len(shape) == 0 {
		return x.Detach().Reshape()
	}
	return x.Detach().Reshape(lineShape(len(shape), axis, x.layout.Size())...).Expand(shape...)
}

// IndexReduceInPlace joins src to x as IndexReduce says.
func (x *Tensor) IndexReduceInPlace(axis int, index, src *Tensor, reduce string, self ...IncludeSelf) *Tensor {
	x.mutable(op.ScatterReduce, src)
	return x.become(op.ScatterReduce, x.IndexReduce(axis, index, src, reduce, self...))
}
