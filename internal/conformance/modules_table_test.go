package conformance

import (
	"maps"
	"slices"

	"cresset/internal/pyexpr"
	"cresset/nn"
	"cresset/tensor"
)

var modules = table{
	"nn.Linear": func(a *pyexpr.Args) any {
		in, out := pyexpr.Arg[int](a, "in_features"), pyexpr.Arg[int](a, "out_features")
		return nn.NewLinear(in, out, nn.Bias(pyexpr.Arg(a, "bias", true)))
	},
	"nn.Sequential": func(a *pyexpr.Args) any { return nn.NewSequential(pyexpr.Rest[nn.Module](a, "args")...) },
	"nn.ReLU":       func(a *pyexpr.Args) any { return nn.NewReLU(flag[nn.InPlace](a, "inplace", false)) },
	"nn.Embedding": func(a *pyexpr.Args) any {
		n, width := pyexpr.Arg[int](a, "num_embeddings"), pyexpr.Arg[int](a, "embedding_dim")
		if !a.Has("padding_idx") {
			return nn.NewEmbedding(n, width)
		}
		return nn.NewEmbedding(n, width, nn.PaddingIndex(pyexpr.Arg[int](a, "padding_idx")))
	},
	"nn.PReLU": func(a *pyexpr.Args) any {
		n := pyexpr.Arg(a, "num_parameters", 1)
		return nn.NewPReLU(n, nn.InitialSlope(pyexpr.Arg(a, "init", 0.25)))
	},
	"nn.Identity": func(*pyexpr.Args) any { return nn.NewIdentity() },
	"nn.Bilinear": func(a *pyexpr.Args) any {
		in1, in2 := pyexpr.Arg[int](a, "in1_features"), pyexpr.Arg[int](a, "in2_features")
		return nn.NewBilinear(in1, in2, pyexpr.Arg[int](a, "out_features"), nn.Bias(pyexpr.Arg(a, "bias", true)))
	},
	"nn.CosineSimilarity": func(a *pyexpr.Args) any { return nn.NewCosineSimilarity(pyexpr.Arg(a, "dim", 1)) },
	"nn.PairwiseDistance": func(a *pyexpr.Args) any { return nn.NewPairwiseDistance(pyexpr.Arg(a, "p", 2.0)) },
	"nn.PixelShuffle":     func(a *pyexpr.Args) any { return nn.NewPixelShuffle(pyexpr.Arg[int](a, "upscale_factor")) },
	"nn.Upsample": func(a *pyexpr.Args) any {
		var opts []nn.UpsampleOption
		if size := sizes(a, "size", nil); size != nil {
			opts = append(opts, nn.Size(size...))
		}
		if factors := pyexpr.Arg(a, "scale_factor", []float64(nil)); factors != nil {
			opts = append(opts, nn.ScaleFactor(factors...))
		}
		opts = append(opts, nn.UpsampleMode(tensor.Interpolation(pyexpr.Arg(a, "mode", "nearest"))))
		return nn.NewUpsample(append(opts, nn.AlignCorners(pyexpr.Arg(a, "align_corners", false)))...)
	},
	"nn.ModuleDict": func(a *pyexpr.Args) any {
		modules := pyexpr.Arg[map[string]any](a, "modules")
		var d nn.ModuleDict
		for _, name := range slices.Sorted(maps.Keys(modules)) {
			d = append(d, nn.Item[any]{Name: name, Value: modules[name]})
		}
		return d
	},
	"nn.ModuleList": func(a *pyexpr.Args) any {
		var list nn.ModuleList
		for _, m := range pyexpr.Arg[[]any](a, "modules") {
			list = append(list, m.(nn.Module))
		}
		return list
	},
	"nn.ParameterList": func(a *pyexpr.Args) any { return tensors(pyexpr.Arg[any](a, "values")) },
	"nn.Flatten":       func(*pyexpr.Args) any { return nn.NewFlatten() },
	"nn.Dropout":       func(a *pyexpr.Args) any { return nn.NewDropout(pyexpr.Arg(a, "p", 0.5)) },
	"nn.utils.parametrizations.weight_norm": func(a *pyexpr.Args) any {
		return nn.NewWeightNorm(pyexpr.Arg[*nn.Linear](a, "module"))
	},
	"nn.utils.parametrizations.spectral_norm": func(a *pyexpr.Args) any {
		return nn.NewSpectralNorm(pyexpr.Arg[*nn.Linear](a, "module"))
	},

	"nn.Conv1d": newConv(wrapped(nn.NewConv1D)),
	"nn.Conv2d": newConv(wrapped(nn.NewConv2D)),
	"nn.Conv3d": newConv(wrapped(nn.NewConv3D)),

	"nn.ConvTranspose1d": newConvTranspose(wrapped(nn.NewConvTranspose1D)),
	"nn.ConvTranspose2d": newConvTranspose(wrapped(nn.NewConvTranspose2D)),
	"nn.ConvTranspose3d": newConvTranspose(wrapped(nn.NewConvTranspose3D)),

	"nn.AdaptiveAvgPool2d": func(a *pyexpr.Args) any { return nn.NewAdaptiveAvgPool2D(sizes(a, "output_size")...) },

	"nn.BatchNorm1d":    newBatchNorm(true, func(n int, opts ...nn.BatchNormOption) any { return nn.NewBatchNorm1D(n, opts...) }),
	"nn.BatchNorm2d":    newBatchNorm(true, func(n int, opts ...nn.BatchNormOption) any { return nn.NewBatchNorm2D(n, opts...) }),
	"nn.BatchNorm3d":    newBatchNorm(true, func(n int, opts ...nn.BatchNormOption) any { return nn.NewBatchNorm3D(n, opts...) }),
	"nn.InstanceNorm1d": newBatchNorm(false, func(n int, opts ...nn.BatchNormOption) any { return nn.NewInstanceNorm1D(n, opts...) }),
	"nn.InstanceNorm2d": newBatchNorm(false, func(n int, opts ...nn.BatchNormOption) any { return nn.NewInstanceNorm2D(n, opts...) }),
	"nn.InstanceNorm3d": newBatchNorm(false, func(n int, opts ...nn.BatchNormOption) any { return nn.NewInstanceNorm3D(n, opts...) }),
	"nn.GroupNorm": func(a *pyexpr.Args) any {
		groups, channels := pyexpr.Arg[int](a, "num_groups"), pyexpr.Arg[int](a, "num_channels")
		return nn.NewGroupNorm(groups, channels, nn.Eps(pyexpr.Arg(a, "eps", 1e-5)), nn.Affine(pyexpr.Arg(a, "affine", true)))
	},
	"nn.LayerNorm": func(a *pyexpr.Args) any {
		shape, eps := sizes(a, "normalized_shape"), nn.Eps(pyexpr.Arg(a, "eps", 1e-5))
		affine := nn.ElementwiseAffine(pyexpr.Arg(a, "elementwise_affine", true))
		return nn.NewLayerNorm(shape, eps, affine, nn.Bias(pyexpr.Arg(a, "bias", true)))
	},
	"nn.RMSNorm": func(a *pyexpr.Args) any {
		shape := sizes(a, "normalized_shape")
		if a.Has("eps") {
			return nn.NewRMSNorm(shape, nn.Eps(pyexpr.Arg[float64](a, "eps")))
		}
		return nn.NewRMSNorm(shape)
	},
	"nn.LocalResponseNorm": func(a *pyexpr.Args) any { return nn.NewLocalResponseNorm(pyexpr.Arg[int](a, "size")) },
}

