package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// packB copies columns of B as panels of pairs, behind whose last element are zeros up to a whole step.
func (p *amxProduct[T]) packB(split splitter) {
	shared, panel := *p, p.panelSize()
	split(ceilDiv(p.colEnd-p.col, vec.AMXCols), grainOf(8*panel), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			col := shared.col + i*vec.AMXCols
			packAMX(shared.packedB[i*panel:][:panel], Matrix[T]{shared.b.Data[col*shared.b.Col:], shared.b.Row, shared.b.Col}, shared.k, min(vec.AMXCols, shared.colEnd-col))
		}
	})
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
