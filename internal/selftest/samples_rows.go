package selftest

import (
	"slices"

	"cresset/dtype"
	"cresset/tensor"
)

// reductions are samples of reductions and scans: of all elements, of long and short rows, of columns.
var reductions = slices.Concat(
	reduced("sum", numeric, 32, (*tensor.Tensor).Sum, func(x *tensor.Tensor, axis int) *tensor.Tensor { return x.SumAxes([]int{axis}) }),
	reduced("mean", floats, 32, (*tensor.Tensor).Mean, func(x *tensor.Tensor, axis int) *tensor.Tensor { return x.MeanAxes([]int{axis}) }),
	reduced("prod", numeric, 512, func(x *tensor.Tensor) *tensor.Tensor { return x.Sign().Prod() }, func(x *tensor.Tensor, axis int) *tensor.Tensor { return x.Sign().ProdAxis(axis) }),
	reduced("max", numeric, 0, (*tensor.Tensor).Max, func(x *tensor.Tensor, axis int) *tensor.Tensor { return x.AMax([]int{axis}) }),
	reduced("min", numeric, 0, (*tensor.Tensor).Min, func(x *tensor.Tensor, axis int) *tensor.Tensor { return x.AMin([]int{axis}) }),
	reduced("argmax", numeric, 0, (*tensor.Tensor).ArgMax, func(x *tensor.Tensor, axis int) *tensor.Tensor { return x.ArgMaxAxis(axis) }),
	reduced("any", each, 0, (*tensor.Tensor).Any, func(x *tensor.Tensor, axis int) *tensor.Tensor { return x.AnyAxis(axis) }),
	reduced("all", each, 0, (*tensor.Tensor).All, func(x *tensor.Tensor, axis int) *tensor.Tensor { return x.AllAxis(axis) }),
	reduced("count_nonzero", each, 0, (*tensor.Tensor).CountNonZero, func(x *tensor.Tensor, axis int) *tensor.Tensor { return x.CountNonZeroAxes(axis) }),
	reduced("var", floats, 64, (*tensor.Tensor).Var, func(x *tensor.Tensor, axis int) *tensor.Tensor { return x.VarAxes([]int{axis}) }),
	reduced("std", floats, 64, (*tensor.Tensor).Std, func(x *tensor.Tensor, axis int) *tensor.Tensor { return x.StdAxes([]int{axis}) }),
	reduced("norm", floats, 64, (*tensor.Tensor).Norm, func(x *tensor.Tensor, axis int) *tensor.Tensor { return x.NormAxes(2, []int{axis}) }),
	reduced("logsumexp", floats, 64, func(x *tensor.Tensor) *tensor.Tensor { return x.Flatten(0, -1).LogSumExp([]int{0}) },
		func(x *tensor.Tensor, axis int) *tensor.Tensor { return x.LogSumExp([]int{axis}) }),
	[]sample{
		{name: "max with places", in: []operand{of(33, 257)}, dtypes: numeric, f: two(func(x []*tensor.Tensor) (a, b *tensor.Tensor) { return x[0].MaxAxis(1) })},
		{name: "min with places over 0", in: []operand{of(257, 33)}, dtypes: numeric, f: two(func(x []*tensor.Tensor) (a, b *tensor.Tensor) { return x[0].MinAxis(0) })},
		{name: "gradients of reductions", in: []operand{of(33, 257)}, dtypes: single, roundings: 256, grad: true, f: func(x []*tensor.Tensor) []*tensor.Tensor {
			y := x[0]
			return []*tensor.Tensor{y.SumAxes([]int{0}), y.MeanAxes([]int{1}), y.VarAxes([]int{1}), y.StdAxes([]int{0}), y.NormAxes(2, []int{1}), y.LogSumExp([]int{1}), y.AMax([]int{0})}
		}},
		{name: "gradient of prod", in: []operand{of(33, 9), of(99, 33)}, dtypes: single, roundings: 256, grad: true, f: func(x []*tensor.Tensor) []*tensor.Tensor {
			return []*tensor.Tensor{x[0].ProdAxis(1), x[0].ProdAxis(0), x[1].ProdAxis(1)}
		}},
		scan("cumsum", numeric, 256, func(x *tensor.Tensor, axis int) *tensor.Tensor { return x.CumSum(axis) }),
		scan("cumprod", numeric, 512, func(x *tensor.Tensor, axis int) *tensor.Tensor { return x.Sign().CumProd(axis) }),
		scan("logcumsumexp", floats, 64, func(x *tensor.Tensor, axis int) *tensor.Tensor { return x.LogCumSumExp(axis) }),
		scan("cummax", numeric, 0, func(x *tensor.Tensor, axis int) *tensor.Tensor { y, _ := x.CumMax(axis); return y }),
		scan("cummin", numeric, 0, func(x *tensor.Tensor, axis int) *tensor.Tensor { y, _ := x.CumMin(axis); return y }),
		{name: "gradient of cumsum over 0", in: []operand{of(257, 9)}, dtypes: single, roundings: 256, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].CumSum(0) })},
		{name: "gradient of cumsum", in: []operand{of(9, 257)}, dtypes: single, roundings: 256, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].CumSum(1) })},
	},
)

