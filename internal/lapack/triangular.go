package lapack

import "cresset/dtype"

// solveTriangular makes b the solution x of a·x = b, where a is lower or upper triangular; what lies beyond the triangle is not
// read, and neither is the diagonal of a unit triangular a. A zero on the diagonal gives infinities and NaN.
func solveTriangular[T dtype.Float](a, b matrix[T], upper, unit bool) {
	n := a.Rows
	if upper {
		for end := n; end > 0; end -= min(end, block) {
			start := max(end-block, 0)
			b.part(start, 0, end-start, b.Cols).addProduct(-1, a.part(start, end, end-start, n-end).view(), b.from(end, 0).view(), n-end)
			for i := end - 1; i >= start; i-- {
				eliminate(a, b, i, i+1, end, unit)
			}
		}
		return
	}
	for start := 0; start < n; start += block {
		end := min(start+block, n)
		b.part(start, 0, end-start, b.Cols).addProduct(-1, a.part(start, 0, end-start, start).view(), b.view(), start)
		for i := start; i < end; i++ {
			eliminate(a, b, i, start, i, unit)
		}
	}
}

// eliminate takes from row i of b what rows lo to hi, which are solved, contribute to it, and divides by the diagonal.
func eliminate[T dtype.Float](a, b matrix[T], i, lo, hi int, unit bool) {
	to := b.row(i)
	for k := lo; k < hi; k++ {
		axpy(-a.row(i)[k], b.row(k), to)
	}
	if d := a.row(i)[i]; !unit {
		for j := range to {
			to[j] /= d
		}
	}
}
