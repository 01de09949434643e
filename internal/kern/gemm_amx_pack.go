package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// packedTogether is how many panels are packed of rows of B at a time: hardware prefetchers do not follow single cache lines of rows that are far apart.
const packedTogether = 4

// packB copies columns of B as panels of pairs, behind whose last element are zeros up to a whole step.
func (p *amxProduct[T]) packB(split splitter) {
	shared, width := *p, packedTogether*vec.AMXCols
	split(ceilDiv(p.colEnd-p.col, width), grainOf(8*packedTogether*p.panelSize()), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			col := shared.col + i*width
			shared.packPanels(col, min(col+width, shared.colEnd))
		}
	})
}

// packPanels copies a few panels.
func (p *amxProduct[T]) packPanels(col, colEnd int) {
	panel := p.panelSize()
	dst := p.packedB[(col-p.col)/vec.AMXCols*panel:]
	b, ok := any(p.b).(Matrix[dtype.BF16])
	together := ok && b.Col == 1 && p.k > 1
	if together {
		vec.PairPanels(dst, panel, b.Data[col:], b.Row, p.k/2, colEnd-col)
	}
	for j := col; j < colEnd; j += vec.AMXCols {
		m, to := Matrix[T]{p.b.Data[j*p.b.Col:], p.b.Row, p.b.Col}, dst[(j-col)/vec.AMXCols*panel:][:panel]
		if cols := min(vec.AMXCols, colEnd-j); together {
			packRest(to, m, p.k, cols)
		} else {
			packAMX(to, m, p.k, cols)
		}
	}
}

// packA copies the worker's rows of A, tile by tile.
func (w *amxWorker[T]) packA() {
	a, length := w.amxProduct.a, w.steps*vec.AMXSteps
	packed := asHalves(w.packed.data)
	for _, g := range tileGroups(w.row, w.rowEnd, w.height) {
		for i := g.row; i < g.row+g.tiles*g.height; i += g.height {
			to := packed[(i-w.row)*length:]
			if a.Col == 1 {
				vec.AMXLines(to, a.Data[i*a.Row:], a.Row, g.height, w.k)
				continue
			}
			packTransposedAMX(w.packed.data[(i-w.row)*length/2:], Matrix[T]{a.Data[i*a.Row:], a.Col, a.Row}, w.k, g.height)
		}
	}
}

// packTransposedAMX copies so many columns of m, [k, columns], as rows of a tile: pairs of a step, whose rows and columns are then exchanged.
func packTransposedAMX[T amxElement](dst []float32, m Matrix[T], k, cols int) {
	const pairs = vec.AMXSteps / 2
	var step [pairs * vec.AMXCols]float32
	for l := 0; l < k; l += vec.AMXSteps {
		packAMX(step[:], Matrix[T]{m.Data[l*m.Row:], m.Row, m.Col}, min(vec.AMXSteps, k-l), cols)
		vec.Transpose(dst[l/2*cols:], pairs, step[:], vec.AMXCols, pairs, cols)
	}
}

// packAMX copies k rows of up to 32 columns of m as pairs, dst[l*32+j] of rows 2l and 2l+1, and zeros behind them.
func packAMX[T amxElement](dst []float32, m Matrix[T], k, cols int) {
	pairs := k / 2
	if pairs > 0 {
		switch m := any(m).(type) {
		case Matrix[dtype.BF16]:
			packPairs(dst, vec.AMXCols, m, pairs, cols)
		case Matrix[float32]:
			packFloatPairs(dst, m, pairs, cols)
		}
	}
	packRest(dst, m, k, cols)
}

// packRest writes the row of pairs that an odd k leaves, and zeros behind it.
func packRest[T amxElement](dst []float32, m Matrix[T], k, cols int) {
	pairs := k / 2
	rest := dst[pairs*vec.AMXCols:]
	clear(rest)
	if k%2 == 0 {
		return
	}
	for j := range cols { // the last row, and zeros
		rest[j] = math.Float32frombits(uint32(toBF16(m.Data[2*pairs*m.Row+j*m.Col])))
	}
}

// packFloatPairs is packPairs for float32.
func packFloatPairs(dst []float32, m Matrix[float32], pairs, cols int) {
	switch {
	case m.Col == 1:
		vec.RoundPairRows(dst, m.Data, m.Row, pairs, cols)
	case m.Row == 1 && 2*pairs >= vec.AMXSteps:
		space := newScratch[float32](vec.AMXCols / 2 * pairs)
		defer space.release()
		columns := asHalves(space.data)
		for j := 0; j < cols; j += vec.AMXCols / 2 {
			part := min(vec.AMXCols/2, cols-j)
			for i := range part {
				narrow(columns[2*i*pairs:], m.Data[(j+i)*m.Col:][:2*pairs])
			}
			vec.PairColumns(dst[j:], vec.AMXCols, columns, 2*pairs, part, pairs)
		}
	default:
		for l := range pairs {
			for j := range cols {
				at := 2*l*m.Row + j*m.Col
				dst[l*vec.AMXCols+j] = math.Float32frombits(uint32(dtype.ToBF16(m.Data[at])) | uint32(dtype.ToBF16(m.Data[at+m.Row]))<<16)
			}
		}
	}
}

func toBF16[T amxElement](x T) dtype.BF16 {
	switch x := any(x).(type) {
	case dtype.BF16:
		return x
	case float32:
		return dtype.ToBF16(x)
	}
	panic("unreachable")
}
