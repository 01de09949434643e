package lapack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"cresset/dtype"
)

// random returns a matrix whose elements are drawn from the normal distribution.
func random[T dtype.Float](rows, cols int) matrix[T] {
	draws := rand.New(rand.NewPCG(uint64(rows), uint64(cols)))
	a := of(make([]T, rows*cols), rows, cols)
	for i := range a.Data {
		a.Data[i] = T(draws.NormFloat64())
	}
	return a
}

func (a matrix[T]) clone() matrix[T] {
	b := of(make([]T, a.Rows*a.Cols), a.Rows, a.Cols)
	b.copyFrom(a)
	return b
}

func (a matrix[T]) at(i, j int) float64 { return float64(a.row(i)[j]) }

// wantNear compares a with an element's formula, to some roundings of the sums of n terms.
func wantNear[T dtype.Float](t *testing.T, what string, a matrix[T], want func(i, j int) float64) {
	t.Helper()
	limit := 8 * epsilon[T]() * float64(max(a.Rows, a.Cols, 4))
	most := 1.0
	for i := range a.Rows {
		for j := range a.Cols {
			most = max(most, math.Abs(want(i, j)))
		}
	}
	for i := range a.Rows {
		for j := range a.Cols {
			if w := want(i, j); !(math.Abs(a.at(i, j)-w) <= limit*most) {
				t.Errorf("%s: element (%d, %d) is %v, want %v", what, i, j, a.at(i, j), w)
				return
			}
		}
	}
}

// times returns a·b.
func times[T dtype.Float](a, b matrix[T]) matrix[T] {
	c := of(make([]T, a.Rows*b.Cols), a.Rows, b.Cols)
	for i := range a.Rows {
		for j := range b.Cols {
			sum := 0.0
			for k := range a.Cols {
				sum += a.at(i, k) * b.at(k, j)
			}
			c.row(i)[j] = T(sum)
		}
	}
	return c
}

func transposed[T dtype.Float](a matrix[T]) matrix[T] {
	b := of(make([]T, a.Rows*a.Cols), a.Cols, a.Rows)
	a.transposeInto(b)
	return b
}

func wantOrthogonal[T dtype.Float](t *testing.T, what string, q matrix[T]) {
	t.Helper()
	wantNear(t, what+" is orthogonal", times(transposed(q), q), func(i, j int) float64 {
		if i == j {
			return 1
		}
		return 0
	})
}

// extents go beyond a block, and two.
var extents = [][2]int{{0, 0}, {1, 1}, {2, 2}, {3, 3}, {3, 5}, {5, 3}, {1, 4}, {4, 1}, {31, 33}, {33, 31}, {40, 40}, {70, 70}, {100, 20}, {20, 100}, {0, 3}, {3, 0}}

func forBoth(t *testing.T, f32, f64 func(t *testing.T, m, n int)) {
	for _, e := range extents {
		t.Run(fmt.Sprintf("float32 %dx%d", e[0], e[1]), func(t *testing.T) { f32(t, e[0], e[1]) })
		t.Run(fmt.Sprintf("float64 %dx%d", e[0], e[1]), func(t *testing.T) { f64(t, e[0], e[1]) })
	}
}

func TestLU(t *testing.T) { forBoth(t, testLU[float32], testLU[float64]) }

func testLU[T dtype.Float](t *testing.T, m, n int) {
	a := random[T](m, n)
	lu, perm := a.clone(), make([]int64, m)
	factorLU(lu, perm)
	k := min(m, n)
	l, u := random[T](m, k), random[T](k, n)
	for i := range m {
		for j := range n {
			if j < k {
				switch {
				case i == j:
					l.row(i)[j] = 1
				case i < j:
					l.row(i)[j] = 0
				default:
					l.row(i)[j] = lu.row(i)[j]
				}
			}
			if i < k {
				if i <= j {
					u.row(i)[j] = lu.row(i)[j]
				} else {
					u.row(i)[j] = 0
				}
			}
		}
	}
	wantNear(t, "l·u", times(l, u), func(i, j int) float64 { return a.at(int(perm[i]), j) })
}

