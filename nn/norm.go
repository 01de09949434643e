package nn

import (
	"fmt"
	"slices"

	"cresset/dtype"
	"cresset/tensor"
)

// Eps is what a normalization adds to the variance; 1e-5 unless given, and in an RMSNorm the least by which 1 grows in x's dtype.
func Eps(eps float64) NormOption { return option(func(o *options) { o.eps, o.epsGiven = eps, true }) }

// Momentum is the share of a batch in the running statistics of a batch or instance normalization; 0.1 unless given.
func Momentum(share float64) BatchNormOption {
	return option(func(o *options) { o.momentum, o.cumulative = share, false })
}

// CumulativeAverage makes the running statistics the means over all batches, PyTorch's momentum=None.
func CumulativeAverage(on bool) BatchNormOption {
	return option(func(o *options) { o.cumulative = on })
}

// Affine says whether a normalization of channels has weight and bias: a batch or group normalization does unless told otherwise, an
// instance normalization does not.
func Affine(on bool) AffineOption { return option(func(o *options) { o.affine = &on }) }

// ElementwiseAffine says whether a layer or RMS normalization has a weight, as it does unless told otherwise.
func ElementwiseAffine(on bool) ElementwiseOption {
	return option(func(o *options) { o.affine = &on })
}

// TrackRunningStats says whether a normalization keeps running statistics: a batch normalization does unless told otherwise, an instance
// normalization does not. Without them it always normalises by what it is given.
func TrackRunningStats(on bool) BatchNormOption { return option(func(o *options) { o.stats = &on }) }

// NormBase is what batch and instance normalizations share.
type NormBase struct {
	Mode
	Weight, Bias            *tensor.Tensor // [channels]; nil with Affine(false)
	RunningMean, RunningVar *tensor.Tensor `nn:",buffer"` // [channels]; nil with TrackRunningStats(false)
	NumBatchesTracked       *tensor.Tensor `nn:",buffer"` // how many batches the running statistics have seen
	Channels                int
	Momentum, Eps           float64
	CumulativeAverage       bool // in place of Momentum

	axes int // of a batch beside images and channels
}

func newNormBase(axes, channels int, usual bool, opts []BatchNormOption) NormBase {
	o := read(opts)
	r := NormBase{Channels: channels, Momentum: o.momentum, Eps: o.eps, CumulativeAverage: o.cumulative, axes: axes}
	r.Weight, r.Bias = o.channels(channels, usual)
	if o.stats != nil && *o.stats || o.stats == nil && usual {
		r.RunningMean, r.RunningVar = o.place.Zeros(channels), o.place.Ones(channels)
		r.NumBatchesTracked = o.place.As(dtype.Int64).Zeros()
	}
	return r
}

// channels returns a weight of ones and a bias of zeros, as far as they are asked for.
func (o *options) channels(n int, usual bool) (weight, bias *tensor.Tensor) {
	if o.affine == nil && !usual || o.affine != nil && !*o.affine {
		return nil, nil
	}
	if weight = tensor.Parameter(o.place.Ones(n)); o.bias {
		bias = tensor.Parameter(o.place.Zeros(n))
	}
	return weight, bias
}

// momentum counts the batch x, and returns its share.
func (r *NormBase) momentum(x *tensor.Tensor) tensor.Momentum {
	if r.NumBatchesTracked != nil {
		inner.Follows(r.NumBatchesTracked, x)
		r.NumBatchesTracked.AddScalarInPlace(1)
		if r.CumulativeAverage {
			return tensor.Momentum(1 / r.NumBatchesTracked.Float64())
		}
	}
	return tensor.Momentum(r.Momentum)
}

// print returns a layer as PyTorch prints it; that of all axes has 0.
func (r *NormBase) print(name string, axes int) string {
	if axes > 0 {
		name += fmt.Sprintf("%dd", axes)
	}
	momentum := number(r.Momentum)
	if r.CumulativeAverage {
		momentum = "None"
	}
	return fmt.Sprintf("%s(%d, eps=%s, momentum=%s, affine=%s, bias=%s, track_running_stats=%s)", name,
		r.Channels, number(r.Eps), momentum, truth(r.Weight != nil), truth(r.Bias != nil), truth(r.RunningMean != nil))
}

