package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
	"cresset/internal/par"
)

func fill[T dtype.Float](rnd *rand.Rand, x []T) []T {
	for i := range x {
		x[i] = T(rnd.Float64()*2 - 1)
	}
	return x
}

func epsilon[T dtype.Float]() float64 {
	var zero T
	if _, ok := any(zero).(float32); ok {
		return 0x1p-23
	}
	return 0x1p-52
}

// layouts of an operand: a dense matrix, its transpose, a slice with steps in
// both directions, a row that repeats.
var layouts = []struct {
	name    string
	strides func(rows, cols int) (row, col int)
}{
	{"rows", func(_, cols int) (int, int) { return cols, 1 }},
	{"columns", func(rows, _ int) (int, int) { return 1, rows }},
	{"steps", func(_, cols int) (int, int) { return 2*cols*3 + 1, 3 }},
	{"repeated", func(_, _ int) (int, int) { return 0, 1 }},
}

func randomMatrix[T dtype.Float](rnd *rand.Rand, rows, cols int, layout int) Matrix[T] {
	row, col := layouts[layout].strides(rows, cols)
	return Matrix[T]{fill(rnd, make([]T, max(0, (rows-1)*row+(cols-1)*col+1))), row, col}
}

// checkGemm compares got with a float64 product. A sum of k products carries at
// most (k+3) roundings of its absolute sum: one each for alpha, beta and the
// product beside the additions.
func checkGemm[T dtype.Float](t *testing.T, m, n, k int, alpha T, a, b Matrix[T], beta T, c, got []T, ldc int) {
	t.Helper()
	for i := range m {
		for j := range n {
			var want, size float64
			if beta != 0 {
				want = float64(beta) * float64(c[i*ldc+j])
				size = math.Abs(want)
			}
			for l := range k {
				v := float64(alpha) * float64(a.Data[i*a.Row+l*a.Col]) * float64(b.Data[l*b.Row+j*b.Col])
				want += v
				size += math.Abs(v)
			}
			tol := float64(k+3) * epsilon[T]() * size
			if diff := math.Abs(float64(got[i*ldc+j]) - want); !(diff <= tol) {
				t.Fatalf("C[%d, %d] = %v, want %v ± %v", i, j, got[i*ldc+j], want, tol)
			}
		}
	}
}

var gemmSizes = []struct{ m, n, k int }{
	{1, 1, 1}, {2, 3, 4}, {5, 7, 9}, {8, 8, 8}, {3, 70, 5}, {33, 65, 17}, {64, 10, 128}, {31, 29, 257}, {2, 2, 600},
	{1, 37, 300}, {41, 1, 300}, {1, 1, 513}, {300, 1, 3}, {1, 600, 7}, {1030, 3, 2}, {3, 1029, 2},
	{0, 3, 4}, {3, 0, 4}, {3, 4, 0}, {0, 0, 0},
}

func testGemm[T dtype.Float](t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, s := range gemmSizes {
		for la := range layouts {
			for lb := range layouts {
				a, b := randomMatrix[T](rnd, s.m, s.k, la), randomMatrix[T](rnd, s.k, s.n, lb)
				ldc := s.n + la
				c := fill(rnd, make([]T, s.m*ldc))
				for _, scale := range [][2]T{{1, 0}, {1, 1}, {-0.5, 2}} {
					name := fmt.Sprintf("%dx%dx%d/%s/%s/%v", s.m, s.n, s.k, layouts[la].name, layouts[lb].name, scale)
					t.Run(name, func(t *testing.T) {
						got := append([]T(nil), c...)
						if scale[1] == 0 {
							for i := range got {
								got[i] = T(math.NaN())
							}
						}
						before := append([]T(nil), got...)
						Gemm(s.m, s.n, s.k, scale[0], a, b, scale[1], got, ldc)
						checkGemm(t, s.m, s.n, s.k, scale[0], a, b, scale[1], c, got, ldc)
						for i := range got {
							if i%ldc >= s.n && math.Float64bits(float64(got[i])) != math.Float64bits(float64(before[i])) {
								t.Fatalf("wrote between the rows of C, at %d", i)
							}
						}
					})
				}
			}
		}
	}
}

func TestGemm(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		t.Run("float32", testGemm[float32])
		t.Run("float64", testGemm[float64])
	})
}

// one chunk per piece, last first: no order of the pieces may change a bit.
func backwards(n, _ int, body func(lo, hi int)) {
	for i := n; i > 0; i-- {
		body(i-1, i)
	}
}