// wrapped makes a constructor's result any.
func wrapped[O, M any](f func(in, out, kernel int, opts ...O) M) func(in, out, kernel int, opts ...O) any {
	return func(in, out, kernel int, opts ...O) any { return f(in, out, kernel, opts...) }
}

func newConv(f func(in, out, kernel int, opts ...nn.ConvOption) any) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		in, out := pyexpr.Arg[int](a, "in_channels"), pyexpr.Arg[int](a, "out_channels")
		opts := []nn.ConvOption{nn.KernelSize(sizes(a, "kernel_size")...), nn.Stride(sizes(a, "stride", []int{1})...)}
		switch padding := pyexpr.Arg[any](a, "padding", 0).(type) {
		case string:
			if padding == "same" {
				opts = append(opts, nn.SamePadding())
			}
		case int:
			opts = append(opts, nn.Padding(padding))
		case []any:
			opts = append(opts, nn.Padding(whole(padding)...))
		}
		opts = append(opts, nn.Dilation(sizes(a, "dilation", []int{1})...), nn.Groups(pyexpr.Arg(a, "groups", 1)),
			nn.Bias(pyexpr.Arg(a, "bias", true)), nn.PaddingMode(pyexpr.Arg(a, "padding_mode", "zeros")))
		return f(in, out, 1, opts...)
	}
}