// BatchNorm is what BatchNorm1D, BatchNorm2D and BatchNorm3D share: it normalises each channel, by the batch in training and by running
// statistics in evaluation.
type BatchNorm struct {
	NormBase
	// Sync, where it is not nil, computes Forward in training, as ddp.ConvertSyncBatchNorm asks: from the batches of several ranks. Momentum is the share of the batch in
	// the running statistics.
	Sync func(b *BatchNorm, x *tensor.Tensor, momentum float64) *tensor.Tensor `nn:"-"`
}

// BatchNorm1D normalises each channel of x [N, C] or [N, C, L].
type BatchNorm1D struct{ BatchNorm }

// BatchNorm2D normalises each channel of x [N, C, H, W].
type BatchNorm2D struct{ BatchNorm }

// BatchNorm3D normalises each channel of x [N, C, D, H, W].
type BatchNorm3D struct{ BatchNorm }

// NewBatchNorm1D returns the layer. It takes Eps, Momentum, CumulativeAverage, Affine, Bias, TrackRunningStats, On and As.
func NewBatchNorm1D(channels int, opts ...BatchNormOption) *BatchNorm1D {
	return &BatchNorm1D{BatchNorm{NormBase: newNormBase(1, channels, true, opts)}}
}

// NewBatchNorm2D is NewBatchNorm1D for images.
func NewBatchNorm2D(channels int, opts ...BatchNormOption) *BatchNorm2D {
	return &BatchNorm2D{BatchNorm{NormBase: newNormBase(2, channels, true, opts)}}
}

// NewBatchNorm3D is NewBatchNorm1D for volumes.
func NewBatchNorm3D(channels int, opts ...BatchNormOption) *BatchNorm3D {
	return &BatchNorm3D{BatchNorm{NormBase: newNormBase(3, channels, true, opts)}}
}

// Forward returns (x - mean) / √(variance + Eps) · weight + bias; in training the running statistics follow.
func (b *BatchNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	want, axes := fmt.Sprintf("%dD", b.axes+2), []int{b.axes + 2}
	if b.axes == 1 {
		want, axes = "2D or 3D", []int{2, 3}
	}
	if !slices.Contains(axes, x.Dim()) {
		panic(fault("batch_norm", fmt.Sprintf("expected %s input (got %dD input)", want, x.Dim())))
	}
	momentum := tensor.Momentum(0)
	if b.Training() {
		momentum = b.momentum(x)
		if b.Sync != nil {
			return b.Sync(b, x, float64(momentum))
		}
	}
	return x.BatchNorm(b.Weight, b.Bias, b.RunningMean, b.RunningVar,
		tensor.Training(b.Training() || b.RunningMean == nil), momentum, tensor.Eps(b.Eps))
}

// String prints the layer as PyTorch does.
func (b *BatchNorm) String() string {
	if b.Sync != nil {
		return b.print("SyncBatchNorm", 0)
	}
	return b.print("BatchNorm", b.axes)
}

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
	checkNormalized("layer_norm", shape)
	l := &LayerNorm{Shape: slices.Clone(shape), Eps: o.eps}
	if o.affine == nil || *o.affine {
		l.Weight = tensor.Parameter(o.place.Ones(shape...))
		if o.bias {
			l.Bias = tensor.Parameter(o.place.Zeros(shape...))
		}
	}
	return l
}

func checkNormalized(name string, shape []int) {
	if len(shape) == 0 {
		panic(fault(name, "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []"))
	}
}

// Forward returns (x - mean) / √(variance + Eps) · weight + bias.
func (l *LayerNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	return x.LayerNorm(l.Shape, l.Weight, l.Bias, tensor.Eps(l.Eps))
}

// ofSum returns x + residual and its norm.
func (l *LayerNorm) ofSum(x, residual *tensor.Tensor) (sum, y *tensor.Tensor) {
	return inner.LayerNormOfSum(x, residual, l.Shape, l.Weight, l.Bias, l.Eps)
}

// String prints the layer as PyTorch does.
func (l *LayerNorm) String() string {
	return fmt.Sprintf("LayerNorm(%s, eps=%s, elementwise_affine=%s, bias=%s)", tuple(l.Shape...), number(l.Eps), truth(l.Weight != nil), truth(l.Bias != nil))
}

