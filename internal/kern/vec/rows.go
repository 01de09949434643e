package vec

import "unsafe"

// A RowLoop names a vector loop over rows, which makes sums or extremes of each. That of float64, where there is one, has
// the number after that of float32.
type RowLoop uint16

// Rows runs the loop l over rows of n elements and reports whether there is such a loop, and elements; where not, nothing has
// happened. The operands x, those that l writes first, hold all rows or, where l takes one row for all, that row. Each row
// has its own scalars and results, in the order of the rows. A loop with results is none for rows of more than
// 64K elements.
func Rows[R, T any](l RowLoop, n int, scalars []T, results []R, x ...[]T) bool {
	return RowsPrefetching(nil, l, n, scalars, results, x...)
}

// HalfRows is Rows of a loop that reads elements of a half type. AVX2 and NEON have no masks for a last vector of such elements, and
// take rows of whole ones alone.
func HalfRows[R any, T ~uint16](l RowLoop, n int, scalars []float32, results []R, x []T) bool {
	return takesHalves(n) && someRows(nil, l, n, stepOf(scalars, n, x), scalars, results, [][]T{x})
}

// ToHalfRows is HalfRows of a loop that writes such elements to y, whose other operands are a row of float32 each, for at most 64K
// elements.
func ToHalfRows[T ~uint16](l RowLoop, n int, scalars []float32, y, x []T, same ...[]float32) bool {
	if !takesHalves(n) || len(x) > most {
		return false
	}
	p := [operands]unsafe.Pointer{pointer(y[:len(x)], 0), pointer(x, 0)}
	for k, row := range same {
		p[2+k] = pointer(row[:n], 0)
	}
	return runRows(l, len(x)/n, n, 0, pointer(scalars, 0), nil, p[0], p)
}

func takesHalves(n int) bool {
	return n > 0 && n <= most && (n%halfRowUnit == 0 || current != AVX2 && current != NEON)
}

const halfRowUnit = 64 // elements that a loop over rows of a half type takes at a time

// RowsPrefetching is Rows of a loop that prefetches what the caller reads next, as many elements of it as x has, while it
// computes. Where next has fewer, addresses beyond its end are prefetched, which is harmless. Loops that do not prefetch run as
// under Rows.
func RowsPrefetching[R, T any](next []T, l RowLoop, n int, scalars []T, results []R, x ...[]T) bool {
	loop, ok := of[T](Loop(l))
	if !ok || n == 0 {
		return false
	}
	step := stepOf(scalars, n, x[0])
	if n > most {
		return results == nil && longRows(RowLoop(loop), n, step, scalars, x)
	}
	return someRows(next, RowLoop(loop), n, step, scalars, results, x)
}

// RowsBeside runs a loop over rows of n elements, each of which meets one element of a column, step elements behind the one before.
func RowsBeside[T any](l RowLoop, n int, column []T, step int, dst, x []T) bool {
	loop, ok := of[T](Loop(l))
	if !ok || n == 0 {
		return false
	}
	if n > most {
		return longRows(RowLoop(loop), n, step, column, [][]T{dst, x})
	}
	return someRows(nil, RowLoop(loop), n, step, column, []T(nil), [][]T{dst, x})
}

// stepOf is how many scalars each row of n elements of x has.
func stepOf[S, T any](scalars []S, n int, x []T) int { return len(scalars) / max(len(x)/n, 1) }

// someRows runs a loop over rows, whose scalars are step elements apart, in as many calls as that takes.
func someRows[R, S, T any](next []T, l RowLoop, n, step int, scalars []S, results []R, x [][]T) bool {
	rows := len(x[0]) / n
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
		ahead := p[0]
		if len(next) > first*n {
			ahead = pointer(next, first*n)
		}
		if !runRows(l, count, n, step*size[S](), pointer(scalars, step*first), pointer(results, len(results)/rows*first), ahead, p) {
			return false
		}
		first += count
	}
	return true
}

// StreamRows is Rows by non-temporal stores (see StreamAbove), for a loop without results and for at most 64K elements. It prefetches
// next, as RowsPrefetching does. It needs rows of whole cache lines; if it has others it does nothing.
func StreamRows[T any](next []T, l RowLoop, n int, scalars []T, x ...[]T) bool {
	loop, ok := of[T](Loop(l))
	if !ok || n == 0 || n%streamRow != 0 || len(x[0]) > most || uintptr(pointer(x[0], 0))%streamLine != 0 {
		return false
	}
	rows := len(x[0]) / n
	var p [operands]unsafe.Pointer
	for k := range x {
		if len(x[k]) != n {
			x[k] = x[k][:rows*n]
		}
		p[k] = pointer(x[k], 0)
	}
	ahead := p[1]
	if len(next) > 0 {
		ahead = pointer(next, 0)
	}
	return streamRows(RowLoop(loop), rows, n, pointer(scalars, 0), ahead, p)
}

// longRows runs a loop without results over rows in parts.
func longRows[T any](l RowLoop, n, step int, scalars []T, x [][]T) bool {
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
			if !runRows(l, 1, min(most, n-done), 0, pointer(scalars, step*r), nil, p[0], p) {
				return false
			}
		}
	}
	return true
}
