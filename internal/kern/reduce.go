package kern

import "cresset/dtype"

// Reductions see their input as [outer][n][inner] and reduce the middle axis: rows where inner is 1, columns elsewhere.
// Sums of floats are accumulated in float64, in the order of the axis, whatever the number of threads.

// SumMiddle is dst[o][i] = Σ_k src[o][k][i]. Sums of integers are int64, as PyTorch's.
func SumMiddle[D, S dtype.Number](dst []D, src []S, outer, n, inner int) {
	if inner == 1 {
		for o := range outer {
			dst[o] = sumRow[D](src[o*n : (o+1)*n])
		}
		return
	}
	acc := make([]float64, inner)
	whole := make([]int64, inner)
	for o := range outer {
		sumColumns(dst[o*inner:(o+1)*inner], src[o*n*inner:(o+1)*n*inner], acc, whole)
	}
}

func sumRow[D, S dtype.Number](row []S) D {
	if isFloat[S]() {
		// Four chains hide the latency of addition; their order is fixed.
		var a, b, c, d float64
		i := 0
		for ; i+4 <= len(row); i += 4 {
			a += float64(row[i])
			b += float64(row[i+1])
			c += float64(row[i+2])
			d += float64(row[i+3])
		}
		for ; i < len(row); i++ {
			a += float64(row[i])
		}
		return D((a + b) + (c + d))
	}
	var sum int64
	for _, v := range row {
		sum += int64(v)
	}
	return D(sum)
}

func sumColumns[D, S dtype.Number](dst []D, src []S, acc []float64, whole []int64) {
	inner := len(dst)
	if isFloat[S]() {
		clear(acc)
		for at := 0; at < len(src); at += inner {
			row := src[at : at+inner]
			for i, v := range row {
				acc[i] += float64(v)
			}
		}
		for i, v := range acc {
			dst[i] = D(v)
		}
		return
	}
	clear(whole)
	for at := 0; at < len(src); at += inner {
		for i, v := range src[at : at+inner] {
			whole[i] += int64(v)
		}
	}
	for i, v := range whole {
		dst[i] = D(v)
	}
}

// isFloat reports whether T keeps fractions.
func isFloat[T dtype.Number]() bool {
	half := 0.5
	return T(half) != 0
}
