package tensor

import (
	"cresset/dtype"
	"cresset/internal/op"
)

// dropout is Dropout in one kernel, which some devices have: their masks are those of PyTorch's own such kernel.
func (x *Tensor) dropout(keep float64, g *Generator) *Tensor {
	return x.dropped(x.like(op.Dropout, x.dtype), keep, g, x)
}

// dropoutAdded returns residual plus what dropout leaves of x, by one kernel and another for the gradient, with the numbers and bits of both ops; nil where those have to do
// it: on the CPU, where they would copy or cast otherwise, and in compiled functions, whose norms add residuals by themselves.
func (x *Tensor) dropoutAdded(p float64, residual *Tensor, g *Generator) *Tensor {
	if x == nil || residual == nil || !(0 < p && p < 1) || !x.dtype.IsFloat() || !residual.widens(x) || !x.storage.backend.Has(op.DropoutGrad, x.dtype) {
		return nil
	}
	shape := residual.layout.Shape()
	if !x.layout.IsContiguous() || !residual.layout.IsContiguous() || !x.layout.Shape().Equal(shape) || x.NumEl() == 0 || x.inRecording() || residual.inRecording() {
		return nil
	}
	out := x.dropped(residual.empty(op.Add, residual.dtype, shape, x), 1-p, g, x, residual)
	record(out, op.Add, addGrad, nil, residual, out)
	return out
}

// dropped writes what dropout leaves of x to out, with what ins has besides added, and records the gradient for x.
func (x *Tensor) dropped(out *Tensor, keep float64, g *Generator, ins ...*Tensor) *Tensor {
	mask := x.like(op.Dropout, dtype.Bool)
	draw := op.Draw{Generator: g.of("dropout", x.storage.device), A: keep}
	launch(op.Dropout, x.dtype, draw, []*Tensor{out, mask}, ins)
	record(out, op.Dropout, dropoutGrad, 1/keep, x).save(mask)
	return out
}

// dropoutGrad is dy · mask · scale, in the dtype of what was dropped. Compiled functions make it of ops, which join what stands around them.
func dropoutGrad(b *backprop, dy *Tensor) {
	mask, scale, dt := b.saved(0), b.params().(float64), b.current.edges[0].dtype
	if b.creates || dy.inRecording() || mask.inRecording() {
		b.give(0, dy.To(dt).Mul(mask).MulScalar(scale))
		return
	}
	dx := dy.like(op.DropoutGrad, dt)
	launch(op.DropoutGrad, dt, op.Number{A: scale}, []*Tensor{dx}, []*Tensor{dy, mask})
	b.give(0, dx)
}
