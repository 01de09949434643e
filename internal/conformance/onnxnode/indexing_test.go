package onnxnode

import (
	"cresset/dtype"
	"cresset/tensor"
)

// indexing picks elements and puts them.
var indexing = map[string]operator{
	"Slice":           slice,
	"Gather":          gather,
	"GatherElements":  gatherElements,
	"GatherND":        gatherND,
	"Compress":        compress,
	"NonZero":         unary(func(x *tensor.Tensor) *tensor.Tensor { return x.NonZero().T() }),
	"OneHot":          oneHot,
	"ScatterElements": scatterElements,
	"Scatter":         scatterElements,
	"ScatterND":       scatterND,
	"TensorScatter":   tensorScatter,
	"Unique":          unique,
	"ReverseSequence": func(n *node) []*tensor.Tensor {
		return one(reverseSequence(n.input(0), n.list(1), n.integer("batch_axis", 1), n.integer("time_axis", 0)))
	},
	"ArrayFeatureExtractor": two(func(x, y *tensor.Tensor) *tensor.Tensor {
		return x.Reshape(-1, x.Size(-1)).IndexSelect(1, y.Flatten(0, -1))
	}),
}

func slice(n *node) []*tensor.Tensor {
	x := n.input(0)
	starts, ends := n.listOf(1, n.ints("starts")), n.listOf(2, n.ints("ends"))
	axes := n.listOf(3, n.ints("axes", everyAxis(x)[:len(starts)]...))
	steps := n.listOf(4, nil)
	for i, axis := range axes {
		size, step := x.Size(axis), 1
		if steps != nil {
			step = steps[i]
		}
		var places []int
		if step > 0 {
			for p := bound(starts[i], size); p < bound(ends[i], size); p += step {
				places = append(places, p)
			}
		} else {
			start, end := starts[i], ends[i]
			if start < 0 {
				start += size
			}
			if end < 0 {
				end += size
			}
			for p := min(start, size-1); p > max(end, -1); p += step {
				places = append(places, p)
			}
		}
		x = x.IndexSelect(axis, integers(places...))
	}
	return one(x)
}

// positive counts indices from the start.
func positive(index *tensor.Tensor, n int) *tensor.Tensor {
	index = index.To(dtype.Int64)
	return tensor.Where(index.LtScalar(0), index.AddScalar(n), index)
}

func gather(n *node) []*tensor.Tensor {
	x, axis := n.input(0), bound(n.integer("axis", 0), n.input(0).Dim())
	index := positive(n.input(1), x.Size(axis))
	y := x.IndexSelect(axis, index.Flatten(0, -1))
	shape := append(append(append([]int{}, x.Shape()[:axis]...), index.Shape()...), x.Shape()[axis+1:]...)
	return one(y.View(shape...))
}

func gatherElements(n *node) []*tensor.Tensor {
	x, axis := n.input(0), n.integer("axis", 0)
	return one(x.Gather(axis, positive(n.input(1), x.Size(axis))))
}

// gatherND reads rows of coordinates.
func gatherND(n *node) []*tensor.Tensor {
	x, batch := n.input(0), n.integer("batch_dims", 0)
	at, rest := coordinates(x.Shape()[batch:], n.input(1))
	shape := append(append([]int{}, n.input(1).Shape()[:n.input(1).Dim()-1]...), rest...)
	if batch == 0 {
		return one(x.Reshape(x.NumEl()/count(rest), count(rest)).IndexSelect(0, at.Flatten(0, -1)).View(shape...))
	}
	batches := count(x.Shape()[:batch])
	flat, index := x.Reshape(batches, -1, count(rest)), at.Reshape(batches, -1)
	var rows []*tensor.Tensor
	for i := range batches {
		rows = append(rows, flat.Select(0, i).IndexSelect(0, index.Select(0, i)))
	}
	return one(tensor.Stack(rows, 0).View(shape...))
}

// coordinates makes of each row of index the place in the first axes of shape, and returns what axes are left.
func coordinates(shape []int, index *tensor.Tensor) (at *tensor.Tensor, rest []int) {
	k := index.Size(-1)
	for i := range k {
		c := positive(index.Select(-1, i), shape[i])
		if at == nil {
			at = c
		} else {
			at = at.MulScalar(shape[i]).Add(c)
		}
	}
	return at, shape[k:]
}

