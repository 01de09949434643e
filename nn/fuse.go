package nn

import "cresset/tensor"

// FuseConvBN1D returns a convolution that computes what bn computes of conv's result, for evaluation. It panics where bn is in training
// or has no running statistics.
func FuseConvBN1D(conv *Conv1D, bn *BatchNorm1D) *Conv1D {
	fused := *conv
	fused.Weight, fused.Bias = bn.fold(conv.Weight, conv.Bias)
	return &fused
}

// FuseConvBN2D is FuseConvBN1D for layers of two axes.
func FuseConvBN2D(conv *Conv2D, bn *BatchNorm2D) *Conv2D {
	fused := *conv
	fused.Weight, fused.Bias = bn.fold(conv.Weight, conv.Bias)
	return &fused
}

// FuseLinearBN1D is FuseConvBN1D for a linear layer.
func FuseLinearBN1D(linear *Linear, bn *BatchNorm1D) *Linear {
	weight, bias := bn.fold(linear.Weight, linear.Bias)
	return &Linear{Weight: weight, Bias: bias}
}

// fold returns the parameters of a layer that is followed by b: w·s and (bias-mean)·s + shift, s = b.Weight/√(var+eps).
func (b *BatchNorm) fold(weight, bias *tensor.Tensor) (w, shift *tensor.Tensor) {
	if b.Training() || b.RunningMean == nil {
		panic(fault("fuse", "Fusion only for eval!"))
	}
	scale, offset := b.RunningVar.AddScalar(b.Eps).Rsqrt(), b.RunningMean.Neg()
	if bias != nil {
		offset = offset.Add(bias.Detach())
	}
	if b.Weight != nil {
		scale = scale.Mul(b.Weight.Detach())
	}
	offset = offset.Mul(scale)
	if b.Bias != nil {
		offset = offset.Add(b.Bias.Detach())
	}
	channels := append([]int{-1}, make([]int, weight.Dim()-1)...)
	for i := range channels[1:] {
		channels[i+1] = 1
	}
	return tensor.Parameter(weight.Detach().Mul(scale.Reshape(channels...)).To(weight.DType())), tensor.Parameter(offset.To(weight.DType()))
}
