package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/op"
)

// BatchNorm returns (x - mean) / √(variance + Eps) · weight + bias for each channel of x [N, C, …]. With Training(true) mean
// and biased variance are the batch's, and runningMean and runningVar, where given, change in place by the mean and the
// unbiased variance; otherwise they are runningMean and runningVar. weight and bias may be nil. It takes Training, Momentum
// and Eps.
func (x *Tensor) BatchNorm(weight, bias, runningMean, runningVar *Tensor, opts ...BatchNormOption) *Tensor {
	const name = "batch_norm"
	p, axis := readBatchNorm(opts), x.axis(name, 1)
	channels := x.layout.Shape()[axis]
	switch {
	case p.Training && channels > 0 && x.NumEl() == channels:
		fail(name, ErrValue, "Expected more than 1 value per channel when training, got input size "+x.layout.Shape().String(), x)
	case p.Training && p.Eps <= 0:
		fail(name, ErrValue, "batch_norm eps must be positive during training, but got "+pythonFloat(p.Eps), x)
	}
	return x.batchNorm(weight, bias, runningMean, runningVar, p)
}

func readBatchNorm(opts []BatchNormOption) op.Normalize {
	p := op.Normalize{Eps: 1e-5, Momentum: 0.1}
	for _, o := range opts {
		switch o := o.(type) {
		case Training:
			p.Training = bool(o)
		case Momentum:
			p.Momentum = float64(o)
		case Eps:
			p.Eps = float64(o)
		}
	}
	return p
}

func (x *Tensor) batchNorm(weight, bias, runningMean, runningVar *Tensor, p op.Normalize) *Tensor {
	x.checkBatchNorm(weight, bias, runningMean, runningVar, p.Training)
	channels := Shape{x.layout.Shape()[1]}
	out := x.empty(op.BatchNorm, x.dtype, x.layout.Shape(), weight, bias)
	mean := x.empty(op.BatchNorm, statsType(x.dtype), channels)
	invstd := x.empty(op.BatchNorm, statsType(x.dtype), channels)
	outs, ins := []*Tensor{out, mean, invstd}, []*Tensor{x, weight, bias}
	switch {
	case !p.Training:
		ins = append(ins, runningMean, runningVar)
	case runningMean != nil && x.NumEl() > 0:
		outs = append(outs, runningMean, runningVar)
	}
	launch(op.BatchNorm, x.dtype, p, outs, ins)
	for _, running := range outs[3:] {
		running.storage.version++
	}
	n := record(out, op.BatchNorm, batchNormGrad, p, x, weight, bias)
	n.save(x, weight)
	n.derive(mean, invstd)
	return out
}

func batchNormGrad(b *backprop, dy *Tensor) {
	if b.creates {
		batchNormComposed(b, dy)
		return
	}
	x, weight, mean, invstd := b.saved(0), b.saved(1), b.saved(2), b.saved(3)
	dx := dy.like(op.BatchNormGrad, dy.dtype)
	dw, db := mean.like(op.BatchNormGrad, mean.dtype), mean.like(op.BatchNormGrad, mean.dtype)
	launch(op.BatchNormGrad, dy.dtype, b.params(), []*Tensor{dx, dw, db}, []*Tensor{dy, x, weight, mean, invstd})
	b.give(0, dx)
	b.give(1, dw)
	b.give(2, db)
}

func (x *Tensor) checkBatchNorm(weight, bias, runningMean, runningVar *Tensor, training bool) {
	name := op.BatchNorm.String()
	axis := x.axis(name, 1)
	channels := x.layout.Shape()[axis]
	refuseIntegers(name, "batch_norm", x)
	running := []argument{{"running_mean", runningMean}, {"running_var", runningVar}}
	for _, a := range running {
		switch {
		case a.t == nil && !training:
			fail(name, ErrValue, a.name+" must be defined in evaluation mode", x)
		case a.t == nil && runningMean != runningVar:
			fail(name, ErrValue, "running_mean and running_var must be given together", x)
		}
		refuseGrad("native_batch_norm", a)
	}
	for _, a := range append(running, argument{"weight", weight}, argument{"bias", bias}) {
		if a.t == nil {
			continue
		}
		if a.t.NumEl() != channels || a.t.layout.Rank() != 1 {
			fail(name, ErrShape, fmt.Sprintf("%s should contain %d elements not %d", a.name, channels, a.t.NumEl()), x, a.t)
		}
		x.checkStats(op.BatchNorm, a)
	}
}

// checkStats panics unless a holds floats on x's device that fit x's: of its dtype, or of float32 where x is a half.
func (x *Tensor) checkStats(o op.Op, a argument) {
	checkArguments(o, argument{"input", x}, a)
	if a.t.dtype == statsType(x.dtype) || a.t.dtype == x.dtype {
		return
	}
	switch {
	case x.IsCUDA():
		checkScalarType(o.String(), x, a.t)
	case a.t.dtype != dtype.Float32:
		fail(o.String(), ErrDType, "mixed dtype (CPU): expect parameter to have scalar type of Float", x, a.t)
	default:
		fail(o.String(), ErrDType, "mixed dtype (CPU): all inputs must share same datatype.", x, a.t)
	}
}
