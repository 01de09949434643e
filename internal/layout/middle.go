package layout

// Around returns the extents before, of and after an axis; a shape without axes counts as one element.
func Around(shape Shape, axis int) (outer, n, inner int) {
	outer, n, inner = 1, 1, 1
	for i, d := range shape {
		switch {
		case i < axis:
			outer *= d
		case i == axis:
			n = d
		default:
			inner *= d
		}
	}
	return outer, n, inner
}

// Middle is a layout seen as [Outer][N][Inner], of which the axes of N are reduced.
type Middle struct {
	Layout          Layout
	Outer, N, Inner int
	Moved           bool // its axes have another order than those of the layout that was asked for
}

// MiddleOf returns l with the reduced axes, those whose bits are set, next to each other: in place where they are adjacent
// already, else behind all others.
func MiddleOf(l Layout, axes uint32) Middle {
	m := Middle{Layout: l, Outer: 1, N: 1, Inner: 1}
	first, last, count := AxisRange(l.Rank(), axes)
	if count == 0 {
		m.Outer = l.Size()
		return m
	}
	if last-first+1 != count {
		m.Moved, m.Layout = true, l.ReducedLast(axes)
		first, last = l.Rank()-count, l.Rank()-1
	}
	for i, d := range m.Layout.Shape() {
		switch {
		case i < first:
			m.Outer *= d
		case i <= last:
			m.N *= d
		default:
			m.Inner *= d
		}
	}
	return m
}

// AxisRange returns the first and the last of the axes whose bits are set, and how many there are; -1 stands for none.
func AxisRange(rank int, axes uint32) (first, last, count int) {
	first, last = -1, -1
	for i := range rank {
		if axes&(1<<i) != 0 {
			if first < 0 {
				first = i
			}
			last = i
			count++
		}
	}
	return first, last, count
}

// ReducedLast moves the axes whose bits are set to the back.
func (l Layout) ReducedLast(axes uint32) Layout {
	order := make([]int, 0, l.Rank())
	for _, reduced := range [...]bool{false, true} {
		for i := range l.Shape() {
			if (axes&(1<<i) != 0) == reduced {
				order = append(order, i)
			}
		}
	}
	return l.Permute(nil, order)
}
