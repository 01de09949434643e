package conformance

import (
	"cresset/device"
	"cresset/dtype"
	"cresset/internal/pyexpr"
	"cresset/nn"
	"cresset/tensor"
)

var shapes = table{
	"Tensor.t":          unary((*tensor.Tensor).T),
	"Tensor.mT":         func(a *pyexpr.Args) any { return input(a, "input").Transpose(-2, -1) },
	"Tensor.dtype":      func(a *pyexpr.Args) any { return input(a, "input").DType() },
	"Tensor.clone":      unary((*tensor.Tensor).Clone),
	"Tensor.contiguous": unary((*tensor.Tensor).Contiguous),
	"Tensor.transpose":  exchanged("dim0", "dim1"),
	"torch.swapaxes":    exchanged("axis0", "axis1"),
	"Tensor.permute": func(a *pyexpr.Args) any {
		x, dims := input(a, "input"), pyexpr.Rest[int](a, "dims")
		return x.Permute(dims...)
	},
	"torch.movedim": func(a *pyexpr.Args) any {
		x, source, destination := input(a, "input"), sizes(a, "source"), sizes(a, "destination")
		return x.MoveAxis(source, destination)
	},
	"torch.flatten": func(a *pyexpr.Args) any {
		x, start := input(a, "input"), pyexpr.Arg(a, "start_dim", 0)
		return x.Flatten(start, pyexpr.Arg(a, "end_dim", -1))
	},
	"Tensor.unflatten": func(a *pyexpr.Args) any {
		x, axis := input(a, "input"), pyexpr.Arg[int](a, "dim")
		return x.Unflatten(axis, sizes(a, "sizes")...)
	},
	"Tensor.narrow": func(a *pyexpr.Args) any {
		x, axis := input(a, "input"), pyexpr.Arg[int](a, "dim")
		start, length := pyexpr.Arg[int](a, "start"), pyexpr.Arg[int](a, "length")
		return x.Narrow(axis, start, length)
	},
	"Tensor.unsqueeze": alongAxis((*tensor.Tensor).Unsqueeze),
	"Tensor.unfold": func(a *pyexpr.Args) any {
		x, axis := input(a, "input"), pyexpr.Arg[int](a, "dimension")
		size, step := pyexpr.Arg[int](a, "size"), pyexpr.Arg[int](a, "step")
		return x.Unfold(axis, size, step)
	},
	"torch.broadcast_to": func(a *pyexpr.Args) any {
		x := input(a, "input")
		return x.Expand(sizes(a, "size")...)
	},
	"torch.broadcast_tensors": func(a *pyexpr.Args) any {
		return tuple(tensor.BroadcastTensors(pyexpr.Rest[*tensor.Tensor](a, "tensors")...)...)
	},
	"torch.tensor_split": func(a *pyexpr.Args) any {
		x, parts := input(a, "input"), a.Peek()
		where, axis := sizes(a, "indices_or_sections"), pyexpr.Arg(a, "dim", 0)
		if _, ok := parts.(int); ok {
			return tuple(x.TensorSplit(where[0], axis)...)
		}
		return tuple(x.TensorSplitAt(where, axis)...)
	},

	"torch.stack": func(a *pyexpr.Args) any {
		list := tensors(pyexpr.Arg[any](a, "tensors"))
		return tensor.Stack(list, pyexpr.Arg(a, "dim", 0))
	},
	"torch.cat": func(a *pyexpr.Args) any {
		list := tensors(pyexpr.Arg[any](a, "tensors"))
		return tensor.Cat(list, pyexpr.Arg(a, "dim", 0))
	},
	"torch.hstack":       stacked(tensor.HStack),
	"torch.vstack":       stacked(tensor.VStack),
	"torch.dstack":       stacked(tensor.DStack),
	"torch.column_stack": stacked(tensor.ColumnStack),

	"torch.roll": func(a *pyexpr.Args) any {
		x, shifts := input(a, "input"), sizes(a, "shifts")
		return x.Roll(shifts, sizes(a, "dims", nil)...)
	},
	"torch.flip": func(a *pyexpr.Args) any {
		x := input(a, "input")
		return x.Flip(sizes(a, "dims")...)
	},
	"torch.fliplr": unary((*tensor.Tensor).FlipLR),
	"torch.flipud": unary((*tensor.Tensor).FlipUD),
	"torch.rot90": func(a *pyexpr.Args) any {
		x, k, axes := input(a, "input"), pyexpr.Arg(a, "k", 1), sizes(a, "dims", []int{0, 1})
		return x.Rot90(k, axes[0], axes[1])
	},
	"Tensor.repeat": func(a *pyexpr.Args) any {
		x, counts := input(a, "input"), pyexpr.Rest[int](a, "repeats")
		return x.Repeat(counts...)
	},
	"torch.tile": func(a *pyexpr.Args) any {
		x := input(a, "input")
		return x.Tile(sizes(a, "dims")...)
	},
	"torch.repeat_interleave": func(a *pyexpr.Args) any {
		x := input(a, "input")
		if !a.Has("repeats") {
			return tensor.On(x.Device()).Arange(0, x.NumEl(), 1).RepeatInterleave(x)
		}
		repeats := pyexpr.Arg[any](a, "repeats")
		if a.Has("dim") {
			return x.RepeatInterleave(repeats, pyexpr.Arg[int](a, "dim"))
		}
		return x.RepeatInterleave(repeats)
	},
	"torch.diagonal":  diagonal,
	"Tensor.diagonal": diagonal,
	"torch.diag_embed": func(a *pyexpr.Args) any {
		x, offset := input(a, "input"), pyexpr.Arg(a, "offset", 0)
		first, second := pyexpr.Arg(a, "dim1", -2), pyexpr.Arg(a, "dim2", -1)
		return x.DiagEmbed(offset, first, second)
	},
	"torch.diag": func(a *pyexpr.Args) any {
		x := input(a, "input")
		return x.Diag(pyexpr.Arg(a, "diagonal", 0))
	},
	"torch.trace": unary((*tensor.Tensor).Trace),
	"Tensor.tril": triangular((*tensor.Tensor).Tril),
	"Tensor.triu": triangular((*tensor.Tensor).Triu),
	"torch.block_diag": func(a *pyexpr.Args) any {
		return tensor.BlockDiag(pyexpr.Rest[*tensor.Tensor](a, "tensors")...)
	},

	"torch.meshgrid": func(a *pyexpr.Args) any {
		list := pyexpr.Rest[*tensor.Tensor](a, "tensors")
		return tuple(tensor.Meshgrid(list, pyexpr.Arg(a, "indexing", "ij"))...)
	},
	"torch.cartesian_prod": func(a *pyexpr.Args) any {
		return tensor.CartesianProd(pyexpr.Rest[*tensor.Tensor](a, "tensors")...)
	},
	"torch.combinations": func(a *pyexpr.Args) any {
		x, r := input(a, "input"), pyexpr.Arg(a, "r", 2)
		return x.Combinations(r, flag[tensor.WithReplacement](a, "with_replacement", false))
	},
}

