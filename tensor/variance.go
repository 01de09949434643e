package tensor

import "cresset/internal/op"

// Var returns the variance of all elements, Σ (x - mean)² / (n - 1), a tensor without axes. It panics for integers.
func (x *Tensor) Var() *Tensor { return x.VarAxes(nil, 1, false) }

// VarAxes returns Σ (x - mean)² / (n - correction) over axes, all where none is named; the axes disappear, or stay with
// extent 1 where keep is true. It is NaN where n is not larger than correction. It panics for integers.
func (x *Tensor) VarAxes(axes []int, correction float64, keep bool) *Tensor {
	p := x.spreadParams("var", axes, correction, keep)
	out := x.reduce(op.Var, p, p)
	record(out, op.Var, varGrad, p, x).save(x)
	return out
}

func varGrad(b *backprop, dy *Tensor) { b.give(0, b.spread(op.VarGrad, dy, dy, b.saved(0))) }

// Std returns the standard deviation of all elements, the square root of Var. It panics for integers.
func (x *Tensor) Std() *Tensor { return x.StdAxes(nil, 1, false) }

// StdAxes returns the standard deviation over axes, the square root of VarAxes. It panics for integers.
func (x *Tensor) StdAxes(axes []int, correction float64, keep bool) *Tensor {
	p := x.spreadParams("std", axes, correction, keep)
	out := x.reduce(op.Std, p, p)
	record(out, op.Std, stdGrad, p, x).save(out, x)
	return out
}

func stdGrad(b *backprop, dy *Tensor) {
	b.give(0, b.spread(op.StdGrad, dy, b.saved(0), b.saved(1)))
}

func (x *Tensor) spreadParams(name string, axes []int, correction float64, keep bool) op.Reduce {
	if !x.dtype.IsFloat() {
		fail(name, ErrDType, "std and var only support floating point and complex dtypes", x)
	}
	p := x.reduced(name, axes, keep)
	p.Correction = correction
	return p
}
