package nn

import (
	"fmt"

	"cresset/tensor"
)

// InstanceNorm is what InstanceNorm1D, InstanceNorm2D and InstanceNorm3D share: it normalises each channel of each image by itself, and
// in evaluation by running statistics where it keeps some.
type InstanceNorm struct{ NormBase }

// InstanceNorm1D normalises each channel of each line of x [N, C, L] or [C, L].
type InstanceNorm1D struct{ InstanceNorm }

// InstanceNorm2D normalises each channel of each image of x [N, C, H, W] or [C, H, W].
type InstanceNorm2D struct{ InstanceNorm }

// InstanceNorm3D normalises each channel of each volume of x [N, C, D, H, W] or [C, D, H, W].
type InstanceNorm3D struct{ InstanceNorm }

// NewInstanceNorm1D returns the layer, without parameters and running statistics unless told otherwise. It takes Eps, Momentum, Affine,
// Bias, TrackRunningStats, On and As.
func NewInstanceNorm1D(channels int, opts ...BatchNormOption) *InstanceNorm1D {
	return &InstanceNorm1D{InstanceNorm{newNormBase(1, channels, false, opts)}}
}

// NewInstanceNorm2D is NewInstanceNorm1D for images.
func NewInstanceNorm2D(channels int, opts ...BatchNormOption) *InstanceNorm2D {
	return &InstanceNorm2D{InstanceNorm{newNormBase(2, channels, false, opts)}}
}

// NewInstanceNorm3D is NewInstanceNorm1D for volumes.
func NewInstanceNorm3D(channels int, opts ...BatchNormOption) *InstanceNorm3D {
	return &InstanceNorm3D{InstanceNorm{newNormBase(3, channels, false, opts)}}
}

// Forward returns (x - mean) / √(variance + Eps) · weight + bias; in training the running statistics follow.
func (n *InstanceNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	if x.Dim() != n.axes+1 && x.Dim() != n.axes+2 {
		panic(fault("instance_norm", fmt.Sprintf("expected %dD or %dD input (got %dD input)", n.axes+1, n.axes+2, x.Dim())))
	}
	channel := x.Dim() - n.axes - 1
	if n.Weight != nil && x.Size(channel) != n.Channels {
		panic(fault("instance_norm", fmt.Sprintf("expected input's size at dim=%d to match num_features (%d), but got: %d.",
			channel, n.Channels, x.Size(channel))))
	}
	if channel == 0 {
		return n.normalize(x.Unsqueeze(0)).SqueezeAxis(0)
	}
	return n.normalize(x)
}

// normalize normalises x, which has a batch. Instances are not counted, so that with CumulativeAverage running statistics stay as they are, as in PyTorch.
func (n *InstanceNorm) normalize(x *tensor.Tensor) *tensor.Tensor {
	momentum := tensor.Momentum(n.Momentum)
	if n.CumulativeAverage {
		momentum = 0
	}
	return x.InstanceNorm(n.Weight, n.Bias, n.RunningMean, n.RunningVar,
		tensor.Training(n.Training() || n.RunningMean == nil), momentum, tensor.Eps(n.Eps))
}

// String prints the layer as PyTorch does.
func (n *InstanceNorm) String() string { return n.print("InstanceNorm", n.axes) }