// placed are the shape functions that make tensors on a device.
func placed(dev device.Device) table {
	indices := func(f func(p tensor.Place, rows, columns, k int) *tensor.Tensor) pyexpr.Func {
		return func(a *pyexpr.Args) any {
			rows, columns, k := pyexpr.Arg[int](a, "row"), pyexpr.Arg[int](a, "col"), pyexpr.Arg(a, "offset", 0)
			return f(tensor.On(dev).As(pyexpr.Arg(a, "dtype", dtype.Int64)), rows, columns, k)
		}
	}
	return table{
		"nn.Transformer.generate_square_subsequent_mask": func(a *pyexpr.Args) any {
			n := pyexpr.Arg[int](a, "sz")
			return nn.SquareSubsequentMask(n, tensor.On(dev).As(pyexpr.Arg(a, "dtype", dtype.Float32)))
		},
		"torch.tril_indices": indices(tensor.Place.TrilIndices),
		"torch.triu_indices": indices(tensor.Place.TriuIndices),
	}
}

// exchanged is a transpose whose axes have the given names.
func exchanged(first, second string) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x, i, j := input(a, "input"), pyexpr.Arg[int](a, first), pyexpr.Arg[int](a, second)
		return x.Transpose(i, j)
	}
}

func stacked(f func(ts ...*tensor.Tensor) *tensor.Tensor) pyexpr.Func {
	return func(a *pyexpr.Args) any { return f(tensors(pyexpr.Arg[any](a, "tensors"))...) }
}

func triangular(f func(x *tensor.Tensor, k int) *tensor.Tensor) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x := input(a, "input")
		return f(x, pyexpr.Arg(a, "diagonal", 0))
	}
}

func diagonal(a *pyexpr.Args) any {
	x, offset := input(a, "input"), pyexpr.Arg(a, "offset", 0)
	first, second := pyexpr.Arg(a, "dim1", 0), pyexpr.Arg(a, "dim2", 1)
	return x.Diagonal(offset, first, second)
}
