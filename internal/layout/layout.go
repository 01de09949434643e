// Package layout describes how the elements of a tensor lie in its storage.
//
// Shape and strides are counted in elements, never in bytes. Layouts are values and their slices are immutable by
// convention, so that a result of the same shape shares them without an allocation.
package layout

import (
	"math/bits"
	"slices"
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
	if len(s) == len(t) && len(s) > 0 && &s[0] == &t[0] { // results share the shape of their operands
		return true
	}
	return slices.Equal(s, t)
}

// NumEl returns the product of the extents and whether it fits an int; the extents must not be negative.
func (s Shape) NumEl() (n int, ok bool) {
	n, ok = 1, true
	for _, d := range s {
		if d == 0 {
			return 0, true
		}
		high, low := bits.Mul(uint(n), uint(d)) // quicker than a division
		ok = ok && high == 0 && low <= uint(maxInt)
		n = int(low)
	}
	if !ok {
		return 0, false
	}
	return n, true
}

const maxInt = int(^uint(0) >> 1)

// Methods that read a layout have pointer receivers, since the compiler would copy the six words each time; methods that
// make another one have value receivers, so that calls chain.

// Layout places the element at index i[0], i[1], … at Offset + Σ i[k]·Strides()[k] of a storage.
type Layout struct {
	dims   []int // the extents, then the strides: a view carries its layout, so words count
	Offset int
	size   int
	dense  bool // row-major without gaps
}

// Shape returns the extent of each axis.
func (l *Layout) Shape() Shape {
	n := len(l.dims) / 2
	return l.dims[:n:n]
}

// Strides returns the distance between neighbours along each axis.
func (l *Layout) Strides() []int { return l.dims[len(l.dims)/2:] }

// Contiguous returns the row-major layout of shape, of which it keeps a copy.
func Contiguous(shape Shape) (l Layout) {
	l.pack(nil, shape, sizeOf(shape))
	return l
}

// Fresh returns the row-major layout of extents, of which it keeps a copy. Up to four axes it is one allocation.
func Fresh(extents ...int) *Layout {
	l, room := New(len(extents))
	l.pack(room, extents, sizeOf(extents))
	return l
}

// New returns a layout to be set, and room for its axes. Up to four axes they are one allocation.
func New(rank int) (l *Layout, room []int) {
	switch {
	case rank <= 2:
		r := new(struct {
			Layout
			dims [4]int
		})
		return &r.Layout, r.dims[:]
	case rank <= 4:
		r := new(struct {
			Layout
			dims [8]int
		})
		return &r.Layout, r.dims[:]
	default:
		return new(Layout), nil
	}
}

// SetReshaped makes l the row-major layout of shape, which has the size of the contiguous layout from, over the same
// elements. The axes lie in room where they fit, two words each.
func (l *Layout) SetReshaped(room []int, from *Layout, shape Shape) {
	l.pack(room, shape, from.size)
	l.Offset = from.Offset
}

// Set makes l a copy of from. The axes lie in room where they fit, two words each.
func (l *Layout) Set(room []int, from *Layout) {
	l.dims = within(room, len(from.dims))
	copy(l.dims, from.dims)
	l.Offset, l.size, l.dense = from.Offset, from.size, from.dense
}

// pack makes l, which is zero, the row-major layout of shape.
func (l *Layout) pack(room []int, shape Shape, size int) {
	n := len(shape)
	dims := within(room, 2*n)
	step := 1
	for i := n - 1; i >= 0; i-- {
		dims[i], dims[n+i] = shape[i], step
		step *= max(shape[i], 1)
	}
	l.dims, l.size, l.dense = dims, size, true
}

// within returns n words of room where it has them, else of an array of their own.
func within(room []int, n int) []int {
	if n > len(room) {
		return make([]int, n)
	}
	return room[:n:n]
}

// Of returns the layout with the given shape and strides, of which it keeps copies, and offset.
func Of(shape Shape, strides []int, offset int) Layout {
	return of(append(append(make([]int, 0, 2*len(shape)), shape...), strides...), offset)
}

