package kern

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/par"
)

func BenchmarkMatMulInt(b *testing.B) {
	b.Run("int64", benchmarkMatMulInt[int64])
	b.Run("int32", benchmarkMatMulInt[int32])
	b.Run("uint8", benchmarkMatMulInt[uint8])
}

func benchmarkMatMulInt[T dtype.Integer](b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, s := range []struct{ m, n, k int }{{512, 512, 512}, {512, 1024, 512}, {512, 64, 64}, {512, 1, 512}} {
		b.Run(fmt.Sprintf("%dx%dx%d", s.m, s.n, s.k), func(b *testing.B) {
			x, y := Matrix[T]{values[T](rnd, s.m*s.k), s.k, 1}, Matrix[T]{values[T](rnd, s.k*s.n), s.n, 1}
			c := make([]T, s.m*s.n)
			for b.Loop() {
				MatMulInt(s.m, s.n, s.k, x, y, c, s.n)
			}
			b.ReportMetric(float64(s.m*s.n*s.k)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "products/ns")
		})
	}
}

func TestMatMulIntOfAllShapes(t *testing.T) {
	t.Run("int64", testMatMulInt[int64])
	t.Run("int32", testMatMulInt[int32])
	t.Run("int16", testMatMulInt[int16])
	t.Run("int8", testMatMulInt[int8])
	t.Run("uint8", testMatMulInt[uint8])
}

func testMatMulInt[T dtype.Integer](t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	defer par.SetNumThreads(0)
	for _, s := range [][3]int{
		{0, 3, 2}, {3, 0, 2}, {3, 4, 0}, {1, 1, 1}, {1, 1, 5000}, {1, 70, 33}, {70, 1, 33}, {2, 3, 4}, {3, 300, 50}, {300, 4, 50},
		{5, 5, 5}, {7, 65, 66}, {33, 130, 129}, {6, 2100, 7}, {5, 9, 2100}, {300, 3, 2100}, {1, 2100, 70}, {4, 1030, 9},
	} {
		for layout := range 9 {
			m, n, k := s[0], s[1], s[2]
			a, b := integerMatrix[T](rnd, m, k, layout%3), integerMatrix[T](rnd, k, n, layout/3)
			ldc := n + layout%2*3
			want := fillIntegers(rnd, make([]T, m*ldc))
			c := slices.Clone(want)
			for i := range m {
				for j := range n {
					want[i*ldc+j] = 0
					for l := range k {
						want[i*ldc+j] += a.Data[i*a.Row+l*a.Col] * b.Data[l*b.Row+j*b.Col]
					}
				}
			}
			for _, threads := range []int{1, 2, 7} {
				par.SetNumThreads(threads)
				got := slices.Clone(c)
				MatMulInt(m, n, k, a, b, got, ldc)
				if !slices.Equal(got, want) {
					t.Fatalf("[%d, %d]·[%d, %d] of layout %d on %d threads differs", m, k, k, n, layout, threads)
				}
			}
		}
	}
}

// integerMatrix is a random matrix, row-major, column-major or neither: it ends where its memory does.
func integerMatrix[T dtype.Integer](rnd *rand.Rand, rows, cols, layout int) Matrix[T] {
	m := Matrix[T]{Row: cols + 1, Col: 1}
	switch layout {
	case 1:
		m.Row, m.Col = 1, rows+2
	case 2:
		m.Row, m.Col = 2*cols+1, 2
	}
	if rows > 0 && cols > 0 {
		m.Data = fillIntegers(rnd, make([]T, (rows-1)*m.Row+(cols-1)*m.Col+1))
	}
	return m
}

func fillIntegers[T dtype.Integer](rnd *rand.Rand, s []T) []T {
	for i := range s {
		s[i] = T(rnd.Uint64())
	}
	return s
}
