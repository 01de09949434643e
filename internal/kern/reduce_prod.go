package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// ProdMiddle is dst[o][i] = Π_k src[o][k][i]. Floats are multiplied in float64; products of integers are int64 and wrap.
func ProdMiddle[D, S dtype.Number](dst []D, src []S, outer, n, inner int) error {
	switch {
	case inner < leastColumns:
		return Reduce(dst, src, outer, n, inner, ProdRow[D, S])
	case isFloat[S]():
		multiplyColumns[float64](dst, src, outer, n, inner)
	default:
		multiplyColumns[int64](dst, src, outer, n, inner)
	}
	return nil
}

// multiplyColumns multiplies a strip of products by one row after the other.
func multiplyColumns[A float64 | int64, D, S dtype.Number](dst []D, src []S, outer, n, inner int) {
	forStrips(outer, n, inner, func(from, to, count int) {
		var space [stripColumns]A
		products := space[:count]
		for i := range products {
			products[i] = 1
		}
		for k := range n {
			multiplyBy(products, src[from+k*inner:][:count])
		}
		for i, v := range products {
			dst[to+i] = D(v)
		}
	})
}

// multiplyBy is products[i] *= row[i].
func multiplyBy[A float64 | int64, S dtype.Number](products []A, row []S) {
	done := 0
	switch x := any(row).(type) {
	case []A:
		done = vec.Binary(vec.Mul, products, products, x)
	case []float32:
		done = vec.Into(vec.MulF32, products, x)
	}
	products, row = products[done:], row[done:len(products)]
	for i, v := range row {
		products[i] *= A(v)
	}
}

// ProdRow returns the product of a row.
func ProdRow[D, S dtype.Number](row []S) D {
	if isFloat[S]() {
		if len(row) <= piece {
			return D(multiplyFloats(row))
		}
		return D(inPieces(len(row), func(lo, hi int) float64 { return multiplyFloats(row[lo:hi]) }, times))
	}
	if len(row) <= piece {
		return D(multiplyIntegers(row))
	}
	return D(inPieces(len(row), func(lo, hi int) int64 { return multiplyIntegers(row[lo:hi]) }, times))
}

const productLanes = manyLanes / 8 // of float64

// multiplyFloats multiplies element i into lane i modulo their number, and the lanes in pairs. What leaves the range of
// float64 on the way is multiplied one after the other.
func multiplyFloats[S dtype.Number](row []S) float64 {
	product := multiplyInLanes(row)
	if product != 0 && isFinite(product) {
		return product
	}
	none := product == 0 // and then no element is infinite or NaN
	product = 1
	for _, v := range row {
		product *= float64(v)
		if none && product == 0 {
			break
		}
	}
	return product
}

func multiplyInLanes[S dtype.Number](row []S) float64 {
	var vector [1]float64
	switch x := any(row).(type) {
	case []float64:
		if vec.Rows(vec.Product, len(x), nil, vector[:], x) {
			return vector[0]
		}
	case []float32:
		if vec.RowsInto(vec.ProductF32, len(x), vector[:], x) {
			return vector[0]
		}
	}
	var lanes [productLanes]float64
	for i := range lanes {
		lanes[i] = 1
	}
	for i, v := range row {
		lanes[i%productLanes] *= float64(v)
	}
	for n := productLanes / 2; n > 0; n /= 2 {
		for i, v := range lanes[n : 2*n] {
			lanes[i] *= v
		}
	}
	return lanes[0]
}

// multiplyIntegers multiplies in any order, as products that wrap may be.
func multiplyIntegers[S dtype.Number](row []S) int64 {
	a, b, c, d := int64(1), int64(1), int64(1), int64(1)
	e, f, g, h := int64(1), int64(1), int64(1), int64(1)
	for ; len(row) >= 8; row = row[8:] {
		x := (*[8]S)(row)
		a, b, c, d = a*int64(x[0]), b*int64(x[1]), c*int64(x[2]), d*int64(x[3])
		e, f, g, h = e*int64(x[4]), f*int64(x[5]), g*int64(x[6]), h*int64(x[7])
	}
	product := a * b * c * d * e * f * g * h
	for _, v := range row {
		product *= int64(v)
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
