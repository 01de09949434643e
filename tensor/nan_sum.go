package tensor

import "cresset/internal/op"

// NaNSum returns the sum over axes, all where none is named, of the elements that are not NaN; the axes disappear unless KeepDim
// is given. Sums of integers and bools are int64.
func (x *Tensor) NaNSum(axes []int, keep ...KeepDim) *Tensor {
	p := x.reduced("nansum", axes, kept(keep))
	if !x.dtype.IsFloat() {
		return x.reduce(op.SumAxes, p, p)
	}
	nan := x.IsNaN()
	out := x.Detach().MaskedFill(nan, 0).reduce(op.SumAxes, p, p)
	record(out, op.NaNSum, nanSumGrad, p, x).save(nan)
	return out
}

// nanSumGrad multiplies, so that a gradient that is NaN is NaN for every element.
func nanSumGrad(b *backprop, dy *Tensor) {
	b.give(0, dy.restore(b.params().(op.Reduce), b.input(0)).Mul(b.saved(0).LogicalNot()))
}

// NaNMean returns the mean over axes, all where none is named, of the elements that are not NaN; the axes disappear unless KeepDim
// is given. It is NaN where there are none, and panics for integers.
func (x *Tensor) NaNMean(axes []int, keep ...KeepDim) *Tensor {
	refuseNil("nanmean", "input", 1, x)
	if !x.dtype.IsFloat() {
		fail("nanmean", ErrDType, "nanmean(): expected input to have floating point or complex dtype but got "+x.dtype.ScalarName(), x)
	}
	count := x.IsNaN().LogicalNot().SumAxes(axes, keep...)
	return x.NaNSum(axes, keep...).Div(count)
}