// of returns the layout of the given extents and strides. Without elements the offset becomes 0: it could lie beyond the
// storage.
func of(dims []int, offset int) Layout {
	l := Layout{dims: dims, Offset: offset}
	l.size, l.dense = sizeOf(l.Shape()), rowMajor(l.Shape(), l.Strides())
	if l.size == 0 {
		l.Offset = 0
	}
	return l
}

func sizeOf(shape Shape) int {
	n, ok := shape.NumEl()
	if !ok {
		return -1
	}
	return n
}

// Rank returns the number of axes.
func (l *Layout) Rank() int { return len(l.dims) / 2 }

// Size returns the number of elements; -1 where it does not fit an int, so that nothing can be made of the layout.
func (l *Layout) Size() int { return l.size }

// IsUniform reports whether every index leads to the same element, of which there is one.
func (l *Layout) IsUniform() bool {
	for i, n := range l.Shape() {
		if n > 1 && l.Strides()[i] != 0 {
			return false
		}
	}
	return l.size > 0
}

// IsContiguous reports whether the elements lie in row-major order without gaps, from Offset on.
func (l *Layout) IsContiguous() bool { return l.dense }

// Packed returns the layout of a fresh row-major result of the same shape.
func (l Layout) Packed() Layout {
	if l.dense {
		l.Offset = 0
		return l
	}
	return Contiguous(l.Shape())
}

func rowMajor(shape Shape, strides []int) bool {
	step, gapless := 1, true
	for i := len(shape) - 1; i >= 0; i-- {
		switch shape[i] {
		case 0:
			return true // there are no elements
		case 1:
		default:
			gapless = gapless && strides[i] == step
			step *= shape[i]
		}
	}
	return gapless
}

// Span returns the number of storage elements from Offset to the last element, inclusive; 0 where there are none.
func (l Layout) Span() int {
	if l.size == 0 {
		return 0
	}
	n := 1
	for i, d := range l.Shape() {
		n += (d - 1) * l.Strides()[i]
	}
	return n
}

// PreservedStrides returns the strides of a copy that keeps the order of the axes in memory, as PyTorch's
// preserve_format does: a layout without gaps and overlaps keeps its strides, gaps are squeezed out, expanded axes
// become real.
func (l Layout) PreservedStrides() []int {
	if l.dense {
		return l.Strides()
	}
	order := l.memoryOrder()
	strides := make([]int, len(l.Shape()))
	step, compact := 1, true
	for _, axis := range order {
		strides[axis] = step
		if l.Shape()[axis] > 1 {
			compact = compact && l.Strides()[axis] == step
			step *= l.Shape()[axis]
		}
	}
	if compact {
		return l.Strides() // axes of extent 1 keep theirs too
	}
	return strides
}

// memoryOrder returns the axes from the fastest to the slowest, as PyTorch's TensorIterator sorts them: from the last axis
// on, an expanded axis stays where it is.
func (l Layout) memoryOrder() []int {
	n := len(l.Shape())
	order := make([]int, n)
	for i := range order {
		order[i] = n - 1 - i
	}
	for i := 1; i < n; i++ {
		at := i
		for j := i - 1; j >= 0; j-- {
			c := l.compareAxes(order[j], order[at])
			if c < 0 {
				break
			}
			if c > 0 {
				order[j], order[at] = order[at], order[j]
				at = j
			}
		}
	}
	return order
}

// compareAxes is negative where axis a lies inside axis b in memory, positive where it lies outside, and 0 where their
// strides do not tell.
func (l Layout) compareAxes(a, b int) int {
	sa, sb := l.Strides()[a], l.Strides()[b]
	switch {
	case sa == 0 || sb == 0:
		return 0
	case sa != sb:
		return sa - sb
	case l.Shape()[a] > l.Shape()[b]:
		return 1
	default:
		return 0
	}
}

// Overlaps reports whether an axis is expanded, so that several indexes meet in one element.
func (l *Layout) Overlaps() bool {
	for i, d := range l.Shape() {
		if d > 1 && l.Strides()[i] == 0 {
			return true
		}
	}
	return false
}
