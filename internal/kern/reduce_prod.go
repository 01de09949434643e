package kern

import "cresset/dtype"

// withinRange multiplies floats one after the other where a product in lanes leaves the range of float64 on the way.
func withinRange[S dtype.Number, T wide](f *Fold[S, T]) *Fold[S, T] {
	if f, ok := any(f).(*Fold[S, float64]); ok {
		inLanes := f.row
		f.row = func(row []S) float64 {
			product := inLanes(row)
			if product != 0 && isFinite(product) {
				return product
			}
			return multiplyInOrder(row, product == 0)
		}
	}
	return f
}

// multiplyInOrder returns the product of a row, in which finite tells that no element is infinite or NaN.
func multiplyInOrder[S dtype.Number](row []S, finite bool) float64 {
	product := 1.0
	for _, v := range row {
		product *= float64(v)
		if finite && product == 0 {
			break
		}
	}
	return product
}

// ProdGrad is dx[k] = dy · Π x[j] over j ≠ k: the product of those before k times that of those after k, so that zeros need no special case.
func ProdGrad[T dtype.Float](dy T, x, dx []T) {
	before := float64(dy)
	for k, v := range x {
		dx[k] = T(before)
		before *= float64(v)
	}
	after := 1.0
	for k := len(x) - 1; k >= 0; k-- {
		dx[k] = T(float64(dx[k]) * after)
		after *= float64(x[k])
	}
}
