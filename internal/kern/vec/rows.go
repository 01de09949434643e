package vec

import "unsafe"

// A RowLoop names a vector loop over rows, which makes sums or extremes of each. That of float64, where there is one, has
// the number behind that of float32.
type RowLoop uint16

// Rows runs the loop l over rows of n elements and tells whether there is such a loop, and elements; where not, nothing has
// happened. The operands x, those that l writes first, hold all rows or, where l takes one row for all, that row. Each row
// has its own scalars and results, which lie row after row. A loop with results takes rows of 64K elements at most.
func Rows[R, T any](l RowLoop, n int, scalars []T, results []R, x ...[]T) bool {
	loop, ok := of[T](Loop(l))
	if !ok || n == 0 {
		return false
	}
	l = RowLoop(loop)
	rows := len(x[0]) / n
	if n > most {
		return longRows(l, n, scalars, x)
	}
	for first := 0; first < rows; {
		count := min(rows-first, max(1, most/n))
		var p [operands]unsafe.Pointer
		for k := range x {
			if len(x[k]) == n {
				p[k] = pointer(x[k], 0)
			} else {
				p[k] = pointer(x[k][:rows*n], first*n)
			}
		}
		if !runRows(l, count, n, pointer(scalars, len(scalars)/rows*first), pointer(results, len(results)/rows*first), p) {
			return false
		}
		first += count
	}
	return true
}

// longRows runs a loop without results over rows in parts.
func longRows[T any](l RowLoop, n int, scalars []T, x [][]T) bool {
	rows := len(x[0]) / n
	for r := range rows {
		for done := 0; done < n; done += most {
			var p [operands]unsafe.Pointer
			for k := range x {
				first := r * n
				if len(x[k]) == n {
					first = 0
				}
				p[k] = pointer(x[k][:first+n], first+done)
			}
			if !runRows(l, 1, min(most, n-done), pointer(scalars, len(scalars)/rows*r), nil, p) {
				return false
			}
		}
	}
	return true
}
