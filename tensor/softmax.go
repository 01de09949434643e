package tensor

import (
	"cresset/internal/op"
)

// Softmax returns eˣ / Σ eˣ along an axis. It panics for integers.
func (x *Tensor) Softmax(axis int) *Tensor { return x.softmax(op.Softmax, axis) }

// LogSoftmax returns x - log Σ eˣ along an axis. It panics for integers.
func (x *Tensor) LogSoftmax(axis int) *Tensor { return x.softmax(op.LogSoftmax, axis) }

func (x *Tensor) softmax(o op.Op, axis int) *Tensor {
	x = x.autocast(o)
	p := op.Axis{Axis: x.axis(o.String(), axis)}
	x.checkSoftmax(o, p.Axis)
	params := any(p) // boxed once
	out := x.unary(o, params)
	record(out, o, kernelGrad, params, x).save(out)
	return out
}

func (x *Tensor) checkSoftmax(o op.Op, axis int) {
	if x.dtype.IsFloat() {
		return
	}
	kernel := "kernel_impl"
	if axis >= x.layout.Rank()-1 {
		kernel = "lastdim_kernel_impl"
	}
	fail(o.String(), ErrKernel, noKernel(o.String()+"_"+kernel, x.dtype, x), x)
}
