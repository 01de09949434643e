package lapack

import "cresset/dtype"

// QRSpace is how many elements of space QR needs for a matrix [m, n] and q of so many columns.
func QRSpace(m, n, columns int) int { return m*min(m, n) + min(m, n) + spaceOf(max(n, columns)) }

// qr makes a [m, n] the upper triangular r and q, of m rows, orthogonal columns with q·r = a: as many as r has rows that are not zero, or
// m. It computes no q without columns.
func qr[T dtype.Float](a, q matrix[T], space []T) {
	k := min(a.Rows, a.Cols)
	v, tau := of(space[:a.Rows*k], a.Rows, k), space[a.Rows*k:][:k]
	space = space[a.Rows*k+k:]
	for start := 0; start < k; start += block {
		end := min(start+block, k)
		for j := start; j < end; j++ {
			a.reflect(v, tau, j, end)
		}
		if end < a.Cols {
			r := join(v.part(start, start, a.Rows-start, end-start), tau[start:end], space)
			r.apply(a.from(start, end), true, space[block*block+block:])
		}
	}
	if q.Cols > 0 {
		q.setProductOf(v, tau, 0, space)
	}
}

// reflect clears column j of a below the diagonal, puts the reflector that does so in column j of v, and applies it to the columns up
// to end.
func (a matrix[T]) reflect(v matrix[T], tau []T, j, end int) {
	n := a.Rows - j
	beta, t := reflector(a.Data[j*a.Stride+j:], n, a.Stride)
	tau[j] = t
	for i := range j {
		v.row(i)[j] = 0
	}
	for i := j; i < a.Rows; i++ {
		v.row(i)[j], a.row(i)[j] = a.row(i)[j], 0
	}
	a.row(j)[j] = beta
	for c := j + 1; c < end; c++ {
		var sum T
		for i := j; i < a.Rows; i++ {
			sum += v.row(i)[j] * a.row(i)[c]
		}
		sum *= t
		for i := j; i < a.Rows; i++ {
			a.row(i)[c] -= sum * v.row(i)[j]
		}
	}
}
