package lapack

import "cresset/dtype"

// factorLU makes a the factors of a[perm[i], j] = (l·u)[i, j]: below the diagonal l, whose diagonal is ones, and on it and above u. Each pivot
// is the first of the largest below it. sign is the determinant of the permutation, and singular is 0 or the number, from 1, of the first
// pivot that is zero.
func factorLU[T dtype.Float](a matrix[T], perm []int64) (sign T, singular int) {
	for i := range perm {
		perm[i] = int64(i)
	}
	sign = 1
	n := min(a.Rows, a.Cols)
	for start := 0; start < n; start += block {
		end := min(start+block, n)
		for j := start; j < end; j++ {
			if p := a.pivot(j); p != j {
				a.swapRows(p, j)
				perm[p], perm[j] = perm[j], perm[p]
				sign = -sign
			}
			pivot := a.row(j)[j]
			if pivot == 0 {
				if singular == 0 {
					singular = j + 1
				}
				continue
			}
			for i := j + 1; i < a.Rows; i++ {
				row := a.row(i)
				row[j] /= pivot
				axpy(-row[j], a.row(j)[j+1:end], row[j+1:end])
			}
		}
		// The columns that follow: rows of u by forward substitution, then what they take from the rows below.
		right := a.part(start, end, end-start, a.Cols-end)
		solveTriangular(a.part(start, start, end-start, end-start), right, false, true)
		a.from(end, end).addProduct(-1, a.part(end, start, a.Rows-end, end-start).view(), right.view(), end-start)
	}
	return sign, singular
}

// pivot returns the first row from j on with the largest element in column j.
func (a matrix[T]) pivot(j int) int {
	at, most := j, T(-1)
	for i := j; i < a.Rows; i++ {
		if v := max(a.row(i)[j], -a.row(i)[j]); v > most {
			at, most = i, v
		}
	}
	return at
}

func (a matrix[T]) swapRows(i, j int) {
	x, y := a.row(i), a.row(j)
	for k, v := range x {
		x[k], y[k] = y[k], v
	}
}

// LUSolveSpace is how many elements of space LUSolve needs for n rows and so many columns of b.
func LUSolveSpace(n, columns int) int { return n*n + n*columns }

// solveLU makes x the solution of a·x = b, or where transposed is true of aᵀ·x = b, by what factorLU made of the square a.
func solveLU[T dtype.Float](lu matrix[T], perm []int64, b, x matrix[T], transposed bool, space []T) {
	if !transposed {
		for i, from := range perm {
			copy(x.row(i), b.row(int(from)))
		}
		solveTriangular(lu, x, false, true)
		solveTriangular(lu, x, true, false)
		return
	}
	n := lu.Rows
	ul, y := of(space[:n*n], n, n), of(space[n*n:][:n*b.Cols], n, b.Cols)
	lu.transposeInto(ul)
	y.copyFrom(b)
	solveTriangular(ul, y, false, false)
	solveTriangular(ul, y, true, true)
	for i, to := range perm {
		copy(x.row(int(to)), y.row(i))
	}
}
