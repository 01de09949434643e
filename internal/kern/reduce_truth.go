package kern

import "cresset/dtype"

// AnyRow reports whether an element of a row is not zero; NaN is not.
func AnyRow[T dtype.Number](row []T) bool {
	for _, v := range row {
		if v != 0 {
			return true
		}
	}
	return false
}

// AllRow reports whether no element of a row is zero.
func AllRow[T dtype.Number](row []T) bool {
	for _, v := range row {
		if v == 0 {
			return false
		}
	}
	return true
}

// CountRow returns how many elements of a row are not zero.
func CountRow[T dtype.Number](row []T) int64 {
	if len(row) <= piece {
		return countPiece(row)
	}
	return inPieces(len(row), func(lo, hi int) int64 { return countPiece(row[lo:hi]) }, plus)
}

func countPiece[T dtype.Number](row []T) int64 {
	var n int64
	for _, v := range row {
		if v != 0 {
			n++
		}
	}
	return n
}
