package nn

import (
	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// The options of each layer are values of an interface of its own; what a layer does not take does not compile.
type (
	// LinearOption is an option of NewLinear and NewBilinear.
	LinearOption interface {
		setter
		linear()
	}
	// ConvOption is an option of NewConv1D, NewConv2D and NewConv3D.
	ConvOption interface {
		setter
		conv()
	}
	// ConvTransposeOption is an option of NewConvTranspose1D, NewConvTranspose2D and NewConvTranspose3D.
	ConvTransposeOption interface {
		setter
		convTranspose()
	}
	// MaxPoolOption is an option of NewMaxPool1D, NewMaxPool2D and NewMaxPool3D.
	MaxPoolOption interface {
		setter
		maxPool()
	}
	// AvgPoolOption is an option of NewAvgPool1D, NewAvgPool2D and NewAvgPool3D.
	AvgPoolOption interface {
		setter
		avgPool()
	}
	// LPPoolOption is an option of NewLPPool1D, NewLPPool2D and NewLPPool3D.
	LPPoolOption interface {
		setter
		lpPool()
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
	// BatchNormOption is an option of batch and instance normalizations.
	BatchNormOption interface {
		setter
		batchNorm()
	}
	// GroupNormOption is an option of NewGroupNorm.
	GroupNormOption interface {
		setter
		groupNorm()
	}
	// LayerNormOption is an option of NewLayerNorm.
	LayerNormOption interface {
		setter
		layerNorm()
	}
	// RMSNormOption is an option of NewRMSNorm.
	RMSNormOption interface {
		setter
		rmsNorm()
	}
)

// What several layers take.
type (
	// Option is an option of every layer that has parameters: On or As.
	Option interface {
		LinearOption
		AnyConvOption
		AnyEmbeddingOption
		NormOption
		RNNOption
		RNNCellOption
		PReLUOption
		MultiheadAttentionOption
		TransformerOption
	}
	// BiasOption is what Bias returns.
	BiasOption interface {
		LinearOption
		MultiheadAttentionOption
		TransformerOption
		AnyConvOption
		AffineOption
		LayerNormOption
		RNNOption
		RNNCellOption
	}
	// NormOption is an option of every normalization of channels or last axes.
	NormOption interface {
		AffineOption
		ElementwiseOption
		TransformerOption
	}
	// AffineOption is an option of batch, instance and group normalizations.
	AffineOption interface {
		BatchNormOption
		GroupNormOption
	}
	// ElementwiseOption is an option of layer and RMS normalizations.
	ElementwiseOption interface {
		LayerNormOption
		RMSNormOption
	}
	// ColumnsOption is an option of every layer that slides a window, and of NewUnfold and NewFold.
	ColumnsOption interface {
		KernelOption
		UnfoldOption
	}
	// AnyConvOption is an option of convolutions and of transposed ones.
	AnyConvOption interface {
		ConvOption
		ConvTransposeOption
	}
	// PoolOption is an option of pools by windows.
	PoolOption interface {
		MaxPoolOption
		AvgPoolOption
		LPPoolOption
	}
	// KernelOption is an option of every layer that slides a window.
	KernelOption interface {
		AnyConvOption
		PoolOption
		MaxUnpoolOption
	}
	// PaddingOption is what Padding returns.
	PaddingOption interface {
		AnyConvOption
		MaxPoolOption
		AvgPoolOption
		UnfoldOption
		MaxUnpoolOption
	}
	// DilationOption is what Dilation returns.
	DilationOption interface {
		AnyConvOption
		MaxPoolOption
		UnfoldOption
	}
)

// options are the keyword arguments of all layers.
type options struct {
	place         tensor.Place
	bias          bool
	window        windowOptions
	rnn           rnnOptions
	attention     attentionOptions
	transformer   transformerOptions
	eps, momentum float64
	epsGiven      bool
	cumulative    bool
	affine, stats *bool // nil: as the layer has it
	padding       *int  // Embedding: the index that stands for nothing
	approximate   bool  // GELU
	anyOrder      bool  // packed sequences
	paddingValue  float64
	upsample      Upsample
	bagMode       tensor.BagMode
	includeLast   bool
	maxNorm       *float64 // Embedding
	byFrequency   bool
	slope         float64 // PReLU
	beta          float64
	threshold     float64
}

type setter interface{ set(*options) }

// option sets a keyword argument. It satisfies every interface; which layers take it, the result type of its constructor says.
type option func(*options)

func (f option) set(o *options)    { f(o) }
func (option) linear()             {}
func (option) conv()               {}
func (option) convTranspose()      {}
func (option) maxPool()            {}
func (option) avgPool()            {}
func (option) lpPool()             {}
func (option) embedding()          {}
func (option) gelu()               {}
func (option) softplus()           {}
func (option) batchNorm()          {}
func (option) groupNorm()          {}
func (option) layerNorm()          {}
func (option) rmsNorm()            {}
func (option) rnn()                {}
func (option) embeddingBag()       {}
func (option) unfold()             {}
func (option) maxUnpool()          {}
func (option) prelu()              {}
func (option) upsample()           {}
func (option) pack()               {}
func (option) pad()                {}
func (option) rnnCell()            {}
func (option) multiheadAttention() {}
func (option) transformer()        {}

// read returns PyTorch's defaults, changed by the options that are given.
func read[O setter](opts []O) options {
	o := options{bias: true, eps: 1e-5, momentum: 0.1, beta: 1, threshold: 20, slope: 0.25}
	o.upsample.Mode, o.bagMode = tensor.Nearest, tensor.MeanBags
	o.window = windowOptions{groups: 1, countPadding: true}
	o.rnn = rnnOptions{layers: 1, nonlinearity: "tanh"}
	o.transformer = transformerDefaults
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

// PlaceOf returns where and as what options say that parameters are made, for layers of one's own.
func PlaceOf(opts ...Option) tensor.Place {
	o := read(opts)
	return o.place
}

// Bias says whether a layer adds a bias, which it does unless told otherwise; a normalization without a weight has none.
func Bias(on bool) BiasOption { return option(func(o *options) { o.bias = on }) }
