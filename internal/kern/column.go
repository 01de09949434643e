package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// BesideColumn runs a loop over rows of n elements, each with one number of values (a broadcast column), and reports whether
// there is such a loop. Stream asks for non-temporal stores, for a dst larger than the caches.
func BesideColumn[T dtype.Number](l vec.RowLoop, n int, values, dst, a []T, stream bool) bool {
	return stream && vec.StreamRows(nil, l, n, values, dst, a) || vec.Rows(l, n, values, noResults, dst, a)
}
