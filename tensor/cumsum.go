package tensor

import "cresset/internal/op"

// CumSum returns along an axis the sum of each element and those before it. Sums of integers and bools are int64.
func (x *Tensor) CumSum(axis int) *Tensor {
	x = x.autocast(op.CumSum)
	p := op.Axis{Axis: x.axis("cumsum", axis)}
	y := x.summable()
	out := y.like(op.CumSum, sumType(x.dtype))
	launch(op.CumSum, y.dtype, p, []*Tensor{out}, []*Tensor{y})
	record(out, op.CumSum, cumSumGrad, p, x)
	return out
}

func cumSumGrad(b *backprop, dy *Tensor) {
	b.give(0, dy.sumBehind(b.params().(op.Axis)))
}
