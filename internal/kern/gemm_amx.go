package kern

import (
	"unsafe"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
	"cresset/internal/par"
)

// How a product runs on AMX, whose registers hold matrices: a tile of C has up to 32 rows and 32 columns, and a step of k takes 32 elements.
//
//	B is packed as panels of 32 columns, pairs of elements that follow each other along k beside each other
//	└─ C is cut into pieces, the unit of work of a thread
//	   └─ a piece is cut into panels
//	      └─ k is cut into blocks of amxBlock steps, whose part of a panel the first cache level holds
//	         └─ a panel is cut into tiles below each other, which one call of the micro-kernel computes
//
// A piece packs its rows of A tile by tile, each as [steps, rows, 32]: rows that are far apart share sets of the first cache level, and tiles that read them where
// they are run at three fifths of the speed.
//
// Sums go from a block to the next through memory without being rounded, so an element's bits depend on k alone.

const (
	amxBlock     = 16      // steps
	amxPieceRows = 256     // of a piece, whose packed A the second cache level holds
	amxMaxSteps  = 1 << 11 // of a row of A, of which a panel of B has 4 MiB
	minAMXCols   = 16      // what pays for packing, as does a whole step
)

// amxElement is what may be rounded to bfloat16 for a product, and what its results become.
type amxElement interface{ float32 | dtype.BF16 }

// An amxProduct is C = add + start + A·B.
type amxProduct[T amxElement] struct {
	m, n, k     int
	steps       int // of vec.AMXSteps elements
	a, b        Matrix[T]
	start       []float32 // what each row starts from, of whole panels; nil for zero
	startRows   []float32 // what rows start from, 32 times each; nil for zero
	add         []float32 // of float32: what is added to the rows of C, which are so far apart
	rowAdd      int
	then        op.Op // of float32: the epilogue
	c           []T
	ldc         int
	turned      bool      // C is the transpose of what is computed, and start has an element for each row
	col, colEnd int       // columns that are computed together
	packedB     []float32 // their panels, each [16*steps, 32] of pairs
	height      int       // of a tile
}

// minRoundedRows is how many rows of A pay for rounding B.
const minRoundedRows = 32

// RoundedPays reports whether GemmRounded takes a product of such sizes, and is faster than GemmBias.
func RoundedPays(m, n, k int) bool { return m >= minRoundedRows && takesAMX(m, n, k) }

// GemmRounded is GemmBias of operands that are rounded to bfloat16, to the nearest and with numbers below 2**-126 taken for zero, whose products are added in float32.
// Without a bias C starts from zero.
func GemmRounded(m, n, k int, a, b Matrix[float32], bias []float32, biasRow int, then op.Op, c []float32, ldc int) {
	p := amxProduct[float32]{m: m, n: n, k: k, a: a, b: b, add: bias, rowAdd: biasRow, then: then, c: c, ldc: ldc}
	p.turn()
	p.run(par.For)
}

// takesAMX reports whether a product of such sizes runs on AMX.
func takesAMX(m, n, k int) bool {
	return vec.HasAMX() && m > 0 && n >= minAMXCols && k >= vec.AMXSteps && ceilDiv(k, vec.AMXSteps) <= amxMaxSteps
}

// run computes the product.
func (p *amxProduct[T]) run(split splitter) {
	p.steps, p.height = ceilDiv(p.k, vec.AMXSteps), ceilDiv(p.m, ceilDiv(p.m, vec.AMXRows))
	panel := p.panelSize()
	width := min(packCols, maxScratch/panel*vec.AMXCols, ceilDiv(p.n, vec.AMXCols)*vec.AMXCols)
	space := newScratch[float32](width / vec.AMXCols * panel)
	defer space.release()
	p.packedB = space.data
	for p.col = 0; p.col < p.n; p.col += width {
		p.colEnd = min(p.col+width, p.n)
		p.packB(split)
		p.compute(split)
	}
}

// panelSize returns how many pairs a panel of B has.
func (p *amxProduct[T]) panelSize() int { return p.steps * vec.AMXSteps / 2 * vec.AMXCols }

// compute computes the columns at hand in pieces.
func (p *amxProduct[T]) compute(split splitter) {
	shared := *p // the closure captures it, and so it is allocated
	rows, cols := p.cut()
	across := ceilDiv(p.colEnd-p.col, cols)
	flops := 2 * p.steps * vec.AMXSteps * min(rows, p.m) * cols
	split(ceilDiv(p.m, rows)*across, max(1, amxPieceFlops/flops), func(lo, hi int) {
		w := amxWorker[T]{amxProduct: &shared}
		for i := lo; i < hi; i++ {
			row, col := i/across*rows, shared.col+i%across*cols
			w.take(row, min(row+rows, shared.m))
			w.piece(col, min(col+cols, shared.colEnd))
		}
		w.release()
	})
}

// cut returns how many rows and columns a piece has, of whole tiles and panels: two pieces or more for each of several threads, while they are large. It changes no bits.
func (p *amxProduct[T]) cut() (rows, cols int) {
	cols = p.colEnd - p.col
	most := min(amxPieceRows, maxScratch/(p.steps*vec.AMXSteps/2)) / p.height * p.height
	down, across := ceilDiv(p.m, most), 1
	for threads := par.NumThreads(); threads > 1 && down*across < 2*threads; {
		switch {
		case cols/across >= 8*vec.AMXCols:
			across *= 2
		case p.m/down >= 2*vec.AMXRows:
			down *= 2
		default:
			threads = 1
		}
	}
	return ceilDiv(ceilDiv(p.m, down), p.height) * p.height, ceilDiv(ceilDiv(cols, vec.AMXCols), across) * vec.AMXCols
}

