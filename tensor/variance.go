package tensor

import "cresset/internal/op"

// Var returns the variance of all elements, Σ (x - mean)² / (n - 1), a tensor without axes. It panics for integers.
func (x *Tensor) Var() *Tensor { return x.VarAxes(nil) }

// VarAxes returns Σ (x - mean)² / (n - Correction) over axes, all where none is named; the axes disappear unless KeepDim is
// given. It is NaN where n is not larger than Correction. It panics for integers.
func (x *Tensor) VarAxes(axes []int, opts ...VarOption) *Tensor {
	p := x.spreadParams("var", axes, opts)
	out := x.reduce(op.Var, p, p)
	record(out, op.Var, varGrad, p, x).save(x)
	return out
}

func varGrad(b *backprop, dy *Tensor) {
	if b.creates {
		varComposed(b, dy)
		return
	}
	b.giveBy(op.VarGrad, dy, dy, dy, b.saved(0))
}

// Std returns the standard deviation of all elements, the square root of Var. It panics for integers.
func (x *Tensor) Std() *Tensor { return x.StdAxes(nil) }

// StdAxes returns the standard deviation over axes, the square root of VarAxes. It panics for integers.
func (x *Tensor) StdAxes(axes []int, opts ...VarOption) *Tensor {
	p := x.spreadParams("std", axes, opts)
	out := x.reduce(op.Std, p, p)
	record(out, op.Std, kernelGrad, p, x).save(out, x)
	return out
}

func (x *Tensor) spreadParams(name string, axes []int, opts []VarOption) op.Reduce {
	if !x.dtype.IsFloat() {
		fail(name, ErrDType, "std and var only support floating point and complex dtypes", x)
	}
	keep, correction := KeepDim(false), Correction(1)
	for _, o := range opts {
		switch o := o.(type) {
		case KeepDim:
			keep = o
		case Correction:
			correction = o
		}
	}
	p := x.reduced(name, axes, bool(keep))
	p.Correction = float64(correction)
	return p
}

// VarMean returns VarAxes and the mean over the same axes. It panics for integers.
func (x *Tensor) VarMean(axes []int, opts ...VarOption) (variance, mean *Tensor) {
	keep := x.checkWithMean("var_mean", axes, opts)
	return x.VarAxes(axes, opts...), x.MeanAxes(axes, keep)
}

// StdMean returns StdAxes and the mean over the same axes. It panics for integers.
func (x *Tensor) StdMean(axes []int, opts ...VarOption) (deviation, mean *Tensor) {
	keep := x.checkWithMean("std_mean", axes, opts)
	return x.StdAxes(axes, opts...), x.MeanAxes(axes, keep)
}

func (x *Tensor) checkWithMean(name string, axes []int, opts []VarOption) KeepDim {
	if !x.dtype.IsFloat() {
		fail(name, ErrDType, name+" only support floating point and complex dtypes", x)
	}
	return KeepDim(x.spreadParams(name, axes, opts).Keep)
}
