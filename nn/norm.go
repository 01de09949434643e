package nn

import (
	"fmt"
	"slices"

	"cresset/dtype"
	"cresset/tensor"
)

// NormOption is an option of every normalization.
type NormOption interface {
	BatchNormOption
	LayerNormOption
}

// Eps is what a normalization adds to the variance; 1e-5 unless given.
func Eps(eps float64) NormOption { return option(func(o *options) { o.eps = eps }) }

// Momentum is the share of a batch in the running statistics of a batch normalization; 0.1 unless given.
func Momentum(share float64) BatchNormOption {
	return option(func(o *options) { o.momentum = share })
}

// Affine says whether a batch normalization has weight and bias, as it does unless told otherwise.
func Affine(on bool) BatchNormOption { return option(func(o *options) { o.affine = on }) }

// ElementwiseAffine says whether a layer normalization has weight and bias, as it does unless told otherwise.
func ElementwiseAffine(on bool) LayerNormOption { return option(func(o *options) { o.affine = on }) }

// TrackRunningStats says whether a batch normalization keeps running statistics, as it does unless told otherwise; without them it
// always normalises by the batch.
func TrackRunningStats(on bool) BatchNormOption { return option(func(o *options) { o.stats = on }) }

// BatchNorm is what BatchNorm1D and BatchNorm2D share: it normalises each channel, by the batch in training and by running
// statistics in evaluation.
type BatchNorm struct {
	Mode
	Weight, Bias            *tensor.Tensor // [channels]; nil with Affine(false)
	RunningMean, RunningVar *tensor.Tensor `nn:",buffer"` // [channels]; nil with TrackRunningStats(false)
	NumBatchesTracked       *tensor.Tensor `nn:",buffer"` // how many batches the running statistics have seen
	Channels                int
	Momentum, Eps           float64
}

func newBatchNorm(channels int, opts []BatchNormOption) BatchNorm {
	o := read(opts)
	b := BatchNorm{Channels: channels, Momentum: o.momentum, Eps: o.eps}
	if o.affine {
		b.Weight, b.Bias = tensor.Parameter(o.place.Ones(channels)), tensor.Parameter(o.place.Zeros(channels))
	}
	if o.stats {
		b.RunningMean, b.RunningVar = o.place.Zeros(channels), o.place.Ones(channels)
		b.NumBatchesTracked = o.place.As(dtype.Int64).Zeros()
	}
	return b
}

// normalize returns x normalised; in training the running statistics follow. It panics where x has none of the given numbers
// of axes, of which want tells.
func (b *BatchNorm) normalize(x *tensor.Tensor, want string, axes ...int) *tensor.Tensor {
	if !slices.Contains(axes, x.Dim()) {
		panic(fault("batch_norm", fmt.Sprintf("expected %s input (got %dD input)", want, x.Dim())))
	}
	byBatch := b.Training() || b.RunningMean == nil
	if b.Training() && b.NumBatchesTracked != nil {
		b.NumBatchesTracked.AddScalarInPlace(1)
	}
	return x.BatchNorm(b.Weight, b.Bias, b.RunningMean, b.RunningVar,
		tensor.Training(byBatch), tensor.Momentum(b.Momentum), tensor.Eps(b.Eps))
}

func (b *BatchNorm) print(name string) string {
	return fmt.Sprintf("%s(%d, eps=%s, momentum=%s, affine=%s, track_running_stats=%s)",
		name, b.Channels, number(b.Eps), number(b.Momentum), truth(b.Weight != nil), truth(b.RunningMean != nil))
}

// BatchNorm1D normalises each channel of x [N, C] or [N, C, L].
type BatchNorm1D struct{ BatchNorm }

// NewBatchNorm1D returns the layer. It takes Eps, Momentum, Affine, TrackRunningStats, On and As.
func NewBatchNorm1D(channels int, opts ...BatchNormOption) *BatchNorm1D {
	return &BatchNorm1D{newBatchNorm(channels, opts)}
}

// Forward returns (x - mean) / √(variance + Eps) · weight + bias.
func (b *BatchNorm1D) Forward(x *tensor.Tensor) *tensor.Tensor {
	return b.normalize(x, "2D or 3D", 2, 3)
}

// String prints the layer as PyTorch does.
func (b *BatchNorm1D) String() string { return b.print("BatchNorm1d") }

// BatchNorm2D normalises each channel of x [N, C, H, W].
type BatchNorm2D struct{ BatchNorm }

// NewBatchNorm2D returns the layer. It takes Eps, Momentum, Affine, TrackRunningStats, On and As.
func NewBatchNorm2D(channels int, opts ...BatchNormOption) *BatchNorm2D {
	return &BatchNorm2D{newBatchNorm(channels, opts)}
}

// Forward returns (x - mean) / √(variance + Eps) · weight + bias.
func (b *BatchNorm2D) Forward(x *tensor.Tensor) *tensor.Tensor { return b.normalize(x, "4D", 4) }

// String prints the layer as PyTorch does.
func (b *BatchNorm2D) String() string { return b.print("BatchNorm2d") }

// LayerNorm normalises the last axes of x, whose extents are Shape.
type LayerNorm struct {
	Weight, Bias *tensor.Tensor // of that shape; nil leaves them out
	Shape        []int
	Eps          float64
}

// NewLayerNorm returns the layer over axes of that shape, with Eps 1e-5 unless given. It takes Eps, ElementwiseAffine, Bias,
// On and As.
func NewLayerNorm(shape []int, opts ...LayerNormOption) *LayerNorm {
	o := read(opts)
	if len(shape) == 0 {
		panic(fault("layer_norm", "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []"))
	}
	l := &LayerNorm{Shape: slices.Clone(shape), Eps: o.eps}
	if o.affine {
		l.Weight = tensor.Parameter(o.place.Ones(shape...))
		if o.bias {
			l.Bias = tensor.Parameter(o.place.Zeros(shape...))
		}
	}
	return l
}

// Forward returns (x - mean) / √(variance + Eps) · weight + bias.
func (l *LayerNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	return x.LayerNorm(l.Shape, l.Weight, l.Bias, tensor.Eps(l.Eps))
}

// String prints the layer as PyTorch does.
func (l *LayerNorm) String() string {
	return fmt.Sprintf("LayerNorm(%s, eps=%s, elementwise_affine=%s)", tuple(l.Shape...), number(l.Eps), truth(l.Weight != nil))
}
