package layout

import "fmt"

// Axis turns axis, which may count from the end, into 0 … rank-1. A rank of 0 accepts 0 and -1, as PyTorch does.
func Axis(axis, rank int) (int, error) {
	n := max(rank, 1)
	if axis < -n || axis >= n {
		return 0, &AxisError{Axis: axis, Rank: n}
	}
	if axis < 0 {
		axis += n
	}
	return axis, nil
}

// AxisError says that an axis lies outside the rank.
type AxisError struct{ Axis, Rank int }

func (e *AxisError) Error() string {
	return fmt.Sprintf("Dimension out of range (expected to be in range of [%d, %d], but got %d)", -e.Rank, e.Rank-1, e.Axis)
}

// Room is memory on the caller's stack for the extents and strides of up to four axes. The methods below that take room put
// what they return there if it fits, and allocate otherwise, as with nil. Room must not be the memory of l itself.
type Room [8]int

// Transpose returns the layout with axes a and b exchanged.
func (l Layout) Transpose(room []int, a, b int) Layout {
	n := l.Rank()
	if n == 0 {
		return l
	}
	dims := within(room, 2*n)
	copy(dims, l.dims)
	dims[a], dims[b] = dims[b], dims[a]
	dims[n+a], dims[n+b] = dims[n+b], dims[n+a]
	return of(dims, l.Offset)
}

// Permute returns the layout whose axis i is axis axes[i] of l.
func (l Layout) Permute(room, axes []int) Layout {
	n := len(axes)
	dims := within(room, 2*n)
	for i, a := range axes {
		dims[i], dims[n+i] = l.dims[a], l.dims[n+a]
	}
	return of(dims, l.Offset)
}

// Narrow returns elements start, start+step, … below end of one axis; 0 ≤ start ≤ end ≤ extent and step ≥ 1.
func (l Layout) Narrow(room []int, axis, start, end, step int) Layout {
	n, extent, stride := l.Rank(), 0, l.Strides()[axis]
	if start < end {
		extent = (end-start-1)/step + 1 // a huge step must not overflow
	}
	dims := within(room, 2*n)
	copy(dims, l.dims)
	dims[axis], dims[n+axis] = extent, stride*step
	return of(dims, l.Offset+start*stride)
}

// Select returns the layout of index i of one axis, which disappears.
func (l Layout) Select(room []int, axis, i int) Layout {
	n := l.Rank()
	dims := append(within(room, 2*n-2)[:0], l.dims[:axis]...)
	dims = append(dims, l.dims[axis+1:n+axis]...)
	dims = append(dims, l.dims[n+axis+1:]...)
	return of(dims, l.Offset+i*l.dims[n+axis])
}

// Unsqueeze inserts an axis of extent 1 before axis.
func (l Layout) Unsqueeze(room []int, axis int) Layout {
	n, stride := l.Rank(), 1
	if axis < n {
		stride = l.dims[axis] * l.dims[n+axis]
	}
	dims := append(within(room, 2*n+2)[:0], l.dims[:axis]...)
	dims = append(append(dims, 1), l.dims[axis:n+axis]...)
	dims = append(append(dims, stride), l.dims[n+axis:]...)
	return of(dims, l.Offset)
}

// Squeeze drops those of the given axes, a bit each, whose extent is 1.
func (l Layout) Squeeze(room []int, axes uint32) Layout {
	dims := within(room, len(l.dims))[:0]
	for _, values := range [...][]int{l.Shape(), l.Strides()} {
		for k, v := range values {
			if l.dims[k] != 1 || axes&(1<<k) == 0 {
				dims = append(dims, v)
			}
		}
	}
	return of(dims, l.Offset)
}

// Diagonal returns the layout of the elements at which axis b's index is axis a's plus offset. Both axes disappear, and the
// place along the diagonal is a new last one.
func (l Layout) Diagonal(a, b, offset int) Layout {
	n := l.Rank()
	rows, columns := l.dims[a], l.dims[b]
	length, start := max(min(rows, columns-max(offset, 0)), 0), offset*l.dims[n+b]
	if offset < 0 {
		length, start = max(min(rows+offset, columns), 0), -offset*l.dims[n+a]
	}
	dims := make([]int, 0, 2*n-2)
	for _, half := range [...]struct{ old, last []int }{{l.Shape(), []int{length}}, {l.Strides(), []int{l.dims[n+a] + l.dims[n+b]}}} {
		for k, v := range half.old {
			if k != a && k != b {
				dims = append(dims, v)
			}
		}
		dims = append(dims, half.last...)
	}
	return of(dims, l.Offset+start)
}

// Unfold returns the layout of the windows of size elements that begin at every step-th index of an axis, in a new last axis;
// 0 ≤ size ≤ extent and step ≥ 1.
func (l Layout) Unfold(axis, size, step int) Layout {
	n := l.Rank()
	stride := l.dims[n+axis]
	dims := append(make([]int, 0, 2*n+2), l.Shape()...)
	dims[axis] = (dims[axis]-size)/step + 1
	dims = append(append(append(dims, size), l.Strides()...), stride)
	dims[n+1+axis] = stride * step
	return of(dims, l.Offset)
}

// Expand returns the layout broadcast to shape: axes of extent 1 and axes in front get stride 0. The shape must
// be one that BroadcastTo accepts.
func (l Layout) Expand(room []int, shape Shape) Layout {
	if l.Shape().Equal(shape) {
		return l
	}
	n := len(shape)
	dims := within(room, 2*n)
	clear(dims[copy(dims, shape):])
	lead := n - l.Rank()
	for i, d := range l.Shape() {
		if d == shape[lead+i] {
			dims[n+lead+i] = l.Strides()[i]
		}
	}
	return of(dims, l.Offset)
}

// View returns the layout of the same elements under another shape without a copy, and false where the strides do
// not allow it. The sizes must be equal.
func (l Layout) View(shape Shape) (Layout, bool) {
	if l.dense || l.size == 0 {
		var v Layout
		v.SetReshaped(nil, &l, shape)
		return v, true
	}
	n := len(shape)
	dims := append(make([]int, 0, 2*n), shape...)[:2*n]
	strides := dims[n:]
	to := n - 1
	// Walk both shapes from the back over groups of old axes that are dense among themselves.
	old, steps := l.Shape(), l.Strides()
	for from := len(old) - 1; from >= 0; from-- {
		base, count := steps[from], old[from]
		for from > 0 && (old[from-1] == 1 || steps[from-1] == count*base) {
			from--
			count *= old[from]
		}
		filled := 1
		for to >= 0 && (filled < count || shape[to] == 1) {
			strides[to] = base * filled
			filled *= shape[to]
			to--
		}
		if filled != count {
			return Layout{}, false
		}
	}
	for ; to >= 0; to-- {
		strides[to] = 1 // only axes of extent 1 are left
	}
	return of(dims, l.Offset), true
}
