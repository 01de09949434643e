package onnxnode

import (
	"math"

	"cresset/dtype"
	"cresset/tensor"
)

// shapes change the axes of tensors, join and cut them, or make new ones.
var shapes = map[string]operator{
	"Shape": func(n *node) []*tensor.Tensor {
		s := n.input(0).Shape()
		start, end := bound(n.integer("start", 0), len(s)), bound(n.integer("end", len(s)), len(s))
		return one(integers(s[start:max(start, end)]...))
	},
	"Size":      unary(func(x *tensor.Tensor) *tensor.Tensor { return integers(x.NumEl()).Squeeze() }),
	"Reshape":   reshape,
	"Flatten":   flatten,
	"Squeeze":   squeeze,
	"Unsqueeze": unsqueeze,
	"Transpose": func(n *node) []*tensor.Tensor { return one(transpose(n.input(0), n.ints("perm"))) },
	"Expand": func(n *node) []*tensor.Tensor {
		x := n.input(0)
		return one(tensor.BroadcastTensors(x, tensor.Empty(n.list(1)...))[0])
	},
	"Tile":   func(n *node) []*tensor.Tensor { return one(n.input(0).Tile(n.list(1)...)) },
	"Concat": func(n *node) []*tensor.Tensor { return one(tensor.Cat(n.inputs(), n.integer("axis", 0))) },
	"Split":  split,
	"Trilu": func(n *node) []*tensor.Tensor {
		k := 0
		if n.has(1) {
			k = n.list(1)[0]
		}
		if n.flag("upper", 1) {
			return one(n.input(0).Triu(k))
		}
		return one(n.input(0).Tril(k))
	},
	"DepthToSpace":    depthToSpace,
	"SpaceToDepth":    spaceToDepth,
	"CenterCropPad":   centerCropPad,
	"Pad":             pad,
	"EyeLike":         eyeLike,
	"Range":           func(n *node) []*tensor.Tensor { return one(arange(n.input(0), n.input(1), n.input(2))) },
	"ConstantOfShape": constantOfShape,
	"Constant":        func(n *node) []*tensor.Tensor { return one(n.array("value").tensor()) },
	"HannWindow":      window(0.5, 0.5, 0),
	"HammingWindow":   window(25.0/46, 21.0/46, 0),
	"BlackmanWindow":  window(0.42, 0.5, 0.08),
}

func integers(list ...int) *tensor.Tensor {
	wide := make([]int64, len(list))
	for i, v := range list {
		wide[i] = int64(v)
	}
	return tensor.FromSlice(wide, len(wide))
}

// bound makes an index that may count from the end one within 0 to n.
func bound(i, n int) int {
	if i < 0 {
		i += n
	}
	return max(0, min(i, n))
}

func reshape(n *node) []*tensor.Tensor {
	x, sizes := n.input(0), n.list(1)
	for i, size := range sizes {
		if size == 0 && !n.flag("allowzero", 0) {
			sizes[i] = x.Size(i)
		}
	}
	return one(x.Reshape(sizes...))
}

func flatten(n *node) []*tensor.Tensor {
	x := n.input(0)
	rows := 1
	for _, size := range x.Shape()[:bound(n.integer("axis", 1), x.Dim())] {
		rows *= size
	}
	return one(x.Reshape(rows, x.NumEl()/max(rows, 1)))
}

func squeeze(n *node) []*tensor.Tensor {
	axes := n.listOf(1, n.ints("axes"))
	if len(axes) == 0 {
		return one(n.input(0).Squeeze())
	}
	return one(n.input(0).SqueezeAxis(axes...))
}

func unsqueeze(n *node) []*tensor.Tensor {
	x, axes := n.input(0), n.listOf(1, n.ints("axes"))
	rank := x.Dim() + len(axes)
	sizes := make([]int, rank)
	for _, axis := range axes {
		sizes[(axis+rank)%rank] = 1
	}
	next := 0
	for i := range sizes {
		if sizes[i] == 0 {
			sizes[i] = x.Size(next)
			next++
		}
	}
	return one(x.Reshape(sizes...))
}

func transpose(x *tensor.Tensor, order []int) *tensor.Tensor {
	if len(order) == 0 {
		for i := x.Dim() - 1; i >= 0; i-- {
			order = append(order, i)
		}
	}
	return x.Permute(order...)
}

func split(n *node) []*tensor.Tensor {
	x, axis := n.input(0), n.integer("axis", 0)
	if sizes := n.listOf(1, n.ints("split")); len(sizes) > 0 {
		return x.SplitSizes(sizes, axis)
	}
	parts := n.integer("num_outputs", len(n.Results))
	return x.Split((x.Size(axis)+parts-1)/parts, axis)
}

func depthToSpace(n *node) []*tensor.Tensor {
	x, b := n.input(0), n.integer("blocksize", 1)
	s := x.Shape()
	if n.text("mode", "DCR") == "CRD" {
		return one(x.PixelShuffle(b))
	}
	y := x.Reshape(s[0], b, b, s[1]/(b*b), s[2], s[3]).Permute(0, 3, 4, 1, 5, 2)
	return one(y.Reshape(s[0], s[1]/(b*b), s[2]*b, s[3]*b))
}

