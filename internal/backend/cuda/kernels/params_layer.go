package kernels

// The structs below are those of params_layer.cuh, byte for byte.

// Convolution is the parameter of convolutions and their gradients.
type Convolution struct {
	Out, Left, Right, Bias             uint64
	Images, Groups, Channels, Outputs  uint32
	Height, Width, OutHeight, OutWidth uint32
	Rows, Columns                      uint32
	Stride, Padding, Dilation          [2]uint32
	Parts, Part                        uint32
}

// Pool is the parameter of pools and their gradients.
type Pool struct {
	Planes                                 uint64
	Out, In, Index                         uint64
	InSize, OutSize                        [2]int64
	Kernel, Stride, Padding, Dilation      [2]int64
	Adaptive, CountPadding, Strays, Unused uint32
}

// BatchNorm is the parameter of batch normalisation and its gradients.
type BatchNorm struct {
	Images, Channels, Pixels uint64
	X, Weight, Bias          uint64
	Y, Mean, Invstd          uint64
	RunningMean, RunningVar  uint64
	Steps                    [2]int64
	Dy, Dx, Dweight, Dbias   uint64
	Sums, Parts              uint64
	Eps, Momentum            float64
	Training, Unused         uint32
}

// LayerNorm is the parameter of layer normalisation and its gradients.
type LayerNorm struct {
	Rows, Columns          uint64
	X, Weight, Bias        uint64
	Y, Mean, Invstd        uint64
	Dy, Dx, Dweight, Dbias uint64
	Sums, Parts            uint64
	Eps                    float64
}

// PairBytes is the size of what BatchNorm.Sums and LayerNorm.Sums hold of a part.
const PairBytes = 16

// NLL is the parameter of the negative log likelihood and its gradient.
type NLL struct {
	Batch, Classes, Inner      uint64
	X, Targets, Weight, Shifts uint64
	Out, Total, Dy             uint64
	Ignore                     int64
	Mean, Each                 uint32
	Report                     Report
}
