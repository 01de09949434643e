package tensor

import (
	"fmt"
	"strings"

	"cresset/dtype"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// indexed returns the elements at places that tensors name, one for each leading axis; a nil keeps a whole axis.
func (x *Tensor) indexed(indices []*Tensor) *Tensor {
	src, places := x.places(indices)
	return src.pickRavelled(src.ravel(places))
}

// pickRavelled returns the elements that a flat index names.
func (x *Tensor) pickRavelled(r ravelled) *Tensor {
	out := x.Detach().selectRavelled(r)
	record(out, op.Index, indexGrad, r.plan, x).save(r.index)
	return out
}

func indexGrad(b *backprop, dy *Tensor) {
	p, index := b.params().(indexPlan), b.saved(0)
	rows := dy.Reshape(p.outer, index.layout.Size(), p.inner)
	flat := rows.scattered(Shape{p.outer, p.extent, p.inner}, 1, index)
	b.give(0, flat.viewAs(op.View, viewGrad, nil, layout.Contiguous(p.front)).unpermuted(p.order))
}

// places turns masks into integer indices, one entry for each leading axis of the source, and returns the source, which has
// one more axis for each mask without axes.
func (x *Tensor) places(indices []*Tensor) (src *Tensor, places []*Tensor) {
	src = x
	for _, t := range indices {
		if t == nil {
			places = append(places, nil)
			continue
		}
		if t.storage.device != x.storage.device {
			if !t.storage.device.IsCPU() {
				failHint("index", ErrDevice, fmt.Sprintf("indices should be either on cpu or on the same device as the indexed tensor (%s)", x.storage.device),
					placeHint([]argument{{"x", x}, {"index", t}}))
			}
			t = t.Detach().To(x.storage.device)
		}
		switch {
		case t.isIndex():
			places = append(places, t.cast(dtype.Int64))
		case t.dtype == dtype.Bool || t.dtype == dtype.Uint8:
			if t.layout.Rank() == 0 {
				src, t = src.Unsqueeze(len(places)), t.atLeast1()
			}
			src.checkMask(len(places), t)
			places = append(places, t.NonZero().Unbind(1)...)
		default:
			fail("index", ErrIndex, "tensors used as indices must be long, int, byte or bool tensors", x, t)
		}
	}
	if len(places) > src.layout.Rank() {
		fail("index", ErrIndex, fmt.Sprintf("too many indices for tensor of dimension %d", x.layout.Rank()), x)
	}
	return src, places
}

// checkMask panics where mask does not have the extents of the axes from axis on.
func (x *Tensor) checkMask(axis int, mask *Tensor) {
	if axis+mask.layout.Rank() > x.layout.Rank() {
		fail("index", ErrIndex, fmt.Sprintf("too many indices for tensor of dimension %d", x.layout.Rank()), x, mask)
	}
	for k, n := range mask.layout.Shape() {
		if n != x.layout.Shape()[axis+k] {
			fail("index", ErrIndex, fmt.Sprintf("The shape of the mask %s at index %d does not match the shape of the indexed tensor %s at index %d",
				mask.layout.Shape().List(), k, x.layout.Shape().List(), axis+k), x, mask)
		}
	}
}

// indexPlan says how the indexed axes of a tensor are made one: its axes are permuted so that they are neighbours, and it
// is seen as [outer][extent][inner].
type indexPlan struct {
	order                []int // of the axes; nil where they stay
	front                Shape // the permuted shape
	outer, extent, inner int
}

// ravelled is a plan with one flat index for all indexed axes.
type ravelled struct {
	plan  indexPlan
	index *Tensor // int64, one axis; nil where nothing is indexed
	shape Shape   // of the result
}

// ravel makes one index of many, after a check that each is in range.
func (x *Tensor) ravel(places []*Tensor) ravelled {
	axes, shape := indexedAxes(x, places)
	if len(axes) == 0 {
		return ravelled{}
	}
	r := ravelled{plan: indexPlan{outer: 1, extent: 1, inner: 1}}
	first, last := axes[0], axes[len(axes)-1]
	src := *x.layout
	if last-first+1 != len(axes) {
		r.plan.order = toFront(axes, src.Rank())
		src = src.Permute(nil, r.plan.order)
		first, last = 0, len(axes)-1
	}
	r.plan.front = src.Shape()
	for i, n := range src.Shape() {
		switch {
		case i < first:
			r.plan.outer *= n
		case i <= last:
			r.plan.extent *= n
		default:
			r.plan.inner *= n
		}
	}
	r.shape = append(append(append(Shape{}, src.Shape()[:first]...), shape...), src.Shape()[last+1:]...)
	if len(r.shape) > layout.MaxRank {
		check("index", ErrShape, errTooManyAxes, x)
	}
	flat := x.zerosAs(dtype.Int64, shape)
	for _, axis := range axes {
		n, t := x.layout.Shape()[axis], places[axis]
		if n == 0 && t.layout.Size() > 0 {
			fail("index", ErrIndex, "index is out of bounds for dimension with size 0", x, t)
		}
		launch(op.RavelIndex, dtype.Int64, op.Ravel{Axis: axis, Extent: n}, []*Tensor{flat}, []*Tensor{t.Expand(shape...)})
	}
	r.index = flat.alias(layout.Contiguous(Shape{flat.layout.Size()}))
	return r
}

// indexedAxes returns the axes that have an index, and the common shape of the indices.
func indexedAxes(x *Tensor, places []*Tensor) (axes []int, shape Shape) {
	for axis, t := range places {
		if t == nil {
			continue
		}
		wide, err := layout.Broadcast(shape, t.layout.Shape())
		if err != nil {
			fail("index", ErrIndex, "shape mismatch: indexing tensors could not be broadcast together with shapes "+shapes(places), x)
		}
		axes, shape = append(axes, axis), wide
	}
	return axes, shape
}

// shapes lists the shapes of tensors that are not nil: "[2], [3]".
func shapes(ts []*Tensor) string {
	var parts []string
	for _, t := range ts {
		if t != nil {
			parts = append(parts, t.layout.Shape().List())
		}
	}
	return strings.Join(parts, ", ")
}

// toFront returns the order of axes in which some come first.
func toFront(axes []int, rank int) []int {
	order := append(make([]int, 0, rank), axes...)
	next := 0
	for i := range rank {
		if next < len(axes) && axes[next] == i {
			next++
			continue
		}
		order = append(order, i)
	}
	return order
}

// selectRavelled is pickRavelled without a gradient record.
func (x *Tensor) selectRavelled(r ravelled) *Tensor {
	p := r.plan
	if p.order != nil {
		x = x.Permute(p.order...)
	}
	out := x.Reshape(p.outer, p.extent, p.inner).selectRows(op.IndexSelect, 1, r.index)
	out.layout = new(layout.Contiguous(r.shape))
	return out
}

// unpermuted undoes a permutation of axes; a nil order is none.
func (x *Tensor) unpermuted(order []int) *Tensor {
	if order == nil {
		return x
	}
	back := make([]int, len(order))
	for i, a := range order {
		back[a] = i
	}
	return x.Permute(back...)
}

// indices returns numbers on x's device and in its scope.
func (x *Tensor) indices(n []int64) *Tensor {
	host := Of(n)
	defer host.Release()
	there := constantOn(host, x.storage.device, host.dtype)
	if there != host {
		defer there.Release()
	}
	return x.empty(op.Copy, dtype.Int64, Shape{len(n)}).copyFrom(there)
}
