package program

import (
	"cresset/internal/backend"
	"cresset/internal/layout"
)

// apart reports whether it is known that two views of a slot have no element in common.
func apart(a, b *backend.View) bool {
	x, y := a.Layout, b.Layout
	if x.Offset+x.Span() <= y.Offset || y.Offset+y.Span() <= x.Offset {
		return true
	}
	if a.DType != b.DType || !x.Shape().Equal(y.Shape()) {
		return false
	}
	for axis, n := range x.Shape() {
		if s := x.Strides()[axis]; n > 1 && (s != y.Strides()[axis] || s <= 0) {
			return false
		}
	}
	return !reaches(x, y.Offset-x.Offset, 0)
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
