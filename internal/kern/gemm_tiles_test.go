package kern

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"cresset/dtype"
	"cresset/internal/op"
)

// checkProduct multiplies matrices of some layouts, with a bias where there is one row more than a multiple of three.
func checkProduct[T dtype.Float](t *testing.T, rnd *rand.Rand, m, n, k, la, lb int) {
	t.Helper()
	a, b := randomMatrix[T](rnd, m, k, la), randomMatrix[T](rnd, k, n, lb)
	c := fill(rnd, make([]T, m*n))
	got := append([]T(nil), c...)
	if m%3 != 1 {
		Gemm(m, n, k, 1, a, b, 1, got, n)
		checkGemm(t, m, n, k, 1, a, b, 1, c, got, n)
		return
	}
	bias := fill(rnd, make([]T, n))
	for i := range m {
		copy(c[i*n:], bias)
	}
	GemmBias(m, n, k, a, b, bias, 0, op.Invalid, got, n)
	checkGemm(t, m, n, k, 1, a, b, 1, c, got, n)
}

func TestGemmShapes(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rnd := rand.New(rand.NewPCG(15, 16))
		for size := 1; size <= 40; size++ {
			for range 4 {
				sizes := [3]int{size, 1 + rnd.IntN(40), 1 + rnd.IntN(130)}
				rnd.Shuffle(2, func(i, j int) { sizes[i], sizes[j] = sizes[j], sizes[i] })
				la, lb := rnd.IntN(len(layouts)), rnd.IntN(len(layouts))
				t.Run(fmt.Sprintf("%v/%s/%s", sizes, layouts[la].name, layouts[lb].name), func(t *testing.T) {
					checkProduct[float32](t, rnd, sizes[0], sizes[1], sizes[2], la, lb)
					checkProduct[float64](t, rnd, sizes[0], sizes[1], sizes[2], la, lb)
				})
			}
		}
		for _, s := range [][3]int{{30, 70, 1100}, {17, 40, 2100}, {130, 70, 515}, {15, 1050, 70}, {1, 5003, 77}, {60, 300, 2100}, {128, 150, 64}} {
			for layout := range 4 {
				t.Run(fmt.Sprint(s, layout), func(t *testing.T) {
					checkProduct[float32](t, rnd, s[0], s[1], s[2], layout&1, layout>>1)
				})
			}
		}
	})
}

// Whether operands are copied into panels depends on how far apart their rows are and on whether they are transposed: the products do not.
func TestGemmPackingKeepsBits(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		t.Run("float32", testPackingKeepsBits[float32])
		t.Run("float64", testPackingKeepsBits[float64])
	})
}

func testPackingKeepsBits[T dtype.Float](t *testing.T) {
	rnd := rand.New(rand.NewPCG(23, 24))
	for _, s := range []struct{ m, n, k int }{{25, 256, 784}, {130, 128, 130}, {64, 64, 1024}, {130, 128, 1100}, {60, 300, 1100}} {
		// copied has an element's neighbours row and col further apart.
		copied := func(m Matrix[T], rows, cols, row, col int) Matrix[T] {
			w := Matrix[T]{make([]T, rows*row+cols*col), row, col}
			for i := range rows {
				for j := range cols {
					w.Data[i*row+j*col] = m.Data[i*m.Row+j]
				}
			}
			return w
		}
		a, b := randomMatrix[T](rnd, s.m, s.k, 0), randomMatrix[T](rnd, s.k, s.n, 0)
		want := make([]T, s.m*s.n)
		Gemm(s.m, s.n, s.k, 1, a, b, 0, want, s.n)
		farA, farB := copied(a, s.m, s.k, s.k+1, 1), copied(b, s.k, s.n, s.n+1, 1)
		turnedA, turnedB := copied(a, s.m, s.k, 1, s.m), copied(b, s.k, s.n, 1, s.k)
		if s.m <= maxDotRows { // products of few rows with contiguous columns add in another order
			turnedB = b
		}
		for name, operands := range map[string][2]Matrix[T]{"far rows": {farA, farB}, "a transposed": {turnedA, b}, "b transposed": {a, turnedB}, "both transposed": {turnedA, turnedB}} {
			got := make([]T, s.m*s.n)
			Gemm(s.m, s.n, s.k, 1, operands[0], operands[1], 0, got, s.n)
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%v, %s: C[%d,%d] is %v, want %v", s, name, i/s.n, i%s.n, got[i], want[i])
				}
			}
		}
	}
}
