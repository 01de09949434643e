package tensor

import (
	"cresset/dtype"
	"cresset/internal/op"
)

// layerNormOfSum returns x + residual and its LayerNorm.
func (x *Tensor) layerNormOfSum(residual *Tensor, shape []int, weight, bias *Tensor, eps float64) (sum, y *Tensor) {
	if !x.takesResidual(residual, weight, bias) {
		sum = x.Add(residual)
		return sum, sum.LayerNorm(shape, weight, bias, Eps(eps))
	}
	x.checkLayerNorm(shape, weight, bias)
	p := op.Normalize{Eps: eps, Axes: len(shape)}
	return x.normalized(op.LayerNorm, p, x.rowsBut(p.Axes), weight, bias, residual)
}

// rmsNormOfSum returns x + residual and its RMSNorm.
func (x *Tensor) rmsNormOfSum(residual *Tensor, shape []int, weight *Tensor, eps ...float64) (sum, y *Tensor) {
	if !x.takesResidual(residual, weight) || weight != nil && weight.dtype != x.dtype {
		sum = x.Add(residual)
		return sum, sum.RMSNorm(shape, weight, epsOf(eps)...)
	}
	x.checkRMSNorm(shape, weight)
	p := x.rmsNormOf(shape, epsOf(eps))
	return x.normalized(op.RMSNorm, p, x.rowsBut(p.Axes), weight, nil, residual)
}

func epsOf(eps []float64) (out []Eps) {
	for _, e := range eps {
		out = append(out, Eps(e))
	}
	return out
}

// takesResidual reports whether a norm of x with weights, some of which may be nil, may add residual in its kernel, with the bits of two ops:
// where neither casts.
func (x *Tensor) takesResidual(residual *Tensor, weights ...*Tensor) bool {
	if x == nil || residual == nil || !x.widens(residual) || !x.dtype.IsFloat() || !x.addsAsOps(weights...) {
		return false
	}
	casts := latestAutocast(append(weights, x, residual)...) != nil
	for _, t := range append(weights, x) {
		if casts && t != nil && t.dtype != dtype.Float32 {
			return false
		}
	}
	return x.layout.IsContiguous() && residual.layout.IsContiguous() && x.layout.Shape().Equal(residual.layout.Shape())
}

// widens reports whether a kernel reads y, which it adds to x, as x's dtype: a half that is added to a float32 on GPUs, as Autocast has it, or one of that dtype.
func (x *Tensor) widens(y *Tensor) bool {
	if x.besides(y) {
		return true
	}
	half := y.dtype == dtype.Float16 || y.dtype == dtype.BFloat16
	return half && x.dtype == dtype.Float32 && x.storage.device == y.storage.device && !x.storage.device.IsCPU()
}