// reduced are samples of a reduction over all of many elements, over long rows, short rows and columns.
func reduced(name string, dtypes []dtype.DType, roundings float64, all func(x *tensor.Tensor) *tensor.Tensor, along func(x *tensor.Tensor, axis int) *tensor.Tensor) []sample {
	return []sample{
		{name: name, in: []operand{of(71, 1031)}, dtypes: dtypes, roundings: roundings, f: func(x []*tensor.Tensor) []*tensor.Tensor {
			return []*tensor.Tensor{all(x[0]), along(x[0], 1), along(x[0], 0)}
		}},
		{name: name + " of short rows", in: []operand{of(300, 5)}, dtypes: dtypes, roundings: roundings, f: func(x []*tensor.Tensor) []*tensor.Tensor {
			return []*tensor.Tensor{along(x[0], 1), along(x[0].Transpose(0, 1), 1)}
		}},
	}
}

// scan is a sample of a scan along rows and along columns, of which few are long.
func scan(name string, dtypes []dtype.DType, roundings float64, f func(x *tensor.Tensor, axis int) *tensor.Tensor) sample {
	return sample{name: name, in: []operand{of(9, 1031), of(2, 9001)}, dtypes: dtypes, roundings: roundings, f: func(x []*tensor.Tensor) []*tensor.Tensor {
		return []*tensor.Tensor{f(x[0], 1), f(x[0], 0), f(x[1], 1), f(x[1].Transpose(0, 1), 0)}
	}}
}

// rows are samples of functions of whole rows, with gradients.
var rows = slices.Concat(
	eachWidth("softmax", 32, func(x *tensor.Tensor) *tensor.Tensor { return x.Softmax(1) }),
	eachWidth("softmax over 0", 32, func(x *tensor.Tensor) *tensor.Tensor { return x.Softmax(0) }),
	eachWidth("log_softmax over 0", 32, func(x *tensor.Tensor) *tensor.Tensor { return x.LogSoftmax(0) }),
	eachWidth("log_softmax", 32, func(x *tensor.Tensor) *tensor.Tensor { return x.LogSoftmax(1) }),
	eachWidth("log_softmax over 0", 32, func(x *tensor.Tensor) *tensor.Tensor { return x.LogSoftmax(0) }),
	[]sample{
		{name: "cross_entropy of many targets", in: []operand{of(300, 5), below(5, 300)}, dtypes: floats, roundings: 256, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor {
			return tensor.CrossEntropy(x[0], x[1])
		})},
		{name: "cross_entropy of pixels", in: []operand{of(3, 5, 40), below(5, 3, 40)}, dtypes: floats, roundings: 256, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor {
			return tensor.CrossEntropy(x[0], x[1])
		})},
		{name: "layer_norm of many rows", in: []operand{of(600, 33), of(33), of(33)}, dtypes: floats, roundings: 512, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor {
			return x[0].LayerNorm([]int{33}, x[1], x[2])
		})},
		rotation("rotary_embedding", 64, 32),
		rotation("rotary_embedding of a part of rows", 37, 12),
		rotationByFloats("rotary_embedding by tables of float32", 64, 32),
		rotationByFloats("rotary_embedding of a part of rows by tables of float32", 37, 12),
	},
	normalized("layer_norm", func(x, w, b *tensor.Tensor) *tensor.Tensor { return x.LayerNorm(w.Shape(), w, b) }),
	normalized("rms_norm", func(x, w, b *tensor.Tensor) *tensor.Tensor { return x.RMSNorm(w.Shape(), w, 0.5).Add(b) }),
)

// rotation turns rows of heads that lie beside each other, the first 2·points elements of each.
func rotation(name string, width, points int) sample {
	return sample{name: name, in: []operand{of(3, 5, 7, width), of(5, points), of(5, points)}, dtypes: floats, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor {
		return inner.Rotate(x[0].Transpose(1, 2), x[1].Detach(), x[2].Detach())
	})}
}

// rotationByFloats turns rows of half types by tables of float32, which the CPU does op by op.
func rotationByFloats(name string, width, points int) sample {
	s := rotation(name, width, points)
	s.dtypes = floats[2:]
	s.f = one(func(x []*tensor.Tensor) *tensor.Tensor {
		cos, sin := x[1].Detach().Float(), x[2].Detach().Float()
		if y := inner.Rotate(x[0], cos, sin); y != nil {
			return y
		}
		a, b := x[0].Narrow(-1, 0, points), x[0].Narrow(-1, points, points)
		return tensor.Cat([]*tensor.Tensor{a.Mul(cos).Sub(b.Mul(sin)), b.Mul(cos).Add(a.Mul(sin)), x[0].Narrow(-1, 2*points, width-2*points)}, -1)
	})
	s.in[0] = of(3, 7, 5, width)
	return s
}

// widths of rows are around those of a warp, of a block and of what a block keeps on chip.
var widths = []int{1, 31, 257, 1030, 5000}

func eachWidth(name string, roundings float64, f func(x *tensor.Tensor) *tensor.Tensor) []sample {
	var samples []sample
	for _, n := range widths {
		samples = append(samples, sample{name: sized(name, n), in: []operand{of(5, n)}, dtypes: floats, roundings: roundings, grad: true,
			f: one(func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0]) })})
	}
	return samples
}

func normalized(name string, f func(x, w, b *tensor.Tensor) *tensor.Tensor) []sample {
	var samples []sample
	for _, n := range widths {
		samples = append(samples, sample{name: sized(name, n), in: []operand{of(5, n), of(n), of(n)}, dtypes: floats, roundings: 256, grad: true,
			f: one(func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0], x[1], x[2]) })})
	}
	return samples
}
