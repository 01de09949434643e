package layout

import (
	"errors"
	"fmt"
)

// Broadcast returns the common shape of a and b: extents are compared from the last axis on, and must be equal or 1.
func Broadcast(a, b Shape) (Shape, error) {
	if a.Equal(b) {
		return a, nil
	}
	n := max(len(a), len(b))
	shape := make(Shape, n)
	for i := 1; i <= n; i++ {
		da, db := extentFromEnd(a, i), extentFromEnd(b, i)
		switch {
		case da == db, db == 1:
			shape[n-i] = da
		case da == 1:
			shape[n-i] = db
		default:
			return nil, &BroadcastError{A: da, B: db, Axis: n - i}
		}
	}
	return shape, nil
}

// Holds reports whether t broadcasts to s itself.
func (s Shape) Holds(t Shape) bool {
	lead := len(s) - len(t)
	if lead < 0 {
		return false
	}
	for i, n := range t {
		if n != s[lead+i] && n != 1 {
			return false
		}
	}
	return true
}

func extentFromEnd(s Shape, i int) int {
	if i > len(s) {
		return 1
	}
	return s[len(s)-i]
}

// BroadcastError names the axis, counted in the common shape, at which two shapes do not meet.
type BroadcastError struct{ A, B, Axis int }

func (e *BroadcastError) Error() string {
	return fmt.Sprintf("The size of tensor a (%d) must match the size of tensor b (%d) at non-singleton dimension %d", e.A, e.B, e.Axis)
}

// ReducedAxes returns the axes of the broadcast shape over which a gradient is summed to come back to the shape of
// the operand: axes that the operand lacks, and axes in which it has extent 1.
func ReducedAxes(operand, broadcast Shape) []int {
	var axes []int
	lead := len(broadcast) - len(operand)
	for i, d := range broadcast {
		if i < lead || (operand[i-lead] == 1 && d != 1) {
			axes = append(axes, i)
		}
	}
	return axes
}

// ErrSeveralInferred is what InferSize says of a shape with several extents of -1.
var ErrSeveralInferred = errors.New("only one dimension can be inferred")

// InferSize replaces one -1 in shape by what size elements need, with PyTorch's errors. It returns shape itself where there
// is none, else what it appends to room.
func InferSize(room Shape, shape []int, size int) (Shape, error) {
	unknown := -1
	for i, d := range shape {
		switch {
		case d == -1 && unknown >= 0:
			return nil, ErrSeveralInferred
		case d == -1:
			unknown = i
		case d < 0:
			return nil, fmt.Errorf("invalid shape dimension %d", d)
		}
	}
	if unknown < 0 {
		if n, ok := Shape(shape).NumEl(); !ok || n != size {
			return nil, invalidFor(shape, size)
		}
		return shape, nil
	}
	out := append(room, shape...)
	out[unknown] = 1
	known, ok := out.NumEl()
	switch {
	case !ok:
		return nil, invalidFor(shape, size)
	case known == 0 && size == 0:
		return nil, fmt.Errorf("cannot reshape tensor of 0 elements into shape %s because the unspecified dimension size -1 can be any value and is ambiguous", Shape(shape).List())
	case known == 0 || size%known != 0:
		return nil, invalidFor(shape, size)
	}
	out[unknown] = size / known
	return out, nil
}

func invalidFor(shape []int, size int) error {
	return fmt.Errorf("shape '%s' is invalid for input of size %d", Shape(shape).List(), size)
}
