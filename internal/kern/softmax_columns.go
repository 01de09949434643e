package kern

import (
	"cresset/dtype"
	"cresset/internal/par"
)

// The softmax of columns and what belongs to it are made as columns are reduced: a strip of columns has its largest elements
// and its sums side by side, and one row after the other meets them. Sums are those of addRows.

const (
	softmaxColumns = 512 // columns of a strip at most: runs of their exponentials stay in the L1 cache
	fewColumns     = 128 // columns of a strip at least, where there are as many
	leastSoftmax   = 64  // columns that are worth strips; fewer are gathered
)

// inStrips tells whether columns are better worked on side by side than gathered.
func inStrips(n, inner int) bool { return n > 0 && inner >= leastSoftmax }

// forSoftmaxStrips calls visit for all strips, as forStrips does, with space for columnRun of a strip's rows. Strips are so
// narrow that each thread has one, if they are worth it: a column's bits do not depend on its neighbours.
func forSoftmaxStrips[T dtype.Float](outer, n, inner int, visit func(from, to, count int, run []T)) error {
	width := min(softmaxColumns, inner)
	for width > fewColumns && outer*ceilDiv(inner, width) < par.NumThreads() {
		width = ceilDiv(width, 2)
	}
	strips := ceilDiv(inner, width)
	return ForWithWorkspace(outer*strips, max(1, piece/(n*width)), columnRun*width, func(lo, hi int, run []T) {
		for s := lo; s < hi; s++ {
			o, first := s/strips, s%strips*width
			visit(o*n*inner+first, o*inner+first, min(width, inner-first), run)
		}
	})
}

// softmaxOfColumns is Softmax for the columns of x[outer][n][inner].
func softmaxOfColumns[T dtype.Float](outer, n, inner int, x, y []T) error {
	return forSoftmaxStrips(outer, n, inner, func(from, _, count int, run []T) {
		var space [softmaxColumns]T
		var sumSpace [softmaxColumns]float64
		largest, sums := space[:count], sumSpace[:count]
		topColumns(largest, x[from:], n, inner)
		for k := 0; k < n; k += columnRun {
			at := from + k*inner
			addExpRows(sums, largest, x[at:], y[at:], min(columnRun, n-k), inner, inner)
		}
		factors := largest
		for i, sum := range sums {
			factors[i] = T(1 / sum)
		}
		for k := range n {
			row := y[from+k*inner:][:count]
			Mul(row, row, factors)
		}
	})
}

// logSoftmaxOfColumns is LogSoftmax for the columns of x[outer][n][inner].
func logSoftmaxOfColumns[T dtype.Float](outer, n, inner int, x, y []T) error {
	return forSoftmaxStrips(outer, n, inner, func(from, _, count int, run []T) {
		var space [2][softmaxColumns]T
		var sumSpace [softmaxColumns]float64
		largest, logs, sums := space[0][:count], space[1][:count], sumSpace[:count]
		logExpColumns(sums, largest, x[from:], n, inner, run)
		for i, v := range sums {
			logs[i] = T(v)
		}
		for k := range n {
			at := from + k*inner
			ShiftStrip(y[at:][:count], x[at:], largest, logs)
		}
	})
}

// shiftsOfColumns is SoftmaxShifts for the columns of x[outer][n][inner].
func shiftsOfColumns[T dtype.Float](outer, n, inner int, x, shifts []T) error {
	return forSoftmaxStrips(outer, n, inner, func(from, to, count int, run []T) {
		var space [softmaxColumns]T
		var sumSpace [softmaxColumns]float64
		largest, logs := space[:count], sumSpace[:count]
		logExpColumns(logs, largest, x[from:], n, inner, run)
		for i, v := range largest {
			shifts[2*(to+i)], shifts[2*(to+i)+1] = v, T(logs[i])
		}
	})
}

// LogSumExpMiddle is dst[o][i] = LogSumExpRow(src[o][:][i]).
func LogSumExpMiddle[T dtype.Float](dst, src []T, outer, n, inner int) error {
	if !inStrips(n, inner) {
		return Reduce(dst, src, outer, n, inner, LogSumExpRow[T])
	}
	return forSoftmaxStrips(outer, n, inner, func(from, to, count int, run []T) {
		var space [softmaxColumns]T
		var sumSpace [softmaxColumns]float64
		largest, logs := space[:count], sumSpace[:count]
		logExpColumns(logs, largest, src[from:], n, inner, run)
		for i, v := range largest {
			if isFinite(float64(v)) {
				v = T(logs[i] + float64(v))
			}
			dst[to+i] = v
		}
	})
}

// softmaxGradOfColumns is SoftmaxBackward for columns of [outer][n][inner].
func softmaxGradOfColumns[T dtype.Float](outer, n, inner int, dy, y, dx []T) error {
	return forSoftmaxStrips(outer, n, inner, func(from, _, count int, run []T) {
		var space [softmaxColumns]T
		var sumSpace [softmaxColumns]float64
		row, sums := space[:count], sumSpace[:count]
		for k := 0; k < n; k += columnRun {
			rows := min(columnRun, n-k)
			for r := range rows {
				at := from + (k+r)*inner
				Mul(run[r*count:][:count], dy[at:], y[at:])
			}
			addRows(sums, run, rows, count)
		}
		for i, sum := range sums {
			if !isFinite(sum) {
				sum = sumWide(n, func(k int) float64 {
					at := from + k*inner + i
					return float64(dy[at]) * float64(y[at])
				})
			}
			row[i] = T(sum)
		}
		for at := from; at < from+n*inner; at += inner {
			SoftmaxGradStrip(dx[at:][:count], dy[at:], y[at:], row)
		}
	})
}

// logSoftmaxGradOfColumns is LogSoftmaxBackward for columns of [outer][n][inner].
func logSoftmaxGradOfColumns[T dtype.Float](outer, n, inner int, dy, y, dx []T) error {
	return forSoftmaxStrips(outer, n, inner, func(from, _, count int, run []T) {
		var space [softmaxColumns]T
		var sumSpace [softmaxColumns]float64
		sums := space[:count]
		totalColumns(sumSpace[:count], dy[from:], n, inner)
		for i, sum := range sumSpace[:count] {
			sums[i] = T(sum)
		}
		for at := from; at < from+n*inner; at += inner {
			LogSoftmaxGradStrip(dx[at:][:count], dy[at:], y[at:], sums)
		}
	})
}

// topColumns writes the largest element of each column, NaN where one is.
func topColumns[T dtype.Float](largest, x []T, n, stride int) {
	copy(largest, x)
	for k := 1; k < n; k++ {
		Maximum(largest, largest, x[k*stride:])
	}
}

// addExpRows writes e**(x-largest) to y, rows whose elements lie so far apart in x and in y, and adds them to sums.
func addExpRows[T dtype.Float](sums []float64, largest, x, y []T, rows, xStride, yStride int) {
	for k := range rows {
		ExpStrip(y[k*yStride:][:len(largest)], x[k*xStride:], largest)
	}
	addRows(sums, y, rows, yStride)
}

// logExpColumns writes the largest element of each column and log Σ e**(x-largest), which is NaN where one is or an infinity
// is the largest. Run is space for rows.
func logExpColumns[T dtype.Float](logs []float64, largest, x []T, n, stride int, run []T) {
	topColumns(largest, x, n, stride)
	for k := 0; k < n; k += columnRun {
		addExpRows(logs, largest, x[k*stride:], run, min(columnRun, n-k), stride, len(largest))
	}
	Log(logs, logs)
}
