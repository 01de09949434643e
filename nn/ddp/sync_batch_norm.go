package ddp

import (
	"cresset/dist"
	"cresset/dtype"
	"cresset/nn"
	"cresset/tensor"
)

// ConvertSyncBatchNorm has the batch normalizations of a model take mean and variance from the batches of all ranks in training, in place, and returns the model: PyTorch's
// SyncBatchNorm.convert_sync_batchnorm. Batches may differ in size, and one may be empty. All ranks call Forward and Backward in the same order.
func ConvertSyncBatchNorm[M any](model M, g *dist.Group) M {
	for _, m := range nn.Modules(model) {
		if b, ok := m.(*nn.BatchNorm); ok {
			b.Sync = nil
			if g.Size() > 1 {
				b.Sync = func(b *nn.BatchNorm, x *tensor.Tensor, momentum float64) *tensor.Tensor {
					return synced(g, b, x, momentum)
				}
			}
		}
	}
	return model
}

// synced returns (x - mean) / √(variance + eps) · weight + bias, and has the running statistics follow.
func synced(g *dist.Group, b *nn.BatchNorm, x *tensor.Tensor, momentum float64) *tensor.Tensor {
	f := &syncBatchNorm{group: g, eps: b.Eps}
	y := tensor.Apply(f, x, b.Weight, b.Bias)[0]
	if b.RunningMean != nil {
		for _, r := range []struct{ running, batch *tensor.Tensor }{
			{b.RunningMean, f.mean}, {b.RunningVar, f.variance.MulScalar(f.count / (f.count - 1))},
		} {
			r.running.MulScalarInPlace(1-momentum).AddScaledInPlace(r.batch, momentum)
		}
	}
	return y
}

// syncBatchNorm is one call; the statistics are those of all ranks.
type syncBatchNorm struct {
	group          *dist.Group
	eps            float64
	mean, variance *tensor.Tensor
	count          float64 // of elements of a channel
}

// Forward joins what the ranks know of their own batches: counts n, means m and sums of squares around them s, from which mean M = Σ n·m / N and variance
// (Σ s + Σ n·(m - M)²) / N follow without a loss of digits.
func (f *syncBatchNorm) Forward(c *tensor.FunctionContext, inputs ...*tensor.Tensor) []*tensor.Tensor {
	x, weight, bias := inputs[0], inputs[1], inputs[2]
	channels, wide := x.Size(1), wideOf(x)
	mine := tensor.On(x.Device()).As(dtype.Float64).Zeros(2*channels + 1)
	if each := x.NumEl() / max(channels, 1); each > 0 {
		mean := wide.MeanAxes(others(x))
		squares := wide.Sub(perChannel(mean, x)).Square().SumAxes(others(x))
		mine = tensor.Cat([]*tensor.Tensor{mean.Double(), squares.Double(), tensor.On(x.Device()).As(dtype.Float64).Full([]int{1}, each)}, 0)
	}
	all := tensor.On(x.Device()).As(dtype.Float64).Empty(f.group.Size(), 2*channels+1)
	must(f.group.AllGather(all, mine).Wait(ctx))
	means, squares, counts := all.Narrow(1, 0, channels), all.Narrow(1, channels, channels), all.Narrow(1, 2*channels, 1)
	f.count = counts.Sum().Float64()
	mean := means.Mul(counts).SumAxes([]int{0}).DivScalar(f.count)
	variance := means.Sub(mean).Square().Mul(counts).Add(squares).SumAxes([]int{0}).DivScalar(f.count)
	f.mean, f.variance = mean.To(wide.DType()), variance.To(wide.DType())
	c.Save(x, weight, f.mean, variance.AddScalar(f.eps).Rsqrt().To(wide.DType()))
	return []*tensor.Tensor{x.BatchNorm(weight, bias, f.mean, f.variance, tensor.Training(false), tensor.Eps(f.eps))}
}

// Backward is dx = weight/σ · (dy - Σ dy/N - (x - mean)/σ² · Σ dy·(x - mean)/N), the sums over all ranks; the gradients of weight and bias are those of this rank's batch.
func (f *syncBatchNorm) Backward(c *tensor.FunctionContext, grads ...*tensor.Tensor) []*tensor.Tensor {
	saved := c.Saved()
	x, weight, mean, invstd := saved[0], saved[1], saved[2], saved[3]
	dy, apart := wideOf(grads[0]), wideOf(x).Sub(perChannel(mean, x))
	sums := tensor.Stack([]*tensor.Tensor{dy.SumAxes(others(x)), dy.Mul(apart).SumAxes(others(x))}, 0)
	out := make([]*tensor.Tensor, 3)
	if weight != nil {
		out[1] = sums.Select(0, 1).Mul(invstd).To(weight.DType())
		out[2] = sums.Select(0, 0).To(weight.DType())
	}
	if c.NeedsInputGrad(0) {
		means := sums.To(dtype.Float64, tensor.Copy(true))
		must(f.group.AllReduce(means, dist.Sum).Wait(ctx))
		means = means.DivScalar(f.count).To(sums.DType())
		scale := invstd
		if weight != nil {
			scale = scale.Mul(weight.To(invstd.DType()))
		}
		dx := dy.Sub(perChannel(means.Select(0, 0), x)).Sub(apart.Mul(perChannel(means.Select(0, 1).Mul(invstd.Square()), x)))
		out[0] = dx.Mul(perChannel(scale, x)).To(x.DType())
	}
	return out
}

// wideOf returns x in the dtype in which it is summed.
func wideOf(x *tensor.Tensor) *tensor.Tensor {
	if x.DType() == dtype.Float64 {
		return x
	}
	return x.Float()
}

// others returns the axes of x [N, C, …] beside that of channels.
func others(x *tensor.Tensor) []int {
	axes := []int{0}
	for i := 2; i < x.Dim(); i++ {
		axes = append(axes, i)
	}
	return axes
}

// perChannel returns a value of each channel in a shape that broadcasts with x.
func perChannel(v, x *tensor.Tensor) *tensor.Tensor {
	shape := make([]int, x.Dim())
	for i := range shape {
		shape[i] = 1
	}
	shape[1] = -1
	return v.Reshape(shape...)
}
