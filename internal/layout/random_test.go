package layout

import (
	"math/rand/v2"
	"slices"
)

// randomLayout returns a layout that views can make: a contiguous one whose axes were narrowed, stepped over, permuted,
// dropped, inserted and expanded. Extents are small, 0 among them.
func randomLayout(r *rand.Rand) Layout {
	shape := make(Shape, r.IntN(5))
	for i := range shape {
		shape[i] = []int{0, 1, 2, 3, 4, 6}[r.IntN(6)]
		if shape[i] == 0 && r.IntN(3) > 0 {
			shape[i] = 2 // layouts without elements are dull
		}
	}
	l := Contiguous(shape)
	for range r.IntN(5) {
		l = randomView(r, l)
	}
	return l
}

func randomView(r *rand.Rand, l Layout) Layout {
	if l.Rank() == 0 || l.Rank() > 5 {
		return l
	}
	axis := r.IntN(l.Rank())
	n := l.Shape()[axis]
	room := make([]int, 8*r.IntN(2))
	switch r.IntN(8) {
	case 0:
		return l.Permute(room, r.Perm(l.Rank()))
	case 1:
		start := r.IntN(n + 1)
		return l.Narrow(room, axis, start, start+r.IntN(n-start+1), 1+r.IntN(2))
	case 2:
		if n > 0 {
			return l.Select(room, axis, r.IntN(n))
		}
	case 3:
		return l.Unsqueeze(room, axis)
	case 4:
		return l.Unsqueeze(nil, axis).Expand(room, slices.Insert(slices.Clone(l.Shape()), axis, 1+r.IntN(3)))
	case 5:
		return l.Squeeze(room, 1<<axis)
	case 6:
		size := r.IntN(n + 1)
		return l.Unfold(axis, size, 1+r.IntN(3))
	case 7:
		if other := r.IntN(l.Rank()); other != axis {
			return l.Diagonal(axis, other, r.IntN(5)-2)
		}
	}
	return l
}

// offsets returns the storage offset of every element in row-major order: what a layout means.
func offsets(l Layout) []int {
	all := []int{l.Offset}
	for i, n := range l.Shape() {
		var next []int
		for _, at := range all {
			for k := range n {
				next = append(next, at+k*l.Strides()[i])
			}
		}
		all = next
	}
	return all
}

// randomShape returns some shape of the given size.
func randomShape(r *rand.Rand, size int) Shape {
	if size == 0 {
		return Shape{r.IntN(3), 0, 2}
	}
	shape := Shape{}
	for size > 1 && len(shape) < 5 {
		d := 1 + r.IntN(size)
		for size%d != 0 {
			d--
		}
		shape = append(shape, d)
		size /= d
	}
	if size > 1 {
		shape = append(shape, size)
	}
	return shape
}
