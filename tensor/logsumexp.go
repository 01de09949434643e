package tensor

import (
	"cresset/dtype"
	"cresset/internal/op"
)

// LogSumExp returns log Σ eˣ over axes, all where none is named, without overflow on the way; the axes disappear unless
// KeepDim is given. Integers become float32 first.
func (x *Tensor) LogSumExp(axes []int, keep ...KeepDim) *Tensor {
	x = x.autocast(op.LogSumExp)
	y := x
	if !x.dtype.IsFloat() {
		y = x.cast(dtype.Default)
	}
	p := y.reduced("logsumexp", axes, kept(keep))
	out := y.reduce(op.LogSumExp, p, p)
	record(out, op.LogSumExp, kernelGrad, p, x).save(out, x)
	return out
}