func newConvTranspose(f func(in, out, kernel int, opts ...nn.ConvTransposeOption) any) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		in, out := pyexpr.Arg[int](a, "in_channels"), pyexpr.Arg[int](a, "out_channels")
		opts := []nn.ConvTransposeOption{
			nn.KernelSize(sizes(a, "kernel_size")...), nn.Stride(sizes(a, "stride", []int{1})...), nn.Padding(sizes(a, "padding", []int{0})...),
			nn.OutputPadding(sizes(a, "output_padding", []int{0})...), nn.Groups(pyexpr.Arg(a, "groups", 1)), nn.Bias(pyexpr.Arg(a, "bias", true)),
			nn.Dilation(sizes(a, "dilation", []int{1})...),
		}
		return f(in, out, 1, opts...)
	}
}

func newBatchNorm(usual bool, f func(channels int, opts ...nn.BatchNormOption) any) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		n, eps := pyexpr.Arg[int](a, "num_features"), nn.Eps(pyexpr.Arg(a, "eps", 1e-5))
		momentum := nn.CumulativeAverage(true)
		if v := pyexpr.Arg[any](a, "momentum", 0.1); v != nil {
			momentum = nn.Momentum(float(v))
		}
		affine := nn.Affine(pyexpr.Arg(a, "affine", usual))
		return f(n, eps, momentum, affine, nn.TrackRunningStats(pyexpr.Arg(a, "track_running_stats", usual)))
	}
}

// calling is what a module's methods are in Python.
var calling = table{
	"Module.__call__": func(a *pyexpr.Args) any {
		self := pyexpr.Arg[any](a, "self")
		if result, ok := callTransformer(self, a); ok {
			return result
		}
		switch m := self.(type) {
		case *nn.RNNCell, *nn.GRUCell:
			return callRecurrent(m, a)
		case *nn.EmbeddingBag:
			x := input(a, "input")
			return m.Forward(x, optional(a, "offsets"))
		case interface {
			ForwardTo(x *tensor.Tensor, size ...int) *tensor.Tensor
			Forward(x *tensor.Tensor) *tensor.Tensor
		}:
			x := input(a, "input")
			if size := sizes(a, "output_size", nil); size != nil {
				return m.ForwardTo(x, size...)
			}
			return m.Forward(x)
		case nn.Module:
			return m.Forward(input(a, "input"))
		case interface {
			Forward(x, y *tensor.Tensor) *tensor.Tensor
		}:
			x := input(a, "input1")
			return m.Forward(x, input(a, "input2"))
		default:
			return callRecurrent(m, a)
		}
	},
	"Module.__getitem__": func(a *pyexpr.Args) any {
		switch m := pyexpr.Arg[any](a, "self").(type) {
		case nn.ModuleDict:
			return m.At(pyexpr.Arg[string](a, "key"))
		case nn.ModuleList:
			return m[pyexpr.Arg[int](a, "index")]
		case []*tensor.Tensor:
			return m[pyexpr.Arg[int](a, "index")]
		}
		return nil
	},
	"Module.load_state_dict": func(a *pyexpr.Args) any {
		m, state := pyexpr.Arg[any](a, "self"), map[string]*tensor.Tensor{}
		for name, v := range pyexpr.Arg[map[string]any](a, "state_dict") {
			state[name] = v.(*tensor.Tensor)
		}
		if err := nn.LoadState(m, state); err != nil {
			panic(&tensor.Error{Op: "load_state_dict", Kind: tensor.ErrShape, Err: err})
		}
		return nil
	},
	"Module.eval": func(a *pyexpr.Args) any { return nn.Eval(pyexpr.Arg[any](a, "self")) },
}
