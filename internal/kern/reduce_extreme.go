package kern

import "cresset/dtype"

// MaxRow returns the largest element of a row that is not empty, and its first index. NaN is larger than any number.
func MaxRow[T dtype.Number](row []T) (T, int64) {
	best, at := row[0], 0
	for i, v := range row {
		if v > best || v != v {
			best, at = v, i
			if v != v {
				break
			}
		}
	}
	return best, int64(at)
}

// MinRow returns the smallest element of a row that is not empty, and its first index. NaN is smaller than any number.
func MinRow[T dtype.Number](row []T) (T, int64) {
	best, at := row[0], 0
	for i, v := range row {
		if v < best || v != v {
			best, at = v, i
			if v != v {
				break
			}
		}
	}
	return best, int64(at)
}
