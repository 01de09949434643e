package optim

import (
	"fmt"

	"cresset/nn"
	"cresset/tensor"
)

// AveragedModel holds a model whose parameters are an average of those that another had: Module computes with them. Its state has
// PyTorch's names.
type AveragedModel[M any] struct {
	Module    M
	NAveraged *tensor.Tensor `nn:"n_averaged,buffer"` // how often UpdateParameters was called
	averages  averages
}

// AveragedModelOption is an option of NewAveragedModel.
type AveragedModelOption func(*averages)

type averages struct {
	decay   *float64 // nil is the mean
	buffers bool
}

// EMADecay makes the average an exponential moving one, which keeps a share of the old, 0.999 for example. Unless given it is the mean.
func EMADecay(share float64) AveragedModelOption {
	return func(o *averages) { o.decay = &share }
}

// UseBuffers averages buffers too, which are copied unless told so.
func UseBuffers(on bool) AveragedModelOption { return func(o *averages) { o.buffers = on } }

// NewAveragedModel returns a copy of a model for an average. It panics where EMADecay is not from 0 to 1.
func NewAveragedModel[M any](model M, opts ...AveragedModelOption) *AveragedModel[M] {
	a := &AveragedModel[M]{NAveraged: tensor.Of(int64(0))}
	for _, set := range opts {
		set(&a.averages)
	}
	if d := a.averages.decay; d != nil && !(*d >= 0 && *d <= 1) {
		refuse(tensor.ErrValue, fmt.Sprintf("Invalid decay value %s provided. Please provide a value in [0,1] range.", python(*d)))
	}
	a.Module = nn.Copy(model, func(t *tensor.Tensor) *tensor.Tensor {
		return t.Detach().Clone().SetRequiresGrad(t.RequiresGrad())
	})
	return a
}

// UpdateParameters takes a model's parameters into the average. The first ones are copied.
func (a *AveragedModel[M]) UpdateParameters(model M) {
	for _, p := range nn.Parameters(model) {
		if c := inner.CaptureOf(p); c != nil {
			refuseCaptured(c, "UpdateParameters counts on the host, which a graph would not do", "call it between replays")
		}
	}
	n := a.NAveraged.Float64()
	part := 1 / (n + 1)
	if d := a.averages.decay; d != nil && n > 0 {
		part = 1 - *d
	}
	pairs(a.Module, model, func(mean, x *tensor.Tensor, isBuffer bool) {
		if n == 0 || isBuffer && !a.averages.buffers || !x.DType().IsFloat() {
			mean.CopyInPlace(x)
			return
		}
		blend(mean, x.To(mean.Device()), part)
	})
	a.NAveraged.AddScalarInPlace(1)
}

// pairs calls f for the parameters and buffers of two models that are alike.
func pairs(a, b any, f func(x, y *tensor.Tensor, isBuffer bool)) {
	xs, parameters := tensorsOf(a)
	ys, _ := tensorsOf(b)
	for i := range xs {
		f(xs[i], ys[i], i >= parameters)
	}
}

// tensorsOf returns the parameters of a model, then its buffers, untracked.
func tensorsOf(model any) (ts []*tensor.Tensor, parameters int) {
	for _, p := range nn.Parameters(model) {
		ts = append(ts, p.Detach())
	}
	parameters = len(ts)
	for _, b := range nn.Buffers(model) {
		ts = append(ts, b.Detach())
	}
	return ts, parameters
}