func TestQR(t *testing.T) { forBoth(t, testQR[float32], testQR[float64]) }

func testQR[T dtype.Float](t *testing.T, m, n int) {
	a := random[T](m, n)
	for _, columns := range []int{min(m, n), m} {
		r, q := a.clone(), random[T](m, columns)
		qr(r, q, make([]T, QRSpace(m, n, columns)))
		wantOrthogonal(t, "q", q)
		wantNear(t, "q·r", times(q, r.part(0, 0, columns, n).clone()), a.at)
	}
}

func TestCholesky(t *testing.T) { forBoth(t, testCholesky[float32], testCholesky[float64]) }

func testCholesky[T dtype.Float](t *testing.T, m, n int) {
	a := random[T](m, n)
	a = times(a, transposed(a))
	for i := range m {
		a.row(i)[i] += 1
	}
	l := a.clone()
	if minor := cholesky(l); minor != 0 {
		t.Fatalf("minor %d is not positive", minor)
	}
	wantNear(t, "l·lᵀ", times(l, transposed(l)), a.at)
}

func TestEigh(t *testing.T) { forBoth(t, testEigh[float32], testEigh[float64]) }

func testEigh[T dtype.Float](t *testing.T, m, n int) {
	a := random[T](m, n)
	a = times(a, transposed(a)) // of rank n
	values, v := make([]T, m), a.clone()
	if left := eigh(v, values, true, make([]T, EighSpace(m))); left != 0 {
		t.Fatalf("%d values did not converge", left)
	}
	wantOrthogonal(t, "v", v)
	scaled := v.clone()
	for i := range m {
		for j := range m {
			scaled.row(i)[j] *= values[j]
		}
		if i > 0 && values[i] < values[i-1] {
			t.Errorf("value %d is less than the one before", i)
		}
	}
	wantNear(t, "v·diag(values)·vᵀ", times(scaled, transposed(v)), a.at)
	alone := make([]T, m)
	eigh(a.clone(), alone, false, make([]T, EighSpace(m)))
	wantNear(t, "values alone", of(alone, m, 1), func(i, _ int) float64 { return float64(values[i]) })
}

// TestLowRankConverges wants the eigenvalues of matrices most of whose eigenvalues are rounding errors.
func TestLowRankConverges(t *testing.T) {
	for rows := 80; rows < 100; rows++ {
		testEigh[float32](t, rows, 20)
		testEigh[float64](t, rows, 20)
	}
}

func TestSVD(t *testing.T) { forBoth(t, testSVD[float32], testSVD[float64]) }

func testSVD[T dtype.Float](t *testing.T, m, n int) {
	checkSVD(t, random[T](m, n))
	checkSVD(t, times(random[T](m, min(2, n)), random[T](min(2, n), n))) // of rank 2
	checkSVD(t, of(make([]T, m*n), m, n))
}

func checkSVD[T dtype.Float](t *testing.T, a matrix[T]) {
	t.Helper()
	m, n := a.Rows, a.Cols
	k := min(m, n)
	for _, full := range []bool{false, true} {
		u, s, vh := random[T](m, k), make([]T, k), random[T](k, n)
		if full {
			u, vh = random[T](m, m), random[T](n, n)
		}
		if left := svd(a, u, s, vh, make([]T, SVDSpace(m, n, full))); left != 0 {
			t.Fatalf("%d values did not converge", left)
		}
		wantOrthogonal(t, "u", u)
		wantOrthogonal(t, "vh", transposed(vh))
		scaled := u.part(0, 0, m, k).clone()
		for i := range m {
			for j := range k {
				scaled.row(i)[j] *= s[j]
			}
		}
		for j := range s {
			if s[j] < 0 || j > 0 && s[j] > s[j-1] {
				t.Errorf("values %v do not descend", s)
			}
		}
		wantNear(t, "u·diag(s)·vh", times(scaled, vh.part(0, 0, k, n).clone()), a.at)
	}
}
