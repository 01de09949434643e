package conformance

import (
	"cresset/internal/pyexpr"
	"cresset/tensor"
)

var resampling = table{
	"F.group_norm": func(a *pyexpr.Args) any {
		x, groups := input(a, "input"), pyexpr.Arg[int](a, "num_groups")
		weight, bias := optional(a, "weight"), optional(a, "bias")
		return x.GroupNorm(groups, weight, bias, tensor.Eps(pyexpr.Arg(a, "eps", 1e-5)))
	},
	"F.instance_norm": func(a *pyexpr.Args) any {
		x, mean, variance := input(a, "input"), optional(a, "running_mean"), optional(a, "running_var")
		weight, bias := optional(a, "weight"), optional(a, "bias")
		return x.InstanceNorm(weight, bias, mean, variance, flag[tensor.Training](a, "use_input_stats", true))
	},
	"F.rms_norm": func(a *pyexpr.Args) any {
		x, shape, weight := input(a, "input"), sizes(a, "normalized_shape"), optional(a, "weight")
		if a.Has("eps") {
			return x.RMSNorm(shape, weight, tensor.Eps(pyexpr.Arg[float64](a, "eps")))
		}
		return x.RMSNorm(shape, weight)
	},
	"F.local_response_norm": func(a *pyexpr.Args) any {
		x, size := input(a, "input"), pyexpr.Arg[int](a, "size")
		return x.LocalResponseNorm(size, tensor.Alpha(pyexpr.Arg(a, "alpha", 1e-4)), tensor.Beta(pyexpr.Arg(a, "beta", 0.75)),
			tensor.K(pyexpr.Arg(a, "k", 1.0)))
	},
	"F.pad": func(a *pyexpr.Args) any {
		x, pads := input(a, "input"), sizes(a, "pad")
		switch pyexpr.Arg(a, "mode", "constant") {
		case "reflect":
			return x.PadReflect(pads)
		case "replicate":
			return x.PadReplicate(pads)
		case "circular":
			return x.PadCircular(pads)
		}
		return x.Pad(pads, pyexpr.Arg[any](a, "value", 0))
	},
	"F.pixel_shuffle":   byNumber("upscale_factor", (*tensor.Tensor).PixelShuffle),
	"F.pixel_unshuffle": byNumber("downscale_factor", (*tensor.Tensor).PixelUnshuffle),
	"F.channel_shuffle": byNumber("groups", (*tensor.Tensor).ChannelShuffle),
	"F.interpolate": func(a *pyexpr.Args) any {
		x, size, factors := input(a, "input"), sizes(a, "size", nil), pyexpr.Arg(a, "scale_factor", []float64(nil))
		opts := []tensor.InterpolateOption{
			tensor.Interpolation(pyexpr.Arg(a, "mode", "nearest")), flag[tensor.AlignCorners](a, "align_corners", false),
			flag[tensor.RecomputeScaleFactor](a, "recompute_scale_factor", false), flag[tensor.Antialias](a, "antialias", false),
		}
		if factors != nil {
			opts = append(opts, tensor.ScaleFactor(factors...))
		}
		return x.Interpolate(size, opts...)
	},
}

// byNumber is a function of a tensor and a number.
func byNumber(name string, f func(x *tensor.Tensor, n int) *tensor.Tensor) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x := input(a, "input")
		return f(x, pyexpr.Arg[int](a, name))
	}
}