// RMSNorm divides the last axes of x, whose extents are Shape, by the root of the mean of their squares.
type RMSNorm struct {
	Weight *tensor.Tensor // of that shape; nil leaves it out
	Shape  []int
	Eps    *float64 // nil: the least by which 1 grows in x's dtype
}

// NewRMSNorm returns the layer over axes of that shape. It takes Eps, ElementwiseAffine, On and As.
func NewRMSNorm(shape []int, opts ...RMSNormOption) *RMSNorm {
	o := read(opts)
	checkNormalized("rms_norm", shape)
	r := &RMSNorm{Shape: slices.Clone(shape)}
	if o.epsGiven {
		r.Eps = &o.eps
	}
	if o.affine == nil || *o.affine {
		r.Weight = tensor.Parameter(o.place.Ones(shape...))
	}
	return r
}

// Forward returns x / √(mean of x² + Eps) · weight.
func (r *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	if r.Eps != nil {
		return x.RMSNorm(r.Shape, r.Weight, tensor.Eps(*r.Eps))
	}
	return x.RMSNorm(r.Shape, r.Weight)
}

// String prints the layer as PyTorch does.
func (r *RMSNorm) String() string {
	eps := "None"
	if r.Eps != nil {
		eps = number(*r.Eps)
	}
	return fmt.Sprintf("RMSNorm(%s, eps=%s, elementwise_affine=%s)", tuple(r.Shape...), eps, truth(r.Weight != nil))
}

// GroupNorm normalises groups of channels of each image of x [N, C, …].
type GroupNorm struct {
	Weight, Bias     *tensor.Tensor // [channels]; nil with Affine(false)
	Groups, Channels int
	Eps              float64
}

// NewGroupNorm returns the layer, of which groups must divide channels. It takes Eps, Affine, Bias, On and As.
func NewGroupNorm(groups, channels int, opts ...GroupNormOption) *GroupNorm {
	o := read(opts)
	if groups < 1 || channels%groups != 0 {
		panic(fault("group_norm", fmt.Sprintf("num_channels (%d) must be divisible by num_groups (%d)", channels, groups)))
	}
	g := &GroupNorm{Groups: groups, Channels: channels, Eps: o.eps}
	g.Weight, g.Bias = o.channels(channels, true)
	return g
}

// Forward returns (x - mean) / √(variance + Eps) · weight + bias.
func (g *GroupNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	return x.GroupNorm(g.Groups, g.Weight, g.Bias, tensor.Eps(g.Eps))
}

// String prints the layer as PyTorch does.
func (g *GroupNorm) String() string {
	return fmt.Sprintf("GroupNorm(%d, %d, eps=%s, affine=%s, bias=%s)", g.Groups, g.Channels, number(g.Eps), truth(g.Weight != nil), truth(g.Bias != nil))
}

// LocalResponseNorm divides each element of x [N, C, …] by what Size channels around it are on average.
type LocalResponseNorm struct {
	Size           int
	Alpha, Beta, K float64
}

// NewLocalResponseNorm returns the layer. It takes tensor.Alpha, 1e-4 unless given, tensor.Beta, 0.75 unless given, and tensor.K, 1
// unless given.
func NewLocalResponseNorm(size int, opts ...tensor.LocalResponseOption) *LocalResponseNorm {
	l := &LocalResponseNorm{size, 1e-4, 0.75, 1}
	for _, o := range opts {
		switch o := o.(type) {
		case tensor.Alpha:
			l.Alpha = float64(o)
		case tensor.Beta:
			l.Beta = float64(o)
		case tensor.K:
			l.K = float64(o)
		}
	}
	return l
}

// Forward returns x / (K + Alpha · m)^Beta, where m is the mean of squares over channels.
func (l *LocalResponseNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	return x.LocalResponseNorm(l.Size, tensor.Alpha(l.Alpha), tensor.Beta(l.Beta), tensor.K(l.K))
}

// String prints the layer as PyTorch does.
func (l *LocalResponseNorm) String() string {
	return fmt.Sprintf("LocalResponseNorm(%d, alpha=%s, beta=%s, k=%s)", l.Size, number(l.Alpha), number(l.Beta), number(l.K))
}
