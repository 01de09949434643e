package nn

import (
	"fmt"
	"iter"
	"math"

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
	norms := make([]*tensor.Tensor, len(ts))
	for i, x := range ts {
		norms[i] = x.Detach().NormAxes(o.p, nil).Double().To(ts[0].Device())
	}
	return tensor.Stack(norms, 0).NormAxes(o.p, nil)
}

// TotalNorm returns the norm of all elements of all tensors, 0 where there is no tensor. It waits for a GPU once.
func TotalNorm(ts []*tensor.Tensor, opts ...ClipOption) float64 {
	if len(ts) == 0 {
		return 0
	}
	o := clipOf(opts)
	norm := o.norm(ts).Float64()
	if o.refuseBroken && (math.IsNaN(norm) || math.IsInf(norm, 0)) {
		panic(fault("clip_grad_norm", fmt.Sprintf("The total norm of order %s for gradients from `parameters` is non-finite, so it cannot be "+
			"clipped. To disable this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`", number(o.p))))
	}
	return norm
}

// ClipGradNorm scales the gradients of all parameters by max/(norm+1e-6) where their TotalNorm is larger than max, and returns the
// norm that they had. A norm of NaN makes all gradients NaN.
func ClipGradNorm(ps iter.Seq2[string, *tensor.Tensor], max float64, opts ...ClipOption) float64 {
	norm := TotalNorm(gradients(ps), opts...)
	ClipGradsWithNorm(ps, max, norm)
	return norm
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
	scale := tensor.FullLike(norm, max).Div(norm.AddScalar(1e-6)).Clamp(nil, 1)
	for _, g := range grads {
		by := scale.To(g.Device())
		if dt := g.DType(); dt == dtype.Float16 || dt == dtype.BFloat16 { // rounds the product alone, as with a number
			g.CopyInPlace(g.Float().Mul(by))
			continue
		}
		g.MulInPlace(by)
	}
	return norm
}

// ClipGradsWithNorm is ClipGradNorm for a norm that is known.
func ClipGradsWithNorm(ps iter.Seq2[string, *tensor.Tensor], max, norm float64) {
	scale := max / (norm + 1e-6)
	if scale >= 1 {
		return
	}
	for _, g := range gradients(ps) {
		g.MulScalarInPlace(scale)
	}
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
