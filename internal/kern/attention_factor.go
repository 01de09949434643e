package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// rightFactor is the right operand of products that one thread makes: a matrix where it is, and its copy in panels where it has one.
type rightFactor[T dtype.Float] struct {
	Matrix[T]
	panels []T // of panelCols columns each; nil where products read the matrix itself
	width  int // of a panel
	row    int // the distance of a panel's rows
	next   int // and of panels
}

// panelCols returns how many columns a panel has, 0 where there are no micro-kernels.
func panelCols[T dtype.Float]() int {
	if vec.TileRows() == 0 {
		return 0
	}
	return vec.PanelCols[T]()
}

// packedSize returns how many elements a copy in panels has.
func packedSize[T dtype.Float](k, n int) int {
	width := max(panelCols[T](), 1)
	return volume(k, ceilDiv(n, width), width)
}

// pack copies the matrix, [k, n], to space.
func (f *rightFactor[T]) pack(space []T, k, n int) {
	if k == 0 || n == 0 {
		return
	}
	t := tiling[T]{product: product[T]{b: f.Matrix}, end: k, width: panelCols[T]()}
	f.panels, f.width, f.row, f.next = space, t.width, t.width, k*t.width
	for col := 0; col < n; col += t.width {
		t.packPanel(space[col*k:][:k*t.width], col, min(t.width, n-col))
	}
}

// columns returns the part from a column on that begins a panel.
func (f rightFactor[T]) columns(col int) rightFactor[T] {
	if f.Data != nil {
		f.Data = f.Data[col*f.Col:]
	}
	if f.panels != nil {
		f.panels = f.panels[col/f.width*f.next:]
	}
	return f
}

// rows returns the part from a row on.
func (f rightFactor[T]) rows(row int) rightFactor[T] {
	if f.Data != nil {
		f.Data = f.Data[row*f.Row:]
	}
	if f.panels != nil {
		f.panels = f.panels[row*f.row:]
	}
	return f
}

// inPlace returns the factor over contiguous rows, whose panels are adjacent in them.
func inPlace[T dtype.Float](data []T, row int) rightFactor[T] {
	f := rightFactor[T]{Matrix: Matrix[T]{data, row, 1}}
	if width := panelCols[T](); width > 0 {
		f.panels, f.width, f.row, f.next = data, width, row, width
	}
	return f
}

// multiply computes C[m, n] = A[m, k]·f[k, n], or adds the product to C, on the calling thread.
func (f rightFactor[T]) multiply(m, n, k int, a Matrix[T], c []T, rowC int, add bool) {
	switch {
	case m == 0 || n == 0:
		return
	case f.panels == nil || k == 0:
		p := product[T]{m: m, n: n, k: k, alpha: 1, a: a, b: f.Matrix, c: c, ldc: rowC}
		if add {
			p.beta = 1
		}
		p.run(inline)
		return
	}
	width := panelCols[T]()
	groups := tileGroups(0, m, ceilDiv(m, ceilDiv(m, vec.TileRows())))
	for j := 0; j < n; j += width {
		panel := f.panels[j/width*f.next:]
		for _, g := range groups {
			if g.tiles == 0 {
				continue
			}
			t := vec.Tile[T]{
				Rows: g.height, Cols: min(width, n-j), K: k, A: a.Data[g.row*a.Row:], RowA: a.Row, ColA: a.Col, B: panel, RowB: f.row, Next: panel,
				C: c[g.row*rowC+j:], RowC: rowC, Count: g.tiles, Step: vec.Steps{A: g.height * a.Row, C: g.height * rowC},
			}
			if add {
				t.From, t.RowFrom, t.Step.From = t.C, rowC, t.Step.C
			}
			t.Run()
		}
	}
}

// headOf returns the head's part of an operand from a row on, nothing where its rows have no elements.
func (w *attentionWorker[T]) headOf(h *Heads[T], width, row int) []T {
	if width == 0 {
		return nil
	}
	return h.from(w.batch, w.group, row)
}

// gather copies rows of an operand that has a head for each of the queries', times scale, one after the other.
func (w *attentionWorker[T]) gather(dst []T, h *Heads[T], width, row, count int, by float64) {
	if width == 0 {
		return
	}
	for i := range count {
		copy(dst[i*width:][:width], h.from(w.batch, w.head, row+i))
	}
	scale(dst[:count*width], by)
}
