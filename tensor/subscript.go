package tensor

import (
	"fmt"
	"math"
	"reflect"

	"cresset/dtype"
	"cresset/internal/op"
)

// Section is an index that names every step-th place of an axis, as Span returns.
type Section struct{ start, end, step int }

// Span is the index start:end:step of Python: the places start, start+step, … below end. Negative ones count from the end; those out
// of range are moved into it. End as the end is that of the axis, and the step is 1 unless given.
func Span(start, end int, step ...int) Section {
	s := Section{start, end, 1}
	if len(step) > 0 {
		s.step = step[0]
	}
	return s
}

// Axes is an index that keeps axes whole: All or Ellipsis.
type Axes int

// The indices that keep axes whole.
const (
	All      Axes = iota // one axis, ":" in Python
	Ellipsis             // all axes that other indices leave, "..." in Python
)

// Index returns what x[i, j, …] is in Python. The indices stand for the axes of x from the first on:
//
//   - an int for one place, whose axis disappears; it may count from the end, as all integers here;
//   - a Span for some places in their order, All for one whole axis, Ellipsis for those that no other index stands for;
//   - nil for a new axis of extent 1;
//   - a tensor of int64 or int32, or a []int, for the places that it names: such indices are broadcast together;
//   - a bool or uint8 tensor for the places where it is true, of as many axes as it has; or a bool, or a []bool.
//
// Anything else, a float too, is an ErrIndex. The axes of the broadcast tensors stand where the first of them did, or in front where another index lies between them. Without
// tensors the result is a view.
func (x *Tensor) Index(indices ...any) *Tensor {
	y, tensors := x.subscript(indices)
	switch {
	case tensors != nil:
		return y.indexed(tensors)
	case y == x:
		return x.viewAs(op.Alias, viewGrad, nil, *x.layout)
	}
	return y
}

// subscript applies all indices but tensors, and returns these by the axes of the result for which they stand; none are nil.
func (x *Tensor) subscript(indices []any) (y *Tensor, tensors []*Tensor) {
	refuseNil("index", "input", 1, x)
	s := subscripting{of: x, y: x, left: x.layout.Rank()}
	for _, index := range indices {
		s.left -= s.width(index)
	}
	if s.left < 0 {
		fail("index", ErrIndex, fmt.Sprintf("too many indices for tensor of dimension %d", x.layout.Rank()), x)
	}
	for _, index := range indices {
		s.apply(index)
	}
	if !s.any {
		return s.y, nil
	}
	return s.y, s.places
}

// A subscripting is an Index on its way through the axes.
type subscripting struct {
	of, y  *Tensor
	axis   int       // of y, that is next
	at     int       // the axis of x that this is
	left   int       // axes for which an Ellipsis stands
	places []*Tensor // for the axes so far, but that a mask stands for several
	any    bool
}

// width is for how many axes an index stands.
func (s *subscripting) width(index any) int {
	switch i := index.(type) {
	case nil, bool:
		return 0
	case Axes:
		return 1 - int(i)
	case *Tensor:
		refuseNil("index", "indices", 2, i)
		if i.dtype == dtype.Bool || i.dtype == dtype.Uint8 {
			return i.layout.Rank()
		}
	}
	return 1
}

func (s *subscripting) apply(index any) {
	switch i := index.(type) {
	case nil:
		s.y = s.y.Unsqueeze(s.axis)
		s.pass(1, 0)
	case bool:
		s.mask(On(s.of.storage.device).As(dtype.Bool).Full([]int{1}, i))
	case Axes:
		if i == All {
			s.pass(1, 1)
			return
		}
		s.pass(s.left, s.left)
		s.left = 0
	case Section:
		s.y = s.y.Slice(s.axis, i.start, i.end, i.step)
		s.pass(1, 1)
	case []int, []bool:
		s.put(Of(i).To(s.of.storage.device), 1)
	case *Tensor:
		s.tensor(i)
	case int:
		s.pick(int64(i))
	default:
		s.pick(s.integer(index))
	}
}

// integer is an index of any integer type.
func (s *subscripting) integer(index any) int64 {
	r := reflect.ValueOf(index)
	switch {
	case r.CanInt():
		return r.Int()
	case r.CanUint() && r.Uint() <= math.MaxInt64:
		return int64(r.Uint())
	}
	failHint("index", ErrIndex, fmt.Sprintf(
		"only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got %T)", index),
		"indices are integers, Span, All, Ellipsis, nil, bools, []int, []bool and tensors of integers or bools")
	return 0
}

// pass leaves axes of y, and of x, as they are.
func (s *subscripting) pass(axes, of int) {
	s.axis, s.at = s.axis+axes, s.at+of
	for range axes {
		s.places = append(s.places, nil)
	}
}

// put lets a tensor stand for the next axes.
func (s *subscripting) put(t *Tensor, axes int) {
	s.places, s.any = append(s.places, t), true
	s.axis, s.at = s.axis+axes, s.at+axes
}

// mask lets a mask of one element stand for a new axis.
func (s *subscripting) mask(t *Tensor) {
	s.y = s.y.Unsqueeze(s.axis)
	s.put(t, 1)
	s.at--
}

// tensor takes an integer without axes as a number, as PyTorch does.
func (s *subscripting) tensor(t *Tensor) {
	truth := t.dtype == dtype.Bool || t.dtype == dtype.Uint8
	switch {
	case t.layout.Rank() > 0:
		s.put(t, s.width(t))
	case truth:
		s.mask(t.Detach().Reshape(1))
	case t.isIndex():
		s.pick(hostSlice[int64](t)[0])
	default:
		s.put(t, 1)
	}
}

func (s *subscripting) pick(i int64) {
	if n := int64(s.of.layout.Shape()[s.at]); i < -n || i >= n {
		fail("index", ErrIndex, fmt.Sprintf("index %d is out of bounds for dimension %d with size %d", i, s.at, n), s.of)
	}
	s.y = s.y.pick(s.axis, int(i))
	s.at++
}
