package kern

import "cresset/dtype"

// Sorted pairs the values of a line with where they were.
type Sorted[T dtype.Number] struct {
	Value T
	From  int64
}

// Sort orders line by value, equal values by where they were; NaN counts as the largest number. spare has the length of
// line.
func Sort[T dtype.Number](line, spare []Sorted[T], descending bool) {
	n := len(line)
	from, to := line, spare[:n]
	for width := 1; width < n; width *= 2 {
		for lo := 0; lo < n; lo += 2 * width {
			mid, hi := min(lo+width, n), min(lo+2*width, n)
			if descending {
				mergeFalling(to[lo:hi], from[lo:mid], from[mid:hi])
			} else {
				mergeRising(to[lo:hi], from[lo:mid], from[mid:hi])
			}
		}
		from, to = to, from
	}
	if n > 0 && &from[0] != &line[0] {
		copy(line, from)
	}
}

// Top writes the first elements of line, as Sort would order it, to best; it is for a best that is short.
func Top[T dtype.Number](best, line []Sorted[T], descending bool) {
	n := 0
	for _, s := range line {
		if n == len(best) {
			if !precedes(s.Value, best[n-1].Value, descending) {
				continue
			}
			n--
		}
		i := n
		for ; i > 0 && precedes(s.Value, best[i-1].Value, descending); i-- {
			best[i] = best[i-1]
		}
		best[i] = s
		n++
	}
}

func precedes[T dtype.Number](a, b T, descending bool) bool {
	if descending {
		return less(b, a)
	}
	return less(a, b)
}

func mergeRising[T dtype.Number](dst, a, b []Sorted[T]) {
	for i := range dst {
		if len(b) == 0 || len(a) > 0 && !less(b[0].Value, a[0].Value) {
			dst[i], a = a[0], a[1:]
		} else {
			dst[i], b = b[0], b[1:]
		}
	}
}

func mergeFalling[T dtype.Number](dst, a, b []Sorted[T]) {
	for i := range dst {
		if len(b) == 0 || len(a) > 0 && !less(a[0].Value, b[0].Value) {
			dst[i], a = a[0], a[1:]
		} else {
			dst[i], b = b[0], b[1:]
		}
	}
}

// less orders numbers, NaN above all others.
func less[T dtype.Number](a, b T) bool { return a < b || (b != b && a == a) }
