package program

import (
	"cmp"
	"slices"

	"cresset/internal/backend"
	"cresset/internal/layout"
)

// apart reports whether it is known that two views of a slot have no element in common.
func apart(a, b *backend.View) bool {
	return disjoint(a.Layout, b.Layout) || a.DType == b.DType && Apart(a.Layout, b.Layout)
}

// disjoint reports whether one layout ends before the other begins.
func disjoint(x, y *layout.Layout) bool {
	return x.Offset+x.Span() <= y.Offset || y.Offset+y.Span() <= x.Offset
}

// Apart reports whether it is known that two layouts over the same memory have no element in common.
func Apart(x, y *layout.Layout) bool {
	if disjoint(x, y) {
		return true
	}
	if !x.Shape().Equal(y.Shape()) {
		return false
	}
	for axis, n := range x.Shape() {
		if s := x.Strides()[axis]; n > 1 && (s != y.Strides()[axis] || s <= 0) {
			return false
		}
	}
	return !reaches(nested(x), y.Offset-x.Offset, 0)
}

// nested is a layout of the same places, with the axes of longer steps first.
func nested(l *layout.Layout) *layout.Layout {
	order := bySteps(l)
	var room layout.Room
	return new(l.Permute(room[:], order))
}

// bySteps returns the axes of a layout, those of longer steps first.
func bySteps(l *layout.Layout) []int {
	order := make([]int, l.Rank())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(l.Strides()[b], l.Strides()[a]) })
	return order
}

// reaches reports whether two indices of a layout, along axes from one on, can lie so far apart. Where axes do not nest it says that they can.
func reaches(l *layout.Layout, distance, axis int) bool {
	shape, strides := l.Shape(), l.Strides()
	for axis < len(shape) && shape[axis] == 1 {
		axis++
	}
	if axis == len(shape) {
		return distance == 0
	}
	inner, step := 0, strides[axis]
	for k := axis + 1; k < len(shape); k++ {
		inner += (shape[k] - 1) * strides[k]
	}
	if inner >= step && axis+1 < len(shape) {
		return true
	}
	for q := distance/step - 1; q <= distance/step+1; q++ {
		if -shape[axis] < q && q < shape[axis] && reaches(l, distance-q*step, axis+1) {
			return true
		}
	}
	return false
}