func TestGemmSplitKeepsBits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, s := range append(gemmSizes, []struct{ m, n, k int }{{130, 140, 530}, {1, 5003, 77}}...) {
		a, b := randomMatrix[float32](rnd, s.m, s.k, 0), randomMatrix[float32](rnd, s.k, s.n, 0)
		want := make([]float32, s.m*s.n)
		for i, split := range []splitter{inline, backwards, par.For} {
			got := fill(rnd, make([]float32, s.m*s.n))
			p := product[float32]{m: s.m, n: s.n, k: s.k, alpha: 1, a: a, b: b, c: got, ldc: s.n}
			p.run(split)
			if i == 0 {
				copy(want, got)
			}
			for j := range got {
				if got[j] != want[j] {
					t.Fatalf("%v, splitter %d: C[%d] = %v, want %v", s, i, j, got[j], want[j])
				}
			}
		}
	}
}

// A row of a large product, a column of it and one element have the bits that
// they have alone where they add in order of k: packed, direct and vector paths
// do so alike. Only dot products of operands along k add in lanes.
func TestGemmPartsKeepBits(t *testing.T) {
	const m, n, k = 45, 51, 700
	rnd := rand.New(rand.NewPCG(5, 6))
	for la := range 2 {
		for lb := range 2 {
			a, b := randomMatrix[float32](rnd, m, k, la), randomMatrix[float32](rnd, k, n, lb)
			whole := make([]float32, m*n)
			Gemm(m, n, k, 1, a, b, 0, whole, n)
			row, column, corner := make([]float32, n), make([]float32, m), make([]float32, 2)
			for i := range m {
				Gemm(1, n, k, 1, Matrix[float32]{a.Data[i*a.Row:], a.Row, a.Col}, b, 0, row, n)
				ai := Matrix[float32]{a.Data[i*a.Row:], a.Row, a.Col}
				if lb == 1 && vec.TileRows() > 0 {
					checkGemm(t, 1, n, k, 1, ai, b, 0, row, row, n)
					continue
				}
				for j := range n {
					if row[j] != whole[i*n+j] {
						t.Fatalf("row %d alone: [%d] = %v, want %v", i, j, row[j], whole[i*n+j])
					}
				}
			}
			for j := range n {
				Gemm(m, 1, k, 1, a, Matrix[float32]{b.Data[j*b.Col:], b.Row, b.Col}, 0, column, 1)
				bj := Matrix[float32]{b.Data[j*b.Col:], b.Row, b.Col}
				if la == 0 && vec.TileRows() > 0 {
					checkGemm(t, m, 1, k, 1, a, bj, 0, column, column, 1)
					continue
				}
				for i := range m {
					if column[i] != whole[i*n+j] {
						t.Fatalf("column %d alone: [%d] = %v, want %v", j, i, column[i], whole[i*n+j])
					}
				}
			}
			Gemm(2, 1, 100, 1, a, b, 0, corner, 1)
			Gemm(m, n, 100, 1, a, b, 0, whole, n)
			if la == 0 && vec.TileRows() > 0 {
				continue
			}
			if corner[0] != whole[0] || corner[1] != whole[n] {
				t.Errorf("corner alone: %v, want %v", corner, []float32{whole[0], whole[n]})
			}
		}
	}
}

func TestGemmKeepsNaNAndInf(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, n := range []int{1, 3, 40} {
		const m, k = 9, 30
		a := Matrix[float32]{make([]float32, m*k), k, 1}
		b := Matrix[float32]{make([]float32, k*n), n, 1}
		a.Data[0], a.Data[2*k] = nan, inf
		b.Data[(k-1)*n] = inf
		c := make([]float32, m*n)
		Gemm(m, n, k, 1, a, b, 0, c, n)
		// 0*Inf is NaN: zeros must not be skipped.
		for i := range m {
			if c[i*n] == c[i*n] {
				t.Errorf("n=%d: C[%d, 0] = %v, want NaN", n, i, c[i*n])
			}
			if want := i == 0 || i == 2; n > 1 && (c[i*n+1] != c[i*n+1]) != want {
				t.Errorf("n=%d: C[%d, 1] = %v, NaN wanted: %v", n, i, c[i*n+1], want)
			}
		}
	}
}

func TestGemmAlphaZeroReadsNothing(t *testing.T) {
	nan := float32(math.NaN())
	c := []float32{1, 2, 3, 4}
	x := Matrix[float32]{[]float32{nan, nan, nan, nan}, 2, 1}
	Gemm(2, 2, 2, 0, x, x, 3, c, 2)
	if want := [4]float32{3, 6, 9, 12}; [4]float32(c) != want {
		t.Errorf("C = %v, want %v", c, want)
	}
}

