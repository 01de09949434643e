package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// rowMoments are a row's mean and the mean of (x-mean)**2.
type rowMoments struct{ mean, variance float64 }

// momentsOf returns the moments of a row.
func momentsOf[T dtype.Float](x []T) rowMoments {
	var m [1]rowMoments
	momentsRows(x, len(x), m[:])
	return m[0]
}

// momentsRows writes the moments of each row of n elements.
func momentsRows[T dtype.Float](x []T, n int, m []rowMoments) {
	f, ok := any(x).([]float32)
	if !ok {
		for r := range m {
			m[r] = momentsTwice(x[r*n:][:n])
		}
		return
	}
	var sums [2 * rowBlock]float64
	for len(m) > 0 {
		rows := min(len(m), rowBlock)
		sumsAndSquares(f[:rows*n], n, sums[:2*rows])
		for r := range rows {
			if m[r], ok = momentsFrom(sums[2*r], sums[2*r+1], n); !ok {
				m[r] = momentsTwice(f[r*n:][:n])
			}
		}
		f, m = f[rows*n:], m[rows:]
	}
}

// momentsTwice reads the row once for the mean and again for the distances from it.
func momentsTwice[T dtype.Float](x []T) rowMoments {
	n := float64(len(x))
	mean := sum64(x) / n
	return rowMoments{mean, squares64(x, mean) / n}
}

// momentsFrom returns the moments of n float32 by their sum and that of their squares, both made in float64. It is ok
// unless the mean is so far from zero, beside the variance, that too little of that remains, or it is no number: of 2**20
// elements the sum of squares is off by 2**-37 of itself at most, so the variance by 2**-26.
func momentsFrom(sum, squares float64, n int) (m rowMoments, ok bool) {
	m.mean = sum / float64(n)
	squares /= float64(n)
	m.variance = squares - float64(m.mean*m.mean)
	return m, m.variance*(1<<10) >= squares
}

// sumsAndSquares writes Σ x and Σ x*x of each row, one after the other. The squares of float32 are exact in float64.
func sumsAndSquares(x []float32, n int, sums []float64) {
	if n <= piece && vec.Rows(vec.Moments, n, nil, sums, x) {
		return
	}
	for r := 0; 2*r < len(sums); r++ {
		row := x[r*n:][:n]
		sums[2*r], sums[2*r+1] = sum64(row), dot64(row, row)
	}
}
