// Package layout describes how the elements of a tensor lie in its storage.
//
// Shape and strides are counted in elements, never in bytes. Layouts are values and their slices are immutable by
// convention, so that a result of the same shape shares them without an allocation.
package layout

import (
	"strconv"
	"strings"
)

// Shape is the extent of each axis of a tensor.
type Shape []int

// String prints the shape as PyTorch prints a torch.Size, for example "torch.Size([2, 3])".
func (s Shape) String() string { return "torch.Size(" + s.List() + ")" }

// List prints the extents alone, for example "[2, 3]".
func (s Shape) List() string {
	var b strings.Builder
	b.WriteByte('[')
	for i, n := range s {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(n))
	}
	b.WriteByte(']')
	return b.String()
}

// Equal reports whether both shapes have the same rank and extents.
func (s Shape) Equal(t Shape) bool {
	if len(s) != len(t) {
		return false
	}
	for i, n := range s {
		if n != t[i] {
			return false
		}
	}
	return true
}

// NumEl returns the product of the extents and whether it fits an int; the extents must not be negative.
func (s Shape) NumEl() (n int, ok bool) {
	n = 1
	for _, d := range s {
		if d == 0 {
			return 0, true
		}
	}
	for _, d := range s {
		if n > maxInt/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

const maxInt = int(^uint(0) >> 1)

// Layout places the element at index i[0], i[1], … at Offset + Σ i[k]·Strides[k] of a storage.
type Layout struct {
	Shape   Shape
	Strides []int
	Offset  int
	size    int
	dense   bool // row-major without gaps
}

// Contiguous returns the row-major layout of shape, whose size must fit an int. It keeps shape, which must not change.
func Contiguous(shape Shape) Layout {
	strides := make([]int, len(shape))
	step := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = step
		step *= max(shape[i], 1)
	}
	n, _ := shape.NumEl()
	return Layout{Shape: shape, Strides: strides, size: n, dense: true}
}

// Of returns the layout with the given shape, strides and offset.
func Of(shape Shape, strides []int, offset int) Layout {
	n, _ := shape.NumEl()
	return Layout{Shape: shape, Strides: strides, Offset: offset, size: n, dense: rowMajor(shape, strides)}
}

// Rank returns the number of axes.
func (l Layout) Rank() int { return len(l.Shape) }

// Size returns the number of elements.
func (l Layout) Size() int { return l.size }

// IsContiguous reports whether the elements lie in row-major order without gaps, from Offset on.
func (l Layout) IsContiguous() bool { return l.dense }

// Packed returns the layout of a fresh row-major result of the same shape.
func (l Layout) Packed() Layout {
	if l.dense {
		l.Offset = 0
		return l
	}
	return Contiguous(l.Shape)
}

func rowMajor(shape Shape, strides []int) bool {
	step := 1
	for i := len(shape) - 1; i >= 0; i-- {
		if shape[i] == 0 {
			return true
		}
		if shape[i] != 1 && strides[i] != step {
			return false
		}
		step *= shape[i]
	}
	return true
}

// Span returns the number of storage elements from Offset to the last element, inclusive; 0 where there are none.
func (l Layout) Span() int {
	if l.size == 0 {
		return 0
	}
	n := 1
	for i, d := range l.Shape {
		n += (d - 1) * l.Strides[i]
	}
	return n
}

// PreservedStrides returns the strides of a copy that keeps the order of the axes in memory, as PyTorch's
// preserve_format does: a dense layout keeps its strides, gaps are squeezed out, expanded axes become real.
func (l Layout) PreservedStrides() []int {
	if l.dense {
		return l.Strides
	}
	order := make([]int, len(l.Shape)) // axes from the slowest to the fastest
	for i := range order {
		order[i] = i
	}
	if !l.overlaps() {
		sortAxes(order, l)
	}
	strides := make([]int, len(l.Shape))
	step := 1
	for k := len(order) - 1; k >= 0; k-- {
		strides[order[k]] = step
		step *= max(l.Shape[order[k]], 1)
	}
	return strides
}

// overlaps reports whether an axis is expanded, so that two indexes meet in one element.
func (l Layout) overlaps() bool {
	for i, d := range l.Shape {
		if d > 1 && l.Strides[i] == 0 {
			return true
		}
	}
	return false
}

// sortAxes orders axes by falling stride, keeping the given order among equals and for axes of extent 1.
func sortAxes(order []int, l Layout) {
	for i := 1; i < len(order); i++ {
		for j := i; j > 0; j-- {
			a, b := order[j-1], order[j]
			if l.Shape[a] == 1 || l.Shape[b] == 1 || l.Strides[a] >= l.Strides[b] {
				break
			}
			order[j-1], order[j] = b, a
		}
	}
}
