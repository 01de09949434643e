package onnxnode

import (
	"cresset/dtype"
	"cresset/tensor"
)

// reduction reduces axes of x, which stay with extent 1.
type reduction = func(x *tensor.Tensor, axes []int) *tensor.Tensor

// reductions are over some axes, or along one.
var reductions = map[string]operator{
	"ReduceSum": reduce(sum),
	"ReduceMean": reduce(func(x *tensor.Tensor, axes []int) *tensor.Tensor {
		return x.Double().MeanAxes(axes, true).To(x.DType())
	}),
	"ReduceMax":    reduce(func(x *tensor.Tensor, axes []int) *tensor.Tensor { return x.AMax(axes, true) }),
	"ReduceMin":    reduce(func(x *tensor.Tensor, axes []int) *tensor.Tensor { return x.AMin(axes, true) }),
	"ReduceProd":   reduce(product),
	"ReduceL1":     reduce(func(x *tensor.Tensor, axes []int) *tensor.Tensor { return sum(x.Abs(), axes) }),
	"ReduceL2":     reduce(func(x *tensor.Tensor, axes []int) *tensor.Tensor { return sum(x.Square(), axes).Sqrt() }),
	"ReduceLogSum": reduce(func(x *tensor.Tensor, axes []int) *tensor.Tensor { return sum(x, axes).Log() }),
	"ReduceLogSumExp": reduce(func(x *tensor.Tensor, axes []int) *tensor.Tensor {
		return x.LogSumExp(axes, true)
	}),
	"ReduceSumSquare": reduce(func(x *tensor.Tensor, axes []int) *tensor.Tensor { return sum(x.Square(), axes) }),

	"ArgMax": extreme((*tensor.Tensor).ArgMaxAxis), "ArgMin": extreme((*tensor.Tensor).ArgMinAxis),
	"Softmax":    func(n *node) []*tensor.Tensor { return one(along(n, (*tensor.Tensor).Softmax)) },
	"LogSoftmax": func(n *node) []*tensor.Tensor { return one(along(n, (*tensor.Tensor).LogSoftmax)) },
	"Hardmax":    func(n *node) []*tensor.Tensor { return one(along(n, hardmax)) },
	"CumSum":     func(n *node) []*tensor.Tensor { return one(scan(n, 0, (*tensor.Tensor).CumSum)) },
	"CumProd":    func(n *node) []*tensor.Tensor { return one(scan(n, 1, (*tensor.Tensor).CumProd)) },
	"TopK":       topK,

	"GlobalAveragePool": unary(func(x *tensor.Tensor) *tensor.Tensor { return x.MeanAxes(pixels(x), true) }),
	"GlobalMaxPool":     unary(func(x *tensor.Tensor) *tensor.Tensor { return x.AMax(pixels(x), true) }),
}

func sum(x *tensor.Tensor, axes []int) *tensor.Tensor { return x.SumAxes(axes, true).To(x.DType()) }

func product(x *tensor.Tensor, axes []int) *tensor.Tensor {
	for _, axis := range axes {
		x = x.ProdAxis(axis, true).To(x.DType())
	}
	return x
}

// pixels are the axes after the first two.
func pixels(x *tensor.Tensor) []int { return everyAxis(x)[2:] }

func everyAxis(x *tensor.Tensor) []int {
	axes := make([]int, x.Dim())
	for i := range axes {
		axes[i] = i
	}
	return axes
}

// reduce takes axes from an attribute or an input; none are all, or none at all.
func reduce(f reduction) operator {
	return func(n *node) []*tensor.Tensor {
		x, axes := n.input(0), n.listOf(1, n.ints("axes"))
		if len(axes) == 0 {
			if n.flag("noop_with_empty_axes", 0) {
				return one(x)
			}
			axes = everyAxis(x)
		}
		y := f(x, axes)
		if !n.flag("keepdims", 1) {
			y = y.SqueezeAxis(axes...)
		}
		return one(y)
	}
}

func along(n *node, f func(x *tensor.Tensor, axis int) *tensor.Tensor) *tensor.Tensor {
	return f(n.input(0), n.integer("axis", -1))
}

func extreme(f func(x *tensor.Tensor, axis int, keep ...tensor.KeepDim) *tensor.Tensor) operator {
	return func(n *node) []*tensor.Tensor {
		x, axis, keep := n.input(0), n.integer("axis", 0), tensor.KeepDim(n.flag("keepdims", 1))
		if n.flag("select_last_index", 0) {
			return one(f(x.Flip(axis), axis, keep).RSubScalar(x.Size(axis) - 1))
		}
		return one(f(x, axis, keep))
	}
}

func hardmax(x *tensor.Tensor, axis int) *tensor.Tensor {
	places := tensor.Arange(0, x.Size(axis), 1)
	shape := make([]int, x.Dim())
	for i := range shape {
		shape[i] = 1
	}
	shape[(axis+x.Dim())%x.Dim()] = x.Size(axis)
	return x.ArgMaxAxis(axis, true).Eq(places.View(shape...)).To(x.DType())
}

// scan goes along the axis that input 1 names, from its end and without the element itself where asked for.
func scan(n *node, start any, f func(x *tensor.Tensor, axis int) *tensor.Tensor) *tensor.Tensor {
	x, axis := n.input(0), n.list(1)[0]
	if n.flag("reverse", 0) {
		x = x.Flip(axis)
	}
	y := f(x, axis).To(x.DType())
	if n.flag("exclusive", 0) {
		first := tensor.FullLike(x.Narrow(axis, 0, 1), start)
		y = tensor.Cat([]*tensor.Tensor{first, y.Narrow(axis, 0, y.Size(axis)-1)}, axis)
	}
	if n.flag("reverse", 0) {
		y = y.Flip(axis)
	}
	return y
}

func topK(n *node) []*tensor.Tensor {
	k := n.integer("k", 0)
	if n.has(1) {
		k = n.list(1)[0]
	}
	values, indices := n.input(0).TopK(k, n.integer("axis", -1), tensor.Largest(n.flag("largest", 1)))
	return []*tensor.Tensor{values, indices.To(dtype.Int64)}
}
