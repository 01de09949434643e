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

// Transpose returns the layout with axes a and b exchanged.
func (l Layout) Transpose(a, b int) Layout {
	if len(l.Shape) == 0 {
		return l
	}
	shape, strides := l.copyDims()
	shape[a], shape[b] = shape[b], shape[a]
	strides[a], strides[b] = strides[b], strides[a]
	return Of(shape, strides, l.Offset)
}

// Permute returns the layout whose axis i is axis axes[i] of l.
func (l Layout) Permute(axes []int) Layout {
	shape, strides := make(Shape, len(axes)), make([]int, len(axes))
	for i, a := range axes {
		shape[i], strides[i] = l.Shape[a], l.Strides[a]
	}
	return Of(shape, strides, l.Offset)
}

// Narrow returns elements start, start+step, … below end of one axis; 0 ≤ start ≤ end ≤ extent and step ≥ 1.
func (l Layout) Narrow(axis, start, end, step int) Layout {
	shape, strides := l.copyDims()
	if start < end {
		shape[axis] = (end-start-1)/step + 1 // a huge step must not overflow
	} else {
		shape[axis] = 0
	}
	strides[axis] = l.Strides[axis] * step
	return Of(shape, strides, l.Offset+start*l.Strides[axis])
}

// Select returns the layout of index i of one axis, which disappears.
func (l Layout) Select(axis, i int) Layout {
	shape, strides := make(Shape, 0, len(l.Shape)-1), make([]int, 0, len(l.Shape)-1)
	for k := range l.Shape {
		if k != axis {
			shape, strides = append(shape, l.Shape[k]), append(strides, l.Strides[k])
		}
	}
	return Of(shape, strides, l.Offset+i*l.Strides[axis])
}

// Unsqueeze inserts an axis of extent 1 before axis.
func (l Layout) Unsqueeze(axis int) Layout {
	shape, strides := make(Shape, 0, len(l.Shape)+1), make([]int, 0, len(l.Shape)+1)
	step := 1
	if axis < len(l.Shape) {
		step = l.Shape[axis] * l.Strides[axis]
	}
	shape, strides = append(shape, l.Shape[:axis]...), append(strides, l.Strides[:axis]...)
	shape, strides = append(shape, 1), append(strides, step)
	shape, strides = append(shape, l.Shape[axis:]...), append(strides, l.Strides[axis:]...)
	return Of(shape, strides, l.Offset)
}

// Squeeze drops those of the given axes whose extent is 1.
func (l Layout) Squeeze(axes []int) Layout {
	shape, strides := make(Shape, 0, len(l.Shape)), make([]int, 0, len(l.Shape))
	for k, d := range l.Shape {
		if d == 1 && contains(axes, k) {
			continue
		}
		shape, strides = append(shape, d), append(strides, l.Strides[k])
	}
	return Of(shape, strides, l.Offset)
}

func contains(axes []int, axis int) bool {
	for _, a := range axes {
		if a == axis {
			return true
		}
	}
	return false
}

// Expand returns the layout broadcast to shape: axes of extent 1 and axes in front get stride 0. The shape must
// be one that BroadcastTo accepts.
func (l Layout) Expand(shape Shape) Layout {
	if l.Shape.Equal(shape) {
		return l
	}
	strides := make([]int, len(shape))
	lead := len(shape) - len(l.Shape)
	for i, d := range l.Shape {
		if d == shape[lead+i] {
			strides[lead+i] = l.Strides[i]
		}
	}
	return Of(shape, strides, l.Offset)
}

// View returns the layout of the same elements under another shape without a copy, and false where the strides do
// not allow it. The sizes must be equal.
func (l Layout) View(shape Shape) (Layout, bool) {
	if l.dense {
		v := Contiguous(shape)
		v.Offset = l.Offset
		return v, true
	}
	if l.size == 0 {
		v := Contiguous(shape)
		v.Offset = l.Offset
		return v, true
	}
	strides := make([]int, len(shape))
	to := len(shape) - 1
	// Walk both shapes from the back over groups of old axes that are dense among themselves.
	for from := len(l.Shape) - 1; from >= 0; from-- {
		base, count := l.Strides[from], l.Shape[from]
		for from > 0 && (l.Shape[from-1] == 1 || l.Strides[from-1] == count*base) {
			from--
			count *= l.Shape[from]
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
	return Of(shape, strides, l.Offset), true
}

func (l Layout) copyDims() (Shape, []int) {
	dims := make([]int, 2*len(l.Shape))
	shape, strides := dims[:len(l.Shape):len(l.Shape)], dims[len(l.Shape):]
	copy(shape, l.Shape)
	copy(strides, l.Strides)
	return shape, strides
}
