package tensor

import (
	"fmt"
	"slices"

	"cresset/dtype"
	"cresset/internal/op"
)

// SearchOption is an option of SearchSorted: Right, Side, Sorter or OutInt32.
type SearchOption interface{ search(s *lineSearch) }

// BucketizeOption is an option of Bucketize: Right or OutInt32.
type BucketizeOption interface {
	SearchOption
	bucketizeOption()
}

// Right makes SearchSorted return the place behind those of equal elements instead of the first of them.
type Right bool

// Side is "right", which is Right(true), or "left".
type Side string

// Sorter tells SearchSorted the order in which the elements of its first operand are sorted: int64 indices of its shape, as ArgSort
// returns them.
func Sorter(order *Tensor) SearchOption { return sorter{order} }

type sorter struct{ tensor *Tensor }

// OutInt32 makes SearchSorted return int32 instead of int64.
type OutInt32 bool

// lineSearch is what the options of SearchSorted say.
type lineSearch struct {
	right, int32 bool
	side         Side
	sorter       *Tensor
}

func (o Right) search(s *lineSearch)    { s.right = bool(o) }
func (o Side) search(s *lineSearch)     { s.side = o }
func (o sorter) search(s *lineSearch)   { s.sorter = o.tensor }
func (o OutInt32) search(s *lineSearch) { s.int32 = bool(o) }

func (Right) bucketizeOption()    {}
func (OutInt32) bucketizeOption() {}

// SearchSorted returns for each element v of values how many elements of a sorted line are less than v, with Right how many are not
// larger: the place where v can be put so that the line stays sorted. NaN counts as the largest number. The lines are those of
// sorted's last axis: one for all values, or one for each line of values, whose other axes are the same. values is a tensor or, for
// one line, a number; the result has its shape. It records no gradient.
func SearchSorted(sorted *Tensor, values any, opts ...SearchOption) *Tensor {
	const name = "searchsorted"
	refuseNil(name, "sorted_sequence", 1, sorted)
	var s lineSearch
	for _, opt := range opts {
		opt.search(&s)
	}
	v := operandOf(name, values)
	dt := commonType(operand{t: sorted}, v)
	if v.t == nil {
		v.t = sorted.empty(op.Fill, v.s.DType(), Shape{}).fill(v.s)
	}
	s.check(name, sorted, v.t)
	if dt == dtype.Bool {
		fail(name, ErrKernel, noKernel("searchsorted_out_cpu", dt, sorted), sorted, v.t)
	}
	line := sorted.Detach()
	if s.sorter != nil {
		line = line.Gather(-1, s.sorter.Detach())
	}
	out := v.t.empty(op.SearchSorted, dtype.Int64, v.t.layout.Shape())
	launch(op.SearchSorted, dt, op.Search{Right: s.right || s.side == "right"}, []*Tensor{out}, []*Tensor{line.cast(dt), v.t.Detach().cast(dt)})
	if s.int32 {
		return out.cast(dtype.Int32)
	}
	return out
}

func (s *lineSearch) check(name string, sorted, values *Tensor) {
	wrong := func(kind error, format string, args ...any) {
		fail(name, kind, "torch.searchsorted(): "+fmt.Sprintf(format, args...), sorted, values)
	}
	lines, shape := sorted.layout.Shape(), values.layout.Shape()
	switch {
	case s.side != "" && s.side != "left" && s.side != "right":
		wrong(ErrValue, "side can only be 'left' or 'right' but got %s", string(s.side))
	case s.side == "left" && s.right:
		wrong(ErrValue, "side and right can't be set to opposites, got side of left while right was True")
	case values.storage.device != sorted.storage.device:
		wrong(ErrDevice, "boundaries and input value tensors should have same device type, but got boundaries tensor device type %s and input value tensor device type %s",
			sorted.storage.device, values.storage.device)
	}
	if s.sorter != nil {
		s.checkSorter(sorted, wrong)
	}
	switch {
	case len(shape) == 0 && len(lines) != 1:
		wrong(ErrShape, "input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries tensor dim(%d) and input value's dim(0) numel(1)", len(lines))
	case len(lines) == 0:
		wrong(ErrShape, "boundaries tensor should have positive dimension, but got 0 dimension")
	case len(lines) > 1 && (len(lines) != len(shape) || !slices.Equal(lines[:len(lines)-1], shape[:len(shape)-1])):
		wrong(ErrShape, "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input value tensor must match, "+
			"but we got boundaries tensor %s and input value tensor %s", lines.List(), shape.List())
	}
}

func (s *lineSearch) checkSorter(sorted *Tensor, wrong func(kind error, format string, args ...any)) {
	order := s.sorter
	switch {
	case order.storage.device != sorted.storage.device:
		wrong(ErrDevice, "sorter and boundary tensors should have same device type, but got sorter tensor device type %s and input value tensor device type %s",
			order.storage.device, sorted.storage.device)
	case !order.layout.Shape().Equal(sorted.layout.Shape()):
		wrong(ErrShape, "boundary and sorter must have the same size, but got boundary tensor %sand got sorter tensor %s",
			sorted.layout.Shape().List(), order.layout.Shape().List())
	case order.dtype != dtype.Int64:
		wrong(ErrDType, "sorter must be a tensor of long dtype but got dtype %s", order.dtype.ScalarName())
	}
	if order.layout.Size() == 0 {
		return
	}
	least, most := order.Detach().AMinMax(nil)
	if hostSlice[int64](least)[0] < 0 || hostSlice[int64](most)[0] >= int64(order.layout.Shape()[order.layout.Rank()-1]) {
		wrong(ErrIndex, "sorter index out of range")
	}
}

// Bucketize returns for each element of x, a tensor or a number, how many of the boundaries, a sorted vector, are less, with Right how
// many are not larger: SearchSorted(boundaries, x).
func Bucketize(x any, boundaries *Tensor, opts ...BucketizeOption) *Tensor {
	const name = "bucketize"
	refuseNil(name, "boundaries", 2, boundaries)
	if rank := boundaries.layout.Rank(); rank != 1 {
		fail(name, ErrShape, fmt.Sprintf("boundaries tensor must be 1 dimension, but got dim(%d)", rank), boundaries)
	}
	options := make([]SearchOption, len(opts))
	for i, opt := range opts {
		options[i] = opt
	}
	return SearchSorted(boundaries, x, options...)
}
