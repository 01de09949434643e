package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// BesideColumn runs a loop over rows of n elements, of which each meets a number of its own in values, and reports whether it
// did. Around says that no cache holds dst.
func BesideColumn[T dtype.Number](l vec.RowLoop, n int, values, dst, a []T, around bool) bool {
	return around && vec.StreamRows(nil, l, n, values, dst, a) || vec.Rows(l, n, values, noResults, dst, a)
}
