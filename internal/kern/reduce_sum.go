package kern

import "cresset/dtype"

// inLaneRuns sums floats in the order of lanes.go and reduce_columns.go, by vector loops, which save more than half of
// sum_rows/4096x1024 and of sum_columns/4096x1024.
func inLaneRuns[S dtype.Number, T wide](f *Fold[S, T]) *Fold[S, T] {
	if f, ok := any(f).(*Fold[S, float64]); ok {
		f.row, f.rows, f.columns, f.least = sumPiece[S], sumRows[S], totalColumns[S], 2
	}
	return f
}

// sumFloats returns the sum of a row.
func sumFloats[S dtype.Number](row []S) float64 {
	if len(row) <= piece {
		return sumPiece(row)
	}
	return inPieces(len(row), func(lo, hi int) float64 { return sumPiece(row[lo:hi]) }, plus)
}
