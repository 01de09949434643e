package tensor

import (
	"fmt"
	"math"
	"slices"

	"cresset/dtype"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// sameIndexDevice panics with PyTorch's text where the named argument is not where x is.
func (x *Tensor) sameIndexDevice(name, method, named string, t *Tensor) {
	refuseNil(name, named, 2, t)
	if t.storage.device != x.storage.device {
		failArgument(name, method, named, x.storage.device, t.storage.device, argument{"self", x}, argument{named, t})
	}
}

// isIndex reports whether the elements can name places.
func (x *Tensor) isIndex() bool { return x.dtype == dtype.Int64 || x.dtype == dtype.Int32 }

// atLeast1 returns x without a gradient record; without axes it gets one of extent 1.
func (x *Tensor) atLeast1() *Tensor {
	if x.layout.Rank() == 0 {
		return x.alias(x.layout.Unsqueeze(nil, 0))
	}
	return x
}

// IndexSelect returns those indices of one axis that index, a vector, names; they may repeat.
func (x *Tensor) IndexSelect(axis int, index *Tensor) *Tensor {
	axis = x.axis("index_select", axis)
	x.sameIndexDevice("index_select", "wrapper_CUDA__index_select", "index", index)
	if index.layout.Rank() > 1 {
		fail("index_select", ErrIndex, "index_select(): Index is supposed to be a vector", x, index)
	}
	if !index.isIndex() {
		fail("index_select", ErrDType, "index_select(): Expected dtype int32 or int64 for index", x, index)
	}
	if n := index.layout.Size(); x.layout.Rank() == 0 && n != 1 {
		fail("index_select", ErrIndex, fmt.Sprintf("index_select(): Index to scalar can have only 1 value, got %d value(s)", n), x, index)
	}
	long := index.cast(dtype.Int64).atLeast1()
	out := x.selectRows(op.IndexSelect, axis, long)
	record(out, op.IndexSelect, indexSelectGrad, axis, x).save(long)
	return out
}

func indexSelectGrad(b *backprop, dy *Tensor) {
	b.give(0, dy.scattered(b.input(0), b.params().(int), b.saved(0)))
}

// selectRows computes an IndexSelect or an Embedding of int64 indexes, without a gradient record.
func (x *Tensor) selectRows(o op.Op, axis int, index *Tensor) *Tensor {
	src := x.atLeast1()
	old := src.layout.Shape()
	shape := append(append(append(Shape{}, old[:axis]...), index.layout.Shape()...), old[axis+1:]...)
	if x.layout.Rank() == 0 {
		shape = nil
	}
	out := x.empty(o, x.dtype, shape, index)
	launch(o, x.dtype, op.Axis{Axis: axis}, []*Tensor{out}, []*Tensor{src, index})
	return out
}

// scattered returns zeros of the given shape to which dy is added at the indices of one axis.
func (dy *Tensor) scattered(shape Shape, axis int, index *Tensor) *Tensor {
	g := dy.zeros(shape)
	launch(op.IndexAdd, g.dtype, op.Axis{Axis: axis}, []*Tensor{g.atLeast1()}, []*Tensor{index, dy.atLeast1()})
	record(g, op.IndexAdd, indexAddGrad, ifTracked(dy, axis), nil, dy).save(index)
	return g
}

// IndexAddOption is an option of IndexAdd: an Alpha.
type IndexAddOption interface{ indexAdd(alpha *Alpha) }

func (a Alpha) indexAdd(alpha *Alpha) { *alpha = a }

// IndexAdd returns x with src added at those indices of one axis that index, a vector, names. Where an index repeats, src
// is added in its order. It takes Alpha, which multiplies src first; for integers it loses its fraction.
func (x *Tensor) IndexAdd(axis int, index, src *Tensor, opts ...IndexAddOption) *Tensor {
	axis = x.checkIndexAdd("index_add", axis, index, src)
	src = src.timesAlpha(opts)
	long := index.cast(dtype.Int64).atLeast1()
	out := x.empty(op.IndexAdd, x.dtype, x.layout.Shape(), index, src).copyFrom(x)
	launch(op.IndexAdd, x.dtype, op.Axis{Axis: axis}, []*Tensor{out.atLeast1()}, []*Tensor{long, src.atLeast1()})
	record(out, op.IndexAdd, indexAddGrad, axis, x, src).save(long)
	return out
}

// timesAlpha returns the source of an IndexAdd times its Alpha. Bools, which have no kernel, are left to be refused.
func (src *Tensor) timesAlpha(opts []IndexAddOption) *Tensor {
	alpha := Alpha(1)
	for _, o := range opts {
		o.indexAdd(&alpha)
	}
	switch a := float64(alpha); {
	case a == 1 || src.dtype == dtype.Bool:
		return src
	case src.dtype.IsFloat():
		return src.MulScalar(a)
	case !(a >= math.MinInt64 && a < math.MaxInt64):
		fail("index_add", ErrValue, "value cannot be converted to type int64_t without overflow", src)
	}
	return src.MulScalar(int64(alpha))
}

func indexAddGrad(b *backprop, dy *Tensor) {
	b.give(0, dy)
	if b.needs(1) {
		index := b.saved(0)
		g := dy.selectRows(op.IndexSelect, b.params().(int), index)
		record(g, op.IndexSelect, indexSelectGrad, b.params(), dy).save(index)
		b.give(1, g.Reshape(b.input(1)...))
	}
}

func (x *Tensor) checkIndexAdd(name string, axis int, index, src *Tensor) int {
	axis = x.axis(name, axis)
	x.sameIndexDevice(name, "wrapper_CUDA_"+name, "index", index)
	x.sameIndexDevice(name, "wrapper_CUDA_"+name, "source", src)
	from, to := src.atLeast1().layout.Shape(), x.atLeast1().layout.Shape()
	switch {
	case index.layout.Rank() > 1:
		fail(name, ErrIndex, fmt.Sprintf("%s_(): Index is supposed to be a vector, but got dim: %d with type: %s and size: %s",
			name, index.layout.Rank(), index.dtype.ScalarName(), index.layout.Shape().List()), x, index, src)
	case !index.isIndex():
		fail(name, ErrDType, name+"_(): Expected dtype int32/int64 for index but got: "+index.dtype.ScalarName(), x, index, src)
	case x.dtype != src.dtype:
		fail(name, ErrDType, fmt.Sprintf("%s_(): self (%s) and source (%s) must have the same scalar type",
			name, x.dtype.ScalarName(), src.dtype.ScalarName()), x, index, src)
	case axis >= len(from):
		fail(name, ErrIndex, fmt.Sprintf("%s_(): Indexing dim %d is out of bounds of the source tensor with dim %d", name, axis, src.layout.Rank()), x, index, src)
	case index.layout.Size() != from[axis]:
		fail(name, ErrShape, fmt.Sprintf("%s_(): Number of indices (%d) should be equal to source.size(dim): (%d), for dim: %d",
			name, index.layout.Size(), from[axis], axis), x, index, src)
	case !equalBut(from, to, axis):
		fail(name, ErrShape, fmt.Sprintf("source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = %s source.shape = %s",
			x.layout.Shape().List(), src.layout.Shape().List()), x, index, src)
	}
	return axis
}

// equalBut reports whether two shapes are equal apart from one axis.
func equalBut(a, b Shape, axis int) bool {
	return len(a) == len(b) && slices.Equal(a[:axis], b[:axis]) && slices.Equal(a[axis+1:], b[axis+1:])
}

// EmbeddingOption is an option of Embedding: a PaddingIndex or ScaleGradByFreq.
type EmbeddingOption interface {
	embedding(weight *Tensor, p *op.Lookup)
}

// PaddingIndex is the index whose row gets no gradient; it may count from the end. All rows get one unless it is given.
type PaddingIndex int

// ScaleGradByFreq divides the gradient of each row by how often the indices name it.
type ScaleGradByFreq bool

func (i PaddingIndex) embedding(weight *Tensor, p *op.Lookup) { p.Padding = i.paddingRow(weight) }
func (s ScaleGradByFreq) embedding(_ *Tensor, p *op.Lookup)   { p.ByFrequency = bool(s) }

// Embedding returns the rows of weight, a matrix, that indices name: a tensor of the indices' shape with one more axis.
func Embedding(weight, indices *Tensor, opts ...EmbeddingOption) *Tensor {
	refuseNil("embedding", "weight", 1, weight)
	refuseNil("embedding", "index", 2, indices)
	if home, dev := weight.storage.device, indices.storage.device; dev != home {
		failArgument("embedding", "wrapper_CUDA__index_select", "index", home, dev, argument{"weight", weight}, argument{"index", indices})
	}
	if weight.layout.Rank() != 2 {
		fail("embedding", ErrShape, "'weight' must be 2-D", weight, indices)
	}
	if !indices.isIndex() {
		fail("embedding", ErrDType, fmt.Sprintf("Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "+
			"but got %s instead (while checking arguments for embedding)", indices.legacyType()), weight, indices)
	}
	long := indices.cast(dtype.Int64)
	out := weight.selectRows(op.Embedding, 0, long)
	p := op.Lookup{Padding: -1}
	for _, opt := range opts {
		opt.embedding(weight, &p)
	}
	record(out, op.Embedding, embeddingGrad, p, weight).save(long)
	return out
}

func embeddingGrad(b *backprop, dy *Tensor) {
	if b.params().(op.Lookup).ByFrequency {
		dy = dy.perUse(b.saved(0), b.input(0)[0])
	}
	if b.creates {
		embeddingComposed(b, dy)
		return
	}
	b.giveBy(op.EmbeddingGrad, dy, b.saved(0), dy)
}

// perUse divides each row of dy by how often index names the same of n rows.
func (dy *Tensor) perUse(index *Tensor, n int) *Tensor {
	flat := index.Reshape(-1)
	uses := flat.zeros(Shape{n}).IndexAdd(0, flat, flat.zeros(flat.layout.Shape()).AddScalar(1))
	return dy.Div(uses.IndexSelect(0, flat).Reshape(index.layout.Shape()...).Unsqueeze(-1).To(dy.dtype))
}

func (i PaddingIndex) paddingRow(weight *Tensor) int {
	p, rows := int(i), weight.layout.Shape()[0]
	if p < -rows || p >= rows {
		fail("embedding", ErrValue, "Padding_idx must be within num_embeddings", weight)
	}
	if p < 0 {
		p += rows
	}
	return p
}

// OneHot returns, for int64 class numbers, rows of zeros with a one at each class: an int64 tensor with one more axis of
// extent classes. Where classes is -1 it is one more than the largest.
func OneHot(x *Tensor, classes int) *Tensor {
	refuseNil("one_hot", "input", 1, x)
	if x.dtype != dtype.Int64 {
		fail("one_hot", ErrDType, "one_hot is only applicable to index tensor of type LongTensor.", x)
	}
	switch {
	case x.layout.Size() == 0 && classes <= 0:
		fail("one_hot", ErrValue, "Can not infer total number of classes from empty tensor.", x)
	case classes == -1:
		classes = largestClass(x) + 1
	}
	if classes <= 0 {
		fail("one_hot", ErrValue, "Class values must be smaller than num_classes.", x)
	}
	shape := append(x.Shape(), classes)
	if len(shape) > layout.MaxRank {
		check("one_hot", ErrShape, errTooManyAxes, x)
	}
	out := x.empty(op.OneHot, dtype.Int64, shape)
	launch(op.OneHot, dtype.Int64, nil, []*Tensor{out}, []*Tensor{x})
	return out
}

// largestClass returns the largest class, after a check that none is negative.
func largestClass(x *Tensor) int {
	top := int64(0)
	for _, v := range hostSlice[int64](x) {
		if v < 0 {
			fail("one_hot", ErrIndex, "Class values must be non-negative.", x)
		}
		top = max(top, v)
	}
	return int(top)
}
