package nn

import (
	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// Option is an option of every layer that has parameters: On or As.
type Option interface {
	LinearOption
	Conv1DOption
	EmbeddingOption
	BatchNormOption
	LayerNormOption
}

// The options of each layer are values of an interface of its own; what a layer does not take does not compile.
type (
	// LinearOption is an option of NewLinear.
	LinearOption interface {
		setter
		linear()
	}
	// Conv1DOption is an option of NewConv1D and NewConv2D.
	Conv1DOption interface {
		Conv2DOption
		conv1D()
	}
	// Conv2DOption is an option of NewConv2D.
	Conv2DOption interface {
		setter
		conv2D()
	}
	// MaxPool2DOption is an option of NewMaxPool2D.
	MaxPool2DOption interface {
		setter
		maxPool()
	}
	// AvgPool2DOption is an option of NewAvgPool2D.
	AvgPool2DOption interface {
		setter
		avgPool()
	}
	// Pool2DOption is an option of both pools.
	Pool2DOption interface {
		MaxPool2DOption
		AvgPool2DOption
	}
	// EmbeddingOption is an option of NewEmbedding.
	EmbeddingOption interface {
		setter
		embedding()
	}
	// GELUOption is an option of NewGELU.
	GELUOption interface {
		setter
		gelu()
	}
	// SoftplusOption is an option of NewSoftplus.
	SoftplusOption interface {
		setter
		softplus()
	}
	// BatchNormOption is an option of NewBatchNorm1D and NewBatchNorm2D.
	BatchNormOption interface {
		setter
		batchNorm()
	}
	// LayerNormOption is an option of NewLayerNorm.
	LayerNormOption interface {
		setter
		layerNorm()
	}
)

// options are the keyword arguments of all layers.
type options struct {
	place         tensor.Place
	bias          bool
	window        windowOptions
	eps, momentum float64
	affine, stats bool
	padding       *int // Embedding: the index that stands for nothing
	approximate   bool // GELU
	beta          float64
	threshold     float64
}

type setter interface{ set(*options) }

// option sets a keyword argument. It satisfies every interface; which layers take it, the result type of its constructor says.
type option func(*options)

func (f option) set(o *options) { f(o) }
func (option) linear()          {}
func (option) conv1D()          {}
func (option) conv2D()          {}
func (option) maxPool()         {}
func (option) avgPool()         {}
func (option) embedding()       {}
func (option) gelu()            {}
func (option) softplus()        {}
func (option) batchNorm()       {}
func (option) layerNorm()       {}

// read returns PyTorch's defaults, changed by the options that are given.
func read[O setter](opts []O) options {
	o := options{bias: true, eps: 1e-5, momentum: 0.1, affine: true, stats: true, beta: 1, threshold: 20}
	o.window = windowOptions{dilation: [2]int{1, 1}, groups: 1, countPadding: true}
	for _, opt := range opts {
		opt.set(&o)
	}
	return o
}

// On makes the layer's parameters on a device, drawn from that device's generator; the CPU unless given.
func On(dev device.Device) Option {
	return option(func(o *options) { o.place = tensor.On(dev).As(o.place.DType()) })
}

// As makes the layer's parameters in a dtype; float32 unless given.
func As(dt dtype.DType) Option {
	return option(func(o *options) { o.place = o.place.As(dt) })
}

// BiasOption is what Bias returns.
type BiasOption interface {
	LinearOption
	Conv1DOption
	LayerNormOption
}

// Bias says whether a layer adds a bias, which it does unless told otherwise.
func Bias(on bool) BiasOption { return option(func(o *options) { o.bias = on }) }