func TestGemmBias(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, s := range []struct{ m, n, k int }{{5, 6, 7}, {1, 6, 70}, {40, 1, 70}, {5, 40, 100}, {30, 40, 1100}} {
		for _, row := range []int{0, s.n + 2} {
			a, b := randomMatrix[float64](rnd, s.m, s.k, 0), randomMatrix[float64](rnd, s.k, s.n, 1)
			bias, got := fill(rnd, make([]float64, s.m*(s.n+2))), make([]float64, s.m*s.n)
			var c []float64
			for i := range s.m {
				c = append(c, bias[i*row:][:s.n]...)
			}
			GemmBias(s.m, s.n, s.k, a, b, bias, row, op.Invalid, got, s.n)
			checkGemm(t, s.m, s.n, s.k, 1, a, b, 1, c, got, s.n)
			copy(got, c)
			GemmBias(s.m, s.n, s.k, a, b, got, s.n, op.Invalid, got, s.n)
			checkGemm(t, s.m, s.n, s.k, 1, a, b, 1, c, got, s.n)
		}
	}
}

func TestGemmBatch(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	for _, s := range []struct{ count, m, n, k, sharedB int }{
		{0, 2, 2, 2, 0}, {1, 3, 4, 5, 0}, {9, 3, 4, 5, 0}, {9, 3, 4, 5, 1}, {2, 33, 40, 50, 0}, {3, 3, 4, 0, 0}, {3, 0, 4, 2, 0},
	} {
		a := Matrix[float32]{fill(rnd, make([]float32, s.count*s.m*s.k)), s.k, 1}
		b := Matrix[float32]{fill(rnd, make([]float32, max(s.count, 1)*s.k*s.n)), s.n, 1}
		strideB := s.k * s.n * (1 - s.sharedB)
		c := fill(rnd, make([]float32, s.count*s.m*s.n))
		GemmBatch(s.count, s.m, s.n, s.k, 1, a, s.m*s.k, b, strideB, 0, c, s.m*s.n, s.n)
		for i := range s.count {
			ai := Matrix[float32]{a.Data[i*s.m*s.k:], a.Row, a.Col}
			bi := Matrix[float32]{b.Data[i*strideB:], b.Row, b.Col}
			got := c[i*s.m*s.n:]
			checkGemm(t, s.m, s.n, s.k, 1, ai, bi, 0, got, got, s.n)
		}
	}
}

func TestMatMulInt(t *testing.T) {
	a := Matrix[int8]{[]int8{1, 2, 3, 100, 5, 6}, 3, 1}
	b := Matrix[int8]{[]int8{1, -2, 3, 4, 50, 6}, 2, 1}
	got := []int8{9, 9, 9, 9}
	MatMulInt(2, 2, 3, a, b, got, 2)
	// 157, 24, 415 and -144, modulo 256.
	if want := [4]int8{-99, 24, -97, 112}; [4]int8(got) != want {
		t.Errorf("A·B = %v, want %v", got, want)
	}
	MatMulInt(2, 2, 2, a.Transposed(), b, got, 2)
	// 301, 398, 17 and 16, modulo 256.
	if want := [4]int8{45, -114, 17, 16}; [4]int8(got) != want {
		t.Errorf("transposed A·B = %v, want %v", got, want)
	}
}

func BenchmarkGemm(b *testing.B) {
	b.Run("float32", benchmarkGemm[float32])
	b.Run("float64", benchmarkGemm[float64])
}

func benchmarkGemm[T dtype.Float](b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, s := range []struct {
		m, n, k int
		op      string
	}{
		{1024, 1024, 1024, "NN"}, {1024, 1024, 1024, "NT"}, {1024, 1024, 1024, "TN"}, {256, 256, 256, "NN"}, {64, 64, 64, "NN"}, {16, 16, 16, "NN"},
		{8, 8, 8, "NN"}, {4, 4, 4, "NN"}, {2, 2, 2, "NN"},
		{64, 128, 784, "NT"}, {64, 10, 128, "NT"}, {64, 128, 10, "NN"}, {128, 784, 64, "TN"}, {10, 128, 64, "TN"},
		{1, 1024, 1024, "NN"}, {1, 1024, 1024, "NT"}, {1024, 1, 1024, "NN"}, {1024, 1, 1024, "TN"}, {1024, 1024, 4, "NN"}, {4, 1024, 1024, "NT"},
	} {
		b.Run(fmt.Sprintf("%s/%dx%dx%d", s.op, s.m, s.n, s.k), func(b *testing.B) {
			la, lb := 0, 0
			if s.op[0] == 'T' {
				la = 1
			}
			if s.op[1] == 'T' {
				lb = 1
			}
			x, y := randomMatrix[T](rnd, s.m, s.k, la), randomMatrix[T](rnd, s.k, s.n, lb)
			c := make([]T, s.m*s.n)
			b.ReportAllocs()
			for b.Loop() {
				Gemm(s.m, s.n, s.k, 1, x, y, 0, c, s.n)
			}
			reportGflops(b, 2*s.m*s.n*s.k)
		})
	}
}

func reportGflops(b *testing.B, flops int) {
	b.ReportMetric(float64(flops)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}