// amxPieceFlops is the least piece of work that is worth handing to a thread, which takes as long as minPieceFlops without AMX.
const amxPieceFlops = 8 * minPieceFlops

// amxWorker is a thread's work at some rows of a product.
type amxWorker[T amxElement] struct {
	*amxProduct[T]
	row, rowEnd int
	packed      *scratch[float32] // the rows, in pairs, unless they are read where they are
	sums        *scratch[float32] // of a panel, between blocks of k, and of a tile
}

// maxInPlaceSteps is how long rows of A are at most that tiles read where they are, one after the other: bmm_bf16/16x256x256x256 takes a tenth less time so.
const maxInPlaceSteps = 8

// take makes rows those that the worker has.
func (w *amxWorker[T]) take(row, rowEnd int) {
	if w.rowEnd == rowEnd {
		return
	}
	w.release()
	w.row, w.rowEnd = row, rowEnd
	w.sums = newScratch[float32]((rowEnd - row + 1 + vec.AMXRows) * vec.AMXCols)
	if w.inPlace() == nil {
		w.packed = newScratch[float32]((rowEnd - row) * w.steps * vec.AMXSteps / 2)
		w.packA()
	}
}

func (w *amxWorker[T]) release() {
	for _, s := range []*scratch[float32]{w.packed, w.sums} {
		if s != nil {
			s.release()
		}
	}
	w.packed, w.sums = nil, nil
}

// inPlace returns A where tiles read it where it is, nil elsewhere.
func (w *amxWorker[T]) inPlace() []dtype.BF16 {
	a, ok := any(w.amxProduct.a).(Matrix[dtype.BF16])
	if ok && w.k%vec.AMXSteps == 0 && (w.turned || a.Col == 1 && a.Row == w.k && w.steps <= maxInPlaceSteps) {
		return a.Data
	}
	return nil
}

// piece computes the worker's rows of some columns: of a panel after the other, or where k is one block, of all.
func (w *amxWorker[T]) piece(col, colEnd int) {
	width := vec.AMXCols
	if w.steps <= amxBlock && !w.turned {
		width = max(colEnd-col, 1)
	}
	for j := col; j < colEnd; j += width {
		if w.turned {
			w.startTurned()
		}
		for l := 0; l < w.steps; l += amxBlock {
			for _, g := range tileGroups(w.row, w.rowEnd, w.height) {
				if g.tiles > 0 {
					w.multiply(g, j, min(width, colEnd-j), l)
				}
			}
		}
		if w.turned {
			w.finishTurned(j, min(width, colEnd-j))
		}
	}
}

// multiply computes a group of tiles in the panels of some columns for the block of steps from l on.
func (w *amxWorker[T]) multiply(g tileGroup, col, cols, l int) {
	rows := w.rowEnd - w.row
	sums, line := w.sums.data[(g.row-w.row)*vec.AMXCols:], g.height*vec.AMXCols
	t := vec.AMXTile{
		Rows: g.height, Count: g.tiles, K: min(amxBlock, w.steps-l), From: sums, RowFrom: vec.AMXCols, StepFrom: line, Sums: sums, StepSums: line,
		Next: !w.turned && w.n > vec.AMXCols, // mm_bf16/1024 takes an eighth less time so
	}
	t.B = w.packedB[(col-w.col)/vec.AMXCols*w.panelSize()+l*vec.AMXSteps/2*vec.AMXCols:]
	t.Panels, t.PanelB = ceilDiv(cols, vec.AMXCols), w.panelSize()
	if a := w.inPlace(); a != nil {
		apart := w.amxProduct.a.Row
		t.A, t.RowA, t.ColA, t.StepA = a[g.row*apart+l*vec.AMXSteps:], apart, vec.AMXSteps, g.height*apart
	} else {
		length := w.steps * vec.AMXSteps
		t.RowA, t.ColA, t.StepA = vec.AMXSteps, g.height*vec.AMXSteps, g.height*length
		t.A = asHalves(w.packed.data)[(g.row-w.row)*length+l*t.ColA:]
	}
	switch {
	case l > 0 || w.turned && w.start != nil:
	case w.startRows != nil:
		t.From = w.startRows[(g.row-w.row)*vec.AMXCols:]
	case w.start != nil:
		t.From, t.RowFrom, t.StepFrom, t.PanelFrom = w.start[col:], 0, 0, vec.AMXCols
	default:
		t.From = nil
	}
	if w.turned || l+t.K < w.steps {
		t.RunSums()
		return
	}
	t.Sums, t.StepSums = w.sums.data[(rows+1)*vec.AMXCols:], 0
	w.finish(&t, g.row, col, cols)
}

// finish computes the last block of tiles whose first element is at a row and a column.
func (w *amxWorker[T]) finish(t *vec.AMXTile, row, col, cols int) {
	at := row*w.ldc + col
	switch c := any(w.c).(type) {
	case []dtype.BF16:
		t.RunHalves(c[at:], w.ldc, cols)
	case []float32:
		var add []float32
		if w.add != nil {
			add = w.add[row*w.rowAdd+col:]
		}
		t.RunFloats(c[at:], w.ldc, cols, add, w.rowAdd)
		epilogue(w.then, c[at:], t.Count*t.Rows, cols, w.ldc)
	}
}

// asHalves returns the same memory as twice as many elements.
func asHalves(x []float32) []dtype.BF16 {
	return unsafe.Slice((*dtype.BF16)(unsafe.Pointer(unsafe.SliceData(x))), 2*len(x)) // a float32 has room for two
}
