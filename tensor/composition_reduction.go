package tensor

import (
	"math"

	"cresset/dtype"
	"cresset/internal/op"
)

// The gradients of reductions as recorded ops: each is what its kernel computes.

func softmaxComposed(b *backprop, dy *Tensor) {
	y, axis := b.saved(0), b.params().(op.Axis).Axis
	g := dy.Mul(y)
	b.give(0, g.Sub(y.Mul(g.sumAlong(axis))))
}

func logSoftmaxComposed(b *backprop, dy *Tensor) {
	b.give(0, dy.throughLogSoftmax(b.saved(0), b.params().(op.Axis).Axis))
}

// throughLogSoftmax returns the gradient for the operand of a LogSoftmax whose result is y.
func (dy *Tensor) throughLogSoftmax(y *Tensor, axis int) *Tensor {
	return dy.Sub(y.Exp().Mul(dy.sumAlong(axis)))
}

// sumAlong sums along an axis, which stays with extent 1; without axes x is its own sum.
func (x *Tensor) sumAlong(axis int) *Tensor {
	if x.layout.Rank() == 0 {
		return x
	}
	return x.SumAxes([]int{axis}, KeepDim(true))
}

// reduction is what the node of a reduction tells: how it reduced, and dy and its result expanded to its operand's shape.
func (b *backprop) reduction() op.Reduce {
	if p, ok := b.params().(op.Reduce); ok {
		return p
	}
	return op.Reduce{Axes: 1<<len(b.input(0)) - 1}
}

func logSumExpComposed(b *backprop, dy *Tensor) {
	y, x, p := b.saved(0), b.saved(1), b.reduction()
	shape := x.layout.Shape()
	b.give(0, dy.restore(p, shape).Mul(x.Sub(y.restore(p, shape)).Exp()))
}

func varComposed(b *backprop, dy *Tensor) {
	b.give(0, dy.throughVar(b.saved(0), b.reduction()))
}

// throughVar returns the gradient for x, whose variance has the gradient dy.
func (dy *Tensor) throughVar(x *Tensor, p op.Reduce) *Tensor {
	shape := x.layout.Shape()
	n := float64(count(p, shape))
	return dy.MulScalar(2/(n-p.Correction)).restore(p, shape).Mul(x.Sub(x.meanOver(p.Axes)))
}

// meanOver returns the mean over axes, a bit each, which stay with extent 1.
func (x *Tensor) meanOver(axes uint32) *Tensor {
	var named []int
	for i := range x.layout.Rank() {
		if axes&(1<<i) != 0 {
			named = append(named, i)
		}
	}
	if len(named) == 0 {
		return x
	}
	return x.MeanAxes(named, KeepDim(true))
}

func stdComposed(b *backprop, dy *Tensor) {
	y, x := b.saved(0), b.saved(1)
	b.give(0, dy.over(y.MulScalar(2)).throughVar(x, b.reduction()))
}

// over returns x/y, and 0 where y is 0, also to those who differentiate it.
func (x *Tensor) over(y *Tensor) *Tensor {
	zero := y.EqScalar(0)
	return x.Div(y.MaskedFill(zero, 1)).MaskedFill(zero, 0)
}

// normComposed lets nothing flow to zeros, nor where the norm is 0; equal extremes share.
func normComposed(b *backprop, dy *Tensor) {
	y, x, p := b.saved(0), b.saved(1), b.reduction()
	shape := x.layout.Shape()
	dy, y = dy.restore(p, shape), y.restore(p, shape)
	switch {
	case p.P == 0:
		zeroGrad(b, x)
	case math.IsInf(p.P, 0):
		b.give(0, dy.sharedBy(x.Abs().Eq(y), p).Mul(x.Sign()))
	case p.P == 1:
		b.give(0, dy.Mul(x.Sign()))
	case p.P == 2:
		b.give(0, dy.over(y).Mul(x))
	default:
		none := x.EqScalar(0).LogicalOr(y.EqScalar(0))
		size, whole := x.Abs().MaskedFill(none, 1), y.MaskedFill(none, 1)
		b.give(0, dy.Mul(size.Div(whole).Pow(p.P-1)).Mul(x.Sign()).MaskedFill(none, 0))
	}
}

// sharedBy divides x, which was expanded along reduced axes, evenly among the places of each row that are chosen.
func (x *Tensor) sharedBy(chosen *Tensor, p op.Reduce) *Tensor {
	shape := x.layout.Shape()
	p.Keep = true
	params := any(p)
	number := chosen.reduce(op.SumAxes, p, params).cast(x.dtype).Expand(shape...)
	return x.Div(number).MaskedFill(chosen.LogicalNot(), 0)
}

