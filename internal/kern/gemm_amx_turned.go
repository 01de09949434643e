package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// A linear layer's weight is a B whose columns are contiguous: to pack it as pairs takes longer than to multiply it by few rows. Cᵀ = Bᵀ·Aᵀ reads those columns as rows,
// where they are, and packs the few rows of A. An element's products are the same in the same order, so it has the same bits. linear_bf16/64x1024x1024
// takes half the time so.

const (
	// maxTurnedRows bounds the rows of A.
	maxTurnedRows = 128
	// minTurnedRows is from how many on a B of bfloat16 is better multiplied so than widened as it is read (GemmHalf): linear_bf16/8x1024x1024 takes a
	// quarter of the time.
	minTurnedRows = 3
)

// turn makes the product one whose result is transposed, where that is faster.
func (p *amxProduct[T]) turn() {
	if p.b.Row != 1 || p.b.Col == 1 || p.m > maxTurnedRows || p.m > p.n {
		return
	}
	p.turned = true
	p.m, p.n, p.a, p.b = p.n, p.m, p.b.Transposed(), p.a.Transposed()
}

// startTurned sets the sums of a panel to what they start from.
func (w *amxWorker[T]) startTurned() {
	if w.start == nil {
		return
	}
	for i := w.row; i < w.rowEnd; i++ {
		fillWith(w.sums.data[(i-w.row)*vec.AMXCols:][:vec.AMXCols], w.start[i])
	}
}

// finishTurned writes the sums of some columns as rows of C.
func (w *amxWorker[T]) finishTurned(col, cols int) {
	const lanes = vec.AMXCols / 2
	rows := w.rowEnd - w.row
	apart := ceilDiv(rows, lanes) * lanes
	space := newScratch[float32](cols * apart)
	defer space.release()
	for i := 0; i < rows; i += lanes {
		vec.Transpose(space.data[i:], apart, w.sums.data[i*vec.AMXCols:], vec.AMXCols, min(lanes, rows-i), cols)
	}
	for j := range cols {
		sums, at := space.data[j*apart:][:rows], (col+j)*w.ldc+w.row
		switch c := any(w.c).(type) {
		case []dtype.BF16:
			narrow(c[at:], sums)
		case []float32:
			w.storeRow(c[at:][:rows], sums, col+j)
		}
	}
}

// storeRow writes sums as a part of row i of C, with what is added and what follows.
func (w *amxWorker[T]) storeRow(c, sums []float32, i int) {
	if w.add != nil {
		Add(c, sums, w.add[i*w.rowAdd+w.row:][:len(c)])
	} else {
		copy(c, sums)
	}
	epilogue(w.then, c, 1, len(c), len(c))
}
