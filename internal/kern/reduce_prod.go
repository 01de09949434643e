package kern

import "cresset/dtype"

// ProdRow returns the product of a row. Floats are multiplied in float64; products of integers are int64 and wrap.
func ProdRow[D, S dtype.Number](row []S) D {
	if isFloat[S]() {
		if len(row) <= piece {
			return D(multiplyAll[float64](row))
		}
		return D(inPieces(len(row), func(lo, hi int) float64 { return multiplyAll[float64](row[lo:hi]) }, times))
	}
	if len(row) <= piece {
		return D(multiplyAll[int64](row))
	}
	return D(inPieces(len(row), func(lo, hi int) int64 { return multiplyAll[int64](row[lo:hi]) }, times))
}

func multiplyAll[A float64 | int64, S dtype.Number](row []S) A {
	product := A(1)
	for _, v := range row {
		product *= A(v)
	}
	return product
}

// ProdGrad is dx[k] = dy · Π x[j] over j ≠ k: the products before k and behind k, so that zeros are no exception.
func ProdGrad[T dtype.Float](dy T, x, dx []T) {
	before := float64(dy)
	for k, v := range x {
		dx[k] = T(before)
		before *= float64(v)
	}
	behind := 1.0
	for k := len(x) - 1; k >= 0; k-- {
		dx[k] = T(float64(dx[k]) * behind)
		behind *= float64(x[k])
	}
}