func spaceToDepth(n *node) []*tensor.Tensor {
	x, b := n.input(0), n.integer("blocksize", 1)
	s := x.Shape()
	y := x.Reshape(s[0], s[1], s[2]/b, b, s[3]/b, b).Permute(0, 3, 5, 1, 2, 4)
	return one(y.Reshape(s[0], s[1]*b*b, s[2]/b, s[3]/b))
}

func centerCropPad(n *node) []*tensor.Tensor {
	x, sizes := n.input(0), n.list(1)
	axes := n.ints("axes", everyAxis(x)...)
	for i, axis := range axes {
		have, want := x.Size(axis), sizes[i]
		if have > want {
			x = x.Narrow(axis, (have-want)/2, want)
		} else {
			pads := make([]int, 2*x.Dim())
			last := 2 * (x.Dim() - 1 - bound(axis, x.Dim()))
			pads[last], pads[last+1] = (want-have)/2, want-have-(want-have)/2
			x = x.Pad(pads, 0)
		}
	}
	return one(x)
}

// pad fills constants by Pad and finds other elements by their places.
func pad(n *node) []*tensor.Tensor {
	x, pads := n.input(0), n.listOf(1, n.ints("pads"))
	axes := everyAxis(x)
	if n.has(3) {
		axes = n.list(3)
	}
	mode := n.text("mode", "constant")
	for i, axis := range axes {
		before, after := pads[i], pads[len(axes)+i]
		places := make([]int, 0, x.Size(axis)+before+after)
		for p := -before; p < x.Size(axis)+after; p++ {
			places = append(places, mirrored(mode, p, x.Size(axis)))
		}
		if mode == "constant" {
			y := x.IndexSelect(axis, integers(clamped(places, x.Size(axis))...))
			outside := integers(places...)
			inside := outside.GeScalar(0).LogicalAnd(outside.LtScalar(x.Size(axis)))
			value := tensor.ZerosLike(x.Flatten(0, -1).Narrow(0, 0, 1)).Squeeze()
			if n.has(2) {
				value = n.input(2).Squeeze()
			}
			x = tensor.Where(inside.View(lined(x.Dim(), bound(axis, x.Dim()), len(places))...), y, value)
		} else {
			x = x.IndexSelect(axis, integers(places...))
		}
	}
	return one(x)
}

// mirrored is the place of an element that pads at p, of n.
func mirrored(mode string, p, n int) int {
	switch mode {
	case "reflect":
		for period := 2 * (n - 1); p < 0 || p >= n; {
			if p < 0 {
				p = -p
			} else {
				p = period - p
			}
		}
	case "edge":
		p = max(0, min(p, n-1))
	case "wrap":
		p = (p%n + n) % n
	}
	return p
}

func clamped(places []int, n int) []int {
	within := make([]int, len(places))
	for i, p := range places {
		within[i] = max(0, min(p, n-1))
	}
	return within
}

// lined is the shape of a line along one of several axes.
func lined(rank, axis, n int) []int {
	shape := make([]int, rank)
	for i := range shape {
		shape[i] = 1
	}
	shape[axis] = n
	return shape
}

func eyeLike(n *node) []*tensor.Tensor {
	x := n.input(0)
	dt := x.DType()
	if n.given("dtype") {
		dt = dtypes[n.integer("dtype", 0)]
	}
	row, column := tensor.Arange(0, x.Size(0), 1).View(-1, 1), tensor.Arange(0, x.Size(1), 1)
	return one(row.AddScalar(n.integer("k", 0)).Eq(column).To(dt))
}

func arange(start, limit, delta *tensor.Tensor) *tensor.Tensor {
	count := int(max(0, math.Ceil((limit.Float64()-start.Float64())/delta.Float64())))
	return tensor.Arange(0, count, 1).To(start.DType()).Mul(delta).Add(start)
}

func constantOfShape(n *node) []*tensor.Tensor {
	value := tensor.Zeros(1)
	if n.given("value") {
		value = n.array("value").tensor()
	}
	return one(value.Squeeze().Expand(n.list(0)...))
}

// window is a - b·cos t + c·cos 2t, over one period or so that its last element is the first.
func window(a, b, c float64) operator {
	return func(n *node) []*tensor.Tensor {
		size := n.list(0)[0]
		period := float64(size)
		if !n.flag("periodic", 1) {
			period--
		}
		t := tensor.On(n.input(0).Device()).As(dtype.Float64).Arange(0, size, 1).MulScalar(2 * math.Pi / period)
		y := t.Cos().MulScalar(-b).AddScalar(a).Add(t.MulScalar(2).Cos().MulScalar(c))
		return one(y.To(dtypes[n.integer("output_datatype", 1)]))
	}
}