// shareComposed is the gradient of an extreme: what is equally large shares it.
func shareComposed(b *backprop, dy *Tensor) {
	y, x, p := b.saved(0), b.saved(1), b.reduction()
	shape := x.layout.Shape()
	y = y.restore(p, shape)
	chosen := x.Eq(y).LogicalOr(x.IsNaN().LogicalAnd(y.IsNaN()))
	b.give(0, dy.restore(p, shape).sharedBy(chosen, p))
}

// pickComposed is the gradient of the extremes along an axis: it goes to where the saved indices say.
func pickComposed(b *backprop, dy *Tensor) {
	index, p, shape := b.saved(0), b.reduction(), b.input(0)
	if len(shape) == 0 {
		b.give(0, dy)
		return
	}
	axis := 0
	for p.Axes&(1<<axis) == 0 {
		axis++
	}
	b.give(0, dy.zeros(shape).ScatterAdd(axis, index.keepAxes(p, shape), dy.keepAxes(p, shape)))
}

// prodComposed multiplies the others of each element. Without zeros they are the product over the element; else each row is multiplied
// once for each of its elements, with a one in the element's place.
func prodComposed(b *backprop, dy *Tensor) {
	x, p := b.saved(0), b.reduction()
	shape := x.layout.Shape()
	if x.NumEl() == 0 {
		zeroGrad(b, x)
		return
	}
	if len(shape) == 0 {
		b.give(0, dy)
		return
	}
	axis := 0
	rows := x
	if p.Axes == 1<<len(shape)-1 {
		rows = x.Reshape(-1)
	} else {
		for p.Axes&(1<<axis) == 0 {
			axis++
		}
	}
	n := rows.layout.Shape()[axis]
	var others *Tensor
	if x.Detach().EqScalar(0).Any().Item() == true {
		wide := append(append(Shape{}, rows.layout.Shape()...), n)
		same := x.countingAlong(axis, n, len(wide)).Eq(x.countingAlong(len(wide)-1, n, len(wide)))
		others = rows.Unsqueeze(-1).Expand(wide...).MaskedFill(same, 1).ProdAxis(axis)
		others = others.MoveAxis([]int{-1}, []int{axis})
	} else {
		others = rows.ProdAxis(axis, KeepDim(true)).Div(rows)
	}
	b.give(0, dy.restore(p, shape).Mul(others.Reshape(shape...)))
}

// maxPoolComposed adds each gradient where the largest element of its window was.
func maxPoolComposed(b *backprop, dy *Tensor) {
	index, shape := b.saved(0), b.input(0)
	rank := len(shape)
	plane := append(append(Shape{}, shape[:rank-2]...), shape[rank-2]*shape[rank-1])
	sum := dy.zeros(plane).ScatterAdd(-1, index.Flatten(-2, -1), dy.Flatten(-2, -1))
	b.give(0, sum.Reshape(shape...))
}

// avgPoolComposed is linear in dy: its own gradient is the pool.
func avgPoolComposed(b *backprop, dy *Tensor) {
	o := b.current.op
	d, _ := o.Derivative()
	dx := dy.empty(d, dy.dtype, b.input(0))
	launch(d, dy.dtype, b.params(), []*Tensor{dx}, []*Tensor{dy})
	record(dx, o, pooledGrad, pooling{o, b.params().(op.Window), dy.Shape()}, dy)
	b.give(0, dx)
}

// pooling is an average pool with the shape of its result.
type pooling struct {
	o      op.Op
	window op.Window
	shape  Shape
}

func pooledGrad(b *backprop, g *Tensor) {
	p := b.params().(pooling)
	b.give(0, g.pooled(p.o, p.window, p.shape))
}

// embeddingComposed is linear in dy: its own gradient looks rows up, of which that of the padding is 0.
func embeddingComposed(b *backprop, dy *Tensor) {
	index, p := b.saved(0), b.params().(op.Lookup)
	if p.Padding >= 0 {
		dy = dy.MaskedFill(index.EqScalar(p.Padding).Unsqueeze(-1), 0)
	}
	width := dy.layout.Shape()[dy.layout.Rank()-1]
	b.give(0, dy.Reshape(-1, width).scattered(b.input(0), 0, index.Reshape(-1).cast(dtype.Int64)))
}
