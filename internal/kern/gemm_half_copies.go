package kern

import (
	"cresset/dtype"
	"cresset/internal/par"
)

// maxWidened bounds the elements of matrices of float16 that are widened together, which the second cache level then holds.
const maxWidened = 1 << 18

// GemmWidened computes C = A·B, without a bias, from copies in float32 that a cache holds, and reports whether it did. Copies of a whole batch would go through
// memory: that of 16 products of 256x256x256 takes a fifth longer so, of 64 of 128x64x128 half as long again.
func GemmWidened(m, n, k int, a, b Matrix[dtype.F16], bias, c []dtype.F16, ldc int) bool {
	if bias != nil || k == 0 || a.Col != 1 || b.Col != 1 && b.Row != 1 || m*k+k*n+m*n > maxWidened {
		return false
	}
	space := newScratch[float32](m*k + k*n + m*n)
	defer space.release()
	wideA, wideB, sums := space.data[:m*k], space.data[m*k:][:k*n], space.data[m*k+k*n:]
	widenRows(wideA, a, m, k)
	p := product[float32]{m: m, n: n, k: k, alpha: 1, a: Matrix[float32]{wideA, k, 1}, b: Matrix[float32]{wideB, n, 1}, c: sums, ldc: n}
	if b.Col == 1 {
		widenRows(wideB, b, k, n)
	} else {
		widenRows(wideB, b.Transposed(), n, k)
		p.b.Row, p.b.Col = 1, k
	}
	p.run(par.For)
	for i := range m {
		narrow(c[i*ldc:][:n], sums[i*n:][:n])
	}
	return true
}

// widenRows copies rows, each of which is contiguous.
func widenRows(dst []float32, a Matrix[dtype.F16], rows, cols int) {
	if a.Row == cols {
		widen(dst, a.Data)
		return
	}
	for i := range rows {
		widen(dst[i*cols:][:cols], a.Data[i*a.Row:])
	}
}
