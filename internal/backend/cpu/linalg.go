package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/lapack"
	"cresset/internal/op"
	"cresset/internal/par"
)

func addFactorizations[T dtype.Float](t *table) {
	dt := dtype.Of[T]()
	t[op.Cholesky][dt] = rowMajor(cholesky[T])
	t[op.SolveTriangular][dt] = rowMajor(solveTriangular[T])
	t[op.LUFactor][dt] = rowMajor(luFactor[T])
	t[op.LUSolve][dt] = rowMajor(luSolve[T])
	t[op.QR][dt] = rowMajor(qr[T])
	t[op.Eigh][dt] = rowMajor(eigh[T])
	t[op.SVD][dt] = rowMajor(svd[T])
}

// batch is the matrices of the last two axes of a contiguous view, one for each index of those before.
type batch[T dtype.Float] struct {
	data              []T
	count, rows, cols int
}

func batchOf[T dtype.Float](v *backend.View) batch[T] {
	shape := v.Layout.Shape()
	b := batch[T]{data: dense[T](v), count: 1, rows: shape[len(shape)-2], cols: shape[len(shape)-1]}
	for _, n := range shape[:len(shape)-2] {
		b.count *= n
	}
	return b
}

func (b batch[T]) at(i int) lapack.Matrix[T] {
	size := b.rows * b.cols
	return lapack.Of(b.data[i*size:][:size], b.rows, b.cols)
}

// grain is how many matrices are worth a thread: some ten thousand steps.
func (b batch[T]) grain() int {
	return max(1, 1<<14/max(1, b.rows*b.cols*min(b.rows, b.cols)))
}

// cholesky writes the factors of in[0] to out[0], and to out[1] 0 or the minors that are not positive.
func cholesky[T dtype.Float](c *backend.Call) error {
	l, info := batchOf[T](&c.Out()[0]), dense[int64](&c.Out()[1])
	copy(l.data, dense[T](&c.In()[0]))
	par.For(l.count, l.grain(), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			info[i] = int64(lapack.For[T]().Cholesky(l.at(i)))
		}
	})
	return nil
}

// solveTriangular writes the solutions x of in[0]·x = in[1].
func solveTriangular[T dtype.Float](c *backend.Call) error {
	p, a, x := c.Params.(op.Triangular), batchOf[T](&c.In()[0]), batchOf[T](&c.Out()[0])
	copy(x.data, dense[T](&c.In()[1]))
	par.For(x.count, x.grain(), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			lapack.For[T]().SolveTriangular(a.at(i), x.at(i), p.Upper, p.Unit)
		}
	})
	return nil
}

// luFactor writes the factors of in[0] to out[0], the order of their rows to out[1], its sign to out[2], and to out[3] 0 or the numbers of
// pivots that are zero.
func luFactor[T dtype.Float](c *backend.Call) error {
	out := c.Out()
	lu, perm, sign, info := batchOf[T](&out[0]), dense[int64](&out[1]), dense[T](&out[2]), dense[int64](&out[3])
	copy(lu.data, dense[T](&c.In()[0]))
	par.For(lu.count, lu.grain(), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			s, zero := lapack.For[T]().LU(lu.at(i), perm[i*lu.rows:][:lu.rows])
			sign[i], info[i] = s, int64(zero)
		}
	})
	return nil
}

// luSolve writes the solutions x of a·x = in[2], or of aᵀ·x, where in[0] and in[1] are what luFactor made of a.
func luSolve[T dtype.Float](c *backend.Call) error {
	in, p := c.In(), c.Params.(op.Factored)
	lu, perm, b, x := batchOf[T](&in[0]), dense[int64](&in[1]), batchOf[T](&in[2]), batchOf[T](&c.Out()[0])
	n := lu.rows
	return kern.ForWithWorkspace(x.count, x.grain(), lapack.LUSolveSpace(n, x.cols), func(lo, hi int, space []T) {
		for i := lo; i < hi; i++ {
			lapack.For[T]().LUSolve(lu.at(i), perm[i*n:][:n], b.at(i), x.at(i), p.Transposed, space)
		}
	})
}

// qr writes the factors of in[0]: q to out[0], which may be without columns, and r to out[1].
func qr[T dtype.Float](c *backend.Call) error {
	a, q, r := batchOf[T](&c.In()[0]), batchOf[T](&c.Out()[0]), batchOf[T](&c.Out()[1])
	size, need := a.rows*a.cols, lapack.QRSpace(a.rows, a.cols, q.cols)
	return kern.ForWithWorkspace(a.count, a.grain(), size+need, func(lo, hi int, space []T) {
		for i := lo; i < hi; i++ {
			copied := lapack.Of(space[:size], a.rows, a.cols)
			copy(copied.Data, a.at(i).Data)
			lapack.For[T]().QR(copied, q.at(i), space[size:])
			copy(r.at(i).Data, copied.Data)
		}
	})
}

// eigh writes the eigenvalues of in[0] to out[0], the vectors to out[1], which may be without columns, and to out[2] how many values did
// not converge.
func eigh[T dtype.Float](c *backend.Call) error {
	out := c.Out()
	a, values, v, info := batchOf[T](&c.In()[0]), dense[T](&out[0]), batchOf[T](&out[1]), dense[int64](&out[2])
	n := a.rows
	return kern.ForWithWorkspace(a.count, a.grain(), n*n+lapack.EighSpace(n), func(lo, hi int, space []T) {
		for i := lo; i < hi; i++ {
			copied := lapack.Of(space[:n*n], n, n)
			copy(copied.Data, a.at(i).Data)
			info[i] = int64(lapack.For[T]().Eigh(copied, values[i*n:][:n], v.cols > 0, space[n*n:]))
			copy(v.at(i).Data, copied.Data)
		}
	})
}

// svd writes the factors of in[0]: u to out[0], s to out[1], vh to out[2], of which u and vh may be without vectors, and to out[3] how many
// values did not converge.
func svd[T dtype.Float](c *backend.Call) error {
	out := c.Out()
	a, u, s, vh, info := batchOf[T](&c.In()[0]), batchOf[T](&out[0]), dense[T](&out[1]), batchOf[T](&out[2]), dense[int64](&out[3])
	k := min(a.rows, a.cols)
	need := lapack.SVDSpace(a.rows, a.cols, max(u.cols, vh.rows) > k)
	return kern.ForWithWorkspace(a.count, a.grain(), need, func(lo, hi int, space []T) {
		for i := lo; i < hi; i++ {
			info[i] = int64(lapack.For[T]().SVD(a.at(i), u.at(i), s[i*k:][:k], vh.at(i), space))
		}
	})
}
