package tensor

import (
	"fmt"

	"cresset/internal/op"
)

// Mean returns the mean of all elements, a tensor without axes; NaN where there are none. It panics for integers.
func (x *Tensor) Mean() *Tensor {
	x.checkMean()
	out := x.total(op.Mean)
	record(out, op.Mean, meanGrad, nil, x)
	return out
}

func meanGrad(b *backprop, dy *Tensor) {
	shape := b.input(0)
	n, _ := shape.NumEl()
	b.give(0, dy.DivScalar(max(n, 1)).Expand(shape...))
}

// MeanAxes returns the mean over axes, which disappear unless KeepDim is given. It panics for integers.
func (x *Tensor) MeanAxes(axes []int, keep ...KeepDim) *Tensor {
	x.checkMean()
	p := x.reduced("mean", axes, kept(keep))
	out := x.reduce(op.MeanAxes, p, p)
	record(out, op.MeanAxes, meanAxesGrad, p, x)
	return out
}

func meanAxesGrad(b *backprop, dy *Tensor) {
	p, shape := b.params().(op.Reduce), b.input(0)
	b.give(0, dy.DivScalar(max(count(p, shape), 1)).restore(p, shape))
}

func (x *Tensor) checkMean() {
	if !x.dtype.IsFloat() {
		fail("mean", ErrDType, fmt.Sprintf("mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: %s",
			x.dtype.ScalarName()), x)
	}
}

// count returns how many elements a reduction makes into one.
func count(p op.Reduce, shape Shape) int {
	n := 1
	for i, d := range shape {
		if p.Axes&(1<<i) != 0 {
			n *= d
		}
	}
	return n
}
