package nn

import (
	"fmt"
	"iter"
	"math"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// ClipOption is an option of ClipGradNorm and TotalNorm.
type ClipOption func(*clip)

type clip struct {
	p            float64
	refuseBroken bool
}

// NormType is the order p of the norm (Σ|x|ᵖ)^(1/p), 2 unless given; math.Inf(1) is the largest |x|.
func NormType(p float64) ClipOption { return func(o *clip) { o.p = p } }

// ErrorIfNonFinite refuses a norm that is NaN or infinite by a panic, in PyTorch's words.
func ErrorIfNonFinite(on bool) ClipOption { return func(o *clip) { o.refuseBroken = on } }

func clipOf(opts []ClipOption) clip {
	o := clip{p: 2}
	for _, set := range opts {
		set(&o)
	}
	return o
}

// norm returns the norm of all elements of some tensors, float64 on the device of the first.
func (o clip) norm(ts []*tensor.Tensor) *tensor.Tensor {
	var devices []device.Device
	beside := make(map[device.Device][]*tensor.Tensor)
	for _, x := range ts {
		dev := x.Device()
		if beside[dev] == nil {
			devices = append(devices, dev)
		}
		beside[dev] = append(beside[dev], x)
	}
	norms := make([]*tensor.Tensor, len(devices))
	for i, dev := range devices {
		norms[i] = o.norms(beside[dev]).To(devices[0])
	}
	if len(norms) > 1 {
		norms[0] = tensor.Cat(norms, 0)
	}
	return norms[0].NormAxes(o.p, nil)
}

// norms returns the norm of each of some tensors of one device, float64. On GPUs 2-norms are one launch for each dtype.
func (o clip) norms(ts []*tensor.Tensor) *tensor.Tensor {
	if o.p == 2 {
		if norms := inner.NewUpdates().Norms(ts); norms != nil {
			return norms
		}
	}
	norms := make([]*tensor.Tensor, len(ts))
	for i, x := range ts {
		norms[i] = x.Detach().NormAxes(o.p, nil).Double()
	}
	return tensor.Stack(norms, 0)
}

// read returns a norm's value, and refuses one that is not finite where it shall.
func (o clip) read(norm *tensor.Tensor) float64 {
	v := norm.Float64()
	if o.refuseBroken && (math.IsNaN(v) || math.IsInf(v, 0)) {
		panic(fault("clip_grad_norm", fmt.Sprintf("The total norm of order %s for gradients from `parameters` is non-finite, so it cannot be "+
			"clipped. To disable this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`", number(o.p))))
	}
	return v
}

// TotalNorm returns the norm of all elements of all tensors, 0 where there is no tensor. It waits for a GPU once.
func TotalNorm(ts []*tensor.Tensor, opts ...ClipOption) float64 {
	if len(ts) == 0 {
		return 0
	}
	o := clipOf(opts)
	return o.read(o.norm(ts))
}

// ClipGradNorm scales the gradients of all parameters by max/(norm+1e-6) where their TotalNorm is larger than max, and returns the
// norm that they had. A norm of NaN makes all gradients NaN.
func ClipGradNorm(ps iter.Seq2[string, *tensor.Tensor], max float64, opts ...ClipOption) float64 {
	o, grads := clipOf(opts), gradients(ps)
	if len(grads) == 0 {
		return 0
	}
	norm := o.norm(grads)
	v := o.read(norm)
	if !(max/(v+1e-6) >= 1) {
		clipBy(grads, norm, max)
	}
	return v
}

// ClipGradNormOnDevice is ClipGradNorm that waits for nothing, as a graph must (cuda.Capture): the norm is a float64 tensor beside the first
// gradient. It panics where there is no gradient, and with ErrorIfNonFinite, which would have to wait.
func ClipGradNormOnDevice(ps iter.Seq2[string, *tensor.Tensor], max float64, opts ...ClipOption) *tensor.Tensor {
	o, grads := clipOf(opts), gradients(ps)
	switch {
	case o.refuseBroken:
		panic(fault("clip_grad_norm", "error_if_nonfinite waits for the norm: use ClipGradNorm"))
	case len(grads) == 0:
		panic(fault("clip_grad_norm", "there is no gradient, and so no device for the norm"))
	}
	norm := o.norm(grads)
	clipBy(grads, norm, max)
	return norm
}

// ClipGradsWithNorm is ClipGradNorm for a norm that is known.
func ClipGradsWithNorm(ps iter.Seq2[string, *tensor.Tensor], max, norm float64) {
	if grads := gradients(ps); len(grads) > 0 && !(max/(norm+1e-6) >= 1) {
		clipBy(grads, tensor.On(grads[0].Device()).As(dtype.Float64).Full(nil, norm), max)
	}
}

// clipBy scales gradients by max over their norm, where that is less than 1: by one launch for each dtype of a GPU.
func clipBy(grads []*tensor.Tensor, norm *tensor.Tensor, max float64) {
	steps := inner.NewUpdates()
	defer steps.Drop() // what a panic has left
	beside := make(map[device.Device]*tensor.Tensor)
	for _, g := range grads {
		dev := g.Device()
		if beside[dev] == nil {
			beside[dev] = norm.To(dev)
		}
		steps.Clip(g, beside[dev], max)
	}
	steps.Run()
}

// ClipGradValue limits each element of all gradients to [-limit, limit].
func ClipGradValue(ps iter.Seq2[string, *tensor.Tensor], limit float64) {
	for _, g := range gradients(ps) {
		g.ClampInPlace(-limit, limit)
	}
}

// gradients returns those that there are.
func gradients(ps iter.Seq2[string, *tensor.Tensor]) (gs []*tensor.Tensor) {
	for _, p := range ps {
		if g := inner.BorrowGrad(p); g != nil {
			gs = append(gs, g)
		}
	}
	return gs
}
