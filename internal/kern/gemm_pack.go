package kern

import "cresset/internal/kern/vec"

// packB copies the part of B into panels of width columns, one after the other, each as [steps, width]. Threads share the panels.
func (t *tiling[T]) packB(split splitter) {
	shared := *t // the closure captures it, and so it is allocated
	panels, steps := ceilDiv(t.colEnd-t.col, t.width), t.end-t.step
	split(panels, grainOf(8*steps*t.width), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			col := shared.col + i*shared.width
			shared.packPanel(shared.packedB[i*shared.width*steps:][:shared.width*steps], col, min(shared.width, shared.colEnd-col))
		}
	})
}

// packPanel copies so many columns of B.
func (t *tiling[T]) packPanel(dst []T, col, cols int) {
	steps, lanes := t.end-t.step, vec.Lanes[T]()
	src := t.b.Data[t.step*t.b.Row+col*t.b.Col:]
	switch {
	case t.b.Col == 1:
		vec.GatherRows(dst, t.width, src, t.b.Row, steps, cols)
	case t.b.Row == 1:
		for j := 0; j < cols; j += lanes {
			vec.Transpose(dst[j:], t.width, src[j*t.b.Col:], t.b.Col, min(lanes, cols-j), steps)
		}
	default:
		for l := range steps {
			for j := range cols {
				dst[l*t.width+j] = src[l*t.b.Row+j*t.b.Col]
			}
		}
	}
}

// packRows copies the rows of a group of tiles of A, multiplied by alpha, for some steps: tile after tile, each as [steps, rows].
// What a copy writes beyond a tile's elements the next one overwrites.
func (t *tiling[T]) packRows(dst []T, g tileGroup, k, steps int) {
	lanes, rows := vec.Lanes[T](), g.height
	for i := range g.tiles {
		to, src := dst[i*rows*steps:], t.a.Data[(g.row+i*rows)*t.a.Row+k*t.a.Col:]
		switch {
		case t.a.Row == 1:
			vec.GatherRows(to, rows, src, t.a.Col, steps, rows)
		case t.a.Col == 1:
			for r := (rows - 1) / lanes * lanes; r >= 0; r -= lanes {
				vec.Transpose(to[r:], rows, src[r*t.a.Row:], t.a.Row, min(lanes, rows-r), steps)
			}
		default:
			for l := range steps {
				for r := range rows {
					to[l*rows+r] = src[r*t.a.Row+l*t.a.Col]
				}
			}
		}
		if t.alpha != 1 {
			for l := range to[:rows*steps] {
				to[l] *= t.alpha
			}
		}
	}
}
