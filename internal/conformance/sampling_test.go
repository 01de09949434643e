package conformance

import (
	"cresset/internal/pyexpr"
	"cresset/nn"
	"cresset/tensor"
)

var sampling = table{
	"F.unfold": func(a *pyexpr.Args) any {
		x := input(a, "input")
		return x.Unfold2D(1, columns(a)...)
	},
	"F.fold": func(a *pyexpr.Args) any {
		x, size := input(a, "input"), sizes(a, "output_size")
		return x.Fold2D(size[0], size[len(size)-1], 1, columns(a)...)
	},
	"F.affine_grid": func(a *pyexpr.Args) any {
		theta, size := input(a, "theta"), sizes(a, "size")
		return tensor.AffineGrid(theta, size, flag[tensor.AlignCorners](a, "align_corners", false))
	},
	"F.grid_sample": func(a *pyexpr.Args) any {
		x, grid, mode := input(a, "input"), input(a, "grid"), tensor.Interpolation(pyexpr.Arg(a, "mode", "bilinear"))
		padding := tensor.PaddingMode(pyexpr.Arg(a, "padding_mode", "zeros"))
		return x.GridSample(grid, mode, padding, flag[tensor.AlignCorners](a, "align_corners", false))
	},
	"F.max_unpool2d": func(a *pyexpr.Args) any {
		x, indices := input(a, "input"), input(a, "indices")
		return x.MaxUnpool2D(indices, 1, tensor.KernelSize(sizes(a, "kernel_size")...))
	},
	"F.embedding": func(a *pyexpr.Args) any {
		index, weight := input(a, "input"), input(a, "weight")
		opts := []tensor.EmbeddingOption{flag[tensor.ScaleGradByFreq](a, "scale_grad_by_freq", false)}
		if a.Has("padding_idx") {
			opts = append(opts, tensor.PaddingIndex(pyexpr.Arg[int](a, "padding_idx")))
		}
		return tensor.Embedding(weight, index, opts...)
	},
	"F.embedding_bag": func(a *pyexpr.Args) any {
		x, weight, offsets := input(a, "input"), input(a, "weight"), optional(a, "offsets")
		opts := []tensor.EmbeddingBagOption{tensor.BagMode(pyexpr.Arg(a, "mode", "mean"))}
		if w := optional(a, "per_sample_weights"); w != nil {
			opts = append(opts, tensor.PerSampleWeights(w))
		}
		opts = append(opts, flag[tensor.IncludeLastOffset](a, "include_last_offset", false))
		if a.Has("padding_idx") {
			opts = append(opts, tensor.PaddingIndex(pyexpr.Arg[int](a, "padding_idx")))
		}
		return tensor.EmbeddingBag(weight, x, offsets, opts...)
	},

	"nn.EmbeddingBag": func(a *pyexpr.Args) any {
		n, width := pyexpr.Arg[int](a, "num_embeddings"), pyexpr.Arg[int](a, "embedding_dim")
		opts := []nn.EmbeddingBagOption{nn.BagMode(tensor.BagMode(pyexpr.Arg(a, "mode", "mean")))}
		if a.Has("padding_idx") {
			opts = append(opts, nn.PaddingIndex(pyexpr.Arg[int](a, "padding_idx")))
		}
		return nn.NewEmbeddingBag(n, width, opts...)
	},
	"nn.Unfold": func(a *pyexpr.Args) any { return nn.NewUnfold(1, moduleColumns(a)...) },
	"nn.Fold": func(a *pyexpr.Args) any {
		size := sizes(a, "output_size")
		return nn.NewFold(size, 1, moduleColumns(a)...)
	},
}

func columns(a *pyexpr.Args) []tensor.UnfoldOption {
	return []tensor.UnfoldOption{tensor.KernelSize(sizes(a, "kernel_size")...), tensor.Dilation(sizes(a, "dilation", []int{1})...),
		tensor.Padding(sizes(a, "padding", []int{0})...), tensor.Stride(sizes(a, "stride", []int{1})...)}
}

func moduleColumns(a *pyexpr.Args) []nn.UnfoldOption {
	return []nn.UnfoldOption{nn.KernelSize(sizes(a, "kernel_size")...), nn.Dilation(sizes(a, "dilation", []int{1})...),
		nn.Padding(sizes(a, "padding", []int{0})...), nn.Stride(sizes(a, "stride", []int{1})...)}
}