func count(shape []int) int {
	n := 1
	for _, size := range shape {
		n *= size
	}
	return n
}

func compress(n *node) []*tensor.Tensor {
	x, axis := n.input(0), n.integer("axis", 0)
	if !n.given("axis") {
		x = x.Flatten(0, -1)
	}
	return one(x.IndexSelect(axis, n.input(1).NonZero().Flatten(0, -1)))
}

func oneHot(n *node) []*tensor.Tensor {
	depth, values := n.list(1)[0], n.input(2)
	index := n.input(0).To(dtype.Int64)
	axis := n.integer("axis", -1)
	if axis < 0 {
		axis += index.Dim() + 1
	}
	hot := positive(index, depth).Unsqueeze(axis).Eq(tensor.Arange(0, depth, 1).View(lined(index.Dim()+1, axis, depth)...))
	return one(tensor.Where(hot, values.Select(0, 1), values.Select(0, 0)))
}

func reverseSequence(x *tensor.Tensor, lengths []int, batch, time int) *tensor.Tensor {
	var rows []*tensor.Tensor
	for i, length := range lengths {
		row := x.Narrow(batch, i, 1)
		rows = append(rows, tensor.Cat([]*tensor.Tensor{row.Narrow(time, 0, length).Flip(time), row.Narrow(time, length, row.Size(time)-length)}, time))
	}
	return tensor.Cat(rows, batch)
}

// scattering are names of reductions in PyTorch.
var scattering = map[string]string{"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}

func scatterElements(n *node) []*tensor.Tensor {
	x, axis := n.input(0), n.integer("axis", 0)
	index := positive(n.input(1), x.Size(axis))
	if how := n.text("reduction", "none"); how != "none" {
		return one(x.ScatterReduce(axis, index, n.input(2), scattering[how]))
	}
	return one(x.Scatter(axis, index, n.input(2)))
}

// scatterND writes rows to coordinates.
func scatterND(n *node) []*tensor.Tensor {
	x := n.input(0)
	at, rest := coordinates(x.Shape(), n.input(1))
	width := count(rest)
	flat, values := x.Reshape(x.NumEl()/width, width), n.input(2).Reshape(at.NumEl(), width)
	index := at.Flatten(0, -1).View(-1, 1).Expand(at.NumEl(), width)
	if how := n.text("reduction", "none"); how != "none" {
		return one(flat.ScatterReduce(0, index, values, scattering[how]).View(x.Shape()...))
	}
	return one(flat.Scatter(0, index, values).View(x.Shape()...))
}

// tensorScatter writes what is new behind what a cache holds of each sequence, from its start again where it is circular.
func tensorScatter(n *node) []*tensor.Tensor {
	x, news, axis := n.input(0), n.input(1), n.integer("axis", -2)
	size, length := x.Size(axis), news.Size(axis)
	starts := make([]int, x.Size(0))
	if n.has(2) {
		starts = n.list(2)
	}
	var rows []*tensor.Tensor
	for i, start := range starts {
		places := make([]int, length)
		for j := range places {
			places[j] = start + j
			if n.text("mode", "linear") == "circular" {
				places[j] %= size
			}
		}
		rows = append(rows, x.Narrow(0, i, 1).IndexCopy(axis, integers(places...), news.Narrow(0, i, 1)))
	}
	return one(tensor.Cat(rows, 0))
}

// unique finds where each value stands first, and puts the values into that order where they are not to be sorted.
func unique(n *node) []*tensor.Tensor {
	x, axis := n.input(0), 0
	if !n.given("axis") {
		x = x.Flatten(0, -1)
	} else {
		axis = n.integer("axis", 0)
	}
	values, inverse, counts := x.Unique(tensor.OverAxis(axis))
	size := x.Size(axis)
	places := tensor.Arange(0, size, 1)
	first := integers(size).Expand(counts.NumEl()).ScatterReduce(0, inverse, places, "amin")
	if !n.flag("sorted", 1) {
		_, order := first.Sort(0)
		_, rank := order.Sort(0)
		values, first, counts, inverse = values.IndexSelect(axis, order), first.IndexSelect(0, order), counts.IndexSelect(0, order), rank.IndexSelect(0, inverse)
	}
	return []*tensor.Tensor{values, first, inverse, counts}
}
