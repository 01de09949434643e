package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

func halves(m Matrix[float32]) Matrix[dtype.BF16] {
	h := Matrix[dtype.BF16]{make([]dtype.BF16, len(m.Data)), m.Row, m.Col}
	for i, v := range m.Data {
		h.Data[i] = dtype.ToBF16(v)
	}
	return h
}

// eachPairLevel runs f with every level that multiplies bfloat16, on processors too where VDPBF16PS is slow.
func eachPairLevel(t *testing.T, f func(t *testing.T)) {
	defer vec.UseSlowPairs(vec.UseSlowPairs(false))
	if vec.HasAMX() {
		t.Run("amx", f)
	}
	eachLevel(t, func(t *testing.T) {
		if !vec.HasPairs() {
			t.Skip("this machine, at this level, does not multiply bfloat16")
		}
		f(t)
	})
}

func TestGemmBF16(t *testing.T) { eachPairLevel(t, testGemmBF16) }

func testGemmBF16(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	for _, s := range []struct{ m, n, k int }{{1, 16, 64}, {3, 33, 66}, {14, 32, 64}, {15, 47, 128}, {29, 70, 94}, {130, 300, 200}, {5, 1040, 64}, {2, 17, 64}, {48, 130, 258}} {
		for la := range layouts {
			for lb := range layouts {
				t.Run(fmt.Sprintf("%dx%dx%d/%s/%s", s.m, s.n, s.k, layouts[la].name, layouts[lb].name), func(t *testing.T) {
					a, b := halves(randomMatrix[float32](rnd, s.m, s.k, la)), halves(randomMatrix[float32](rnd, s.k, s.n, lb))
					ldc := s.n + la
					got := make([]dtype.BF16, s.m*ldc)
					var bias []dtype.BF16
					if (la+lb)%2 == 0 {
						bias = halves(randomMatrix[float32](rnd, 1, s.n, 0)).Data
					}
					if !GemmBF16(s.m, s.n, s.k, a, b, bias, got, ldc) {
						t.Fatal("was not computed")
					}
					for at, h := range got {
						i, j := at/ldc, at%ldc
						if j >= s.n {
							if h != 0 {
								t.Fatalf("wrote between the rows of C, at %d", at)
							}
							continue
						}
						var want, size float64
						for l := range s.k {
							v := float64(a.Data[i*a.Row+l*a.Col].Float32()) * float64(b.Data[l*b.Row+j*b.Col].Float32())
							want += v
							size += math.Abs(v)
						}
						if bias != nil {
							want += float64(bias[j].Float32())
							size += math.Abs(float64(bias[j].Float32()))
						}
						tol := float64(s.k)*0x1p-23*size + 0x1p-8*math.Abs(want)
						if diff := math.Abs(float64(h.Float32()) - want); !(diff <= tol) {
							t.Fatalf("C[%d, %d] = %v, want %v ± %v", i, j, h.Float32(), want, tol)
						}
					}
				})
			}
		}
	}
}

func TestGemmBF16KeepsNaNAndInf(t *testing.T) { eachPairLevel(t, testGemmBF16KeepsNaNAndInf) }

func testGemmBF16KeepsNaNAndInf(t *testing.T) {
	const m, n, k = 4, 40, 64
	one, inf, nan := dtype.ToBF16(1), dtype.ToBF16(float32(math.Inf(1))), dtype.ToBF16(float32(math.NaN()))
	a := Matrix[dtype.BF16]{slices.Repeat([]dtype.BF16{one}, m*k), k, 1}
	b := Matrix[dtype.BF16]{slices.Repeat([]dtype.BF16{one}, k*n), n, 1}
	a.Data[0], a.Data[k+3], a.Data[2*k] = nan, inf, 0
	b.Data[39] = inf // 0*Inf is NaN
	c := make([]dtype.BF16, m*n)
	GemmBF16(m, n, k, a, b, nil, c, n)
	for _, want := range []struct {
		i, j int
		h    dtype.BF16
	}{{0, 0, nan}, {0, 39, nan}, {1, 0, inf}, {1, 39, inf}, {2, 0, dtype.ToBF16(63)}, {2, 39, nan}, {3, 0, dtype.ToBF16(64)}, {3, 39, inf}} {
		if got := c[want.i*n+want.j]; got != want.h {
			t.Errorf("C[%d, %d] = %#x, want %#x", want.i, want.j, got, want.h)
		}
	}
}

func TestGemmThreadsKeepBits(t *testing.T) {
	defer vec.UseSlowPairs(vec.UseSlowPairs(false))
	testGemmThreadsKeepBits(t)
	if vec.HasAMX() {
		defer vec.Use(vec.Current())
		vec.Use(vec.AVX512)
		testGemmThreadsKeepBits(t)
	}
}

func testGemmThreadsKeepBits(t *testing.T) {
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	rnd := rand.New(rand.NewPCG(13, 14))
	for _, s := range []struct{ m, n, k int }{{300, 520, 130}, {8, 600, 1030}, {1, 4000, 700}, {200, 70, 600}, {113, 113, 113}} {
		for lb := range 2 {
			a, b := randomMatrix[float32](rnd, s.m, s.k, 0), randomMatrix[float32](rnd, s.k, s.n, lb)
			ha, hb := halves(a), halves(b)
			var want []float32
			var wantHalf []dtype.BF16
			for _, threads := range []int{1, 2, 7, 128} { // 128: more threads than tiles below each other
				runtime.GOMAXPROCS(threads)
				got, half := make([]float32, s.m*s.n), make([]dtype.BF16, s.m*s.n)
				Gemm(s.m, s.n, s.k, 1, a, b, 0, got, s.n)
				GemmBF16(s.m, s.n, s.k, ha, hb, nil, half, s.n)
				if threads == 1 {
					want, wantHalf = got, half
				}
				if !slices.Equal(got, want) || !slices.Equal(half, wantHalf) {
					t.Errorf("%v differs between 1 and %d threads", s, threads)
				}
			}
		}
	}
}

func BenchmarkGemmBF16(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{256, 1024} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x, y := halves(randomMatrix[float32](rnd, n, n, 0)), halves(randomMatrix[float32](rnd, n, n, 0))
			c := make([]dtype.BF16, n*n)
			for b.Loop() {
				GemmBF16(n, n, n, x, y, nil, c, n)
			}
			reportGflops(b, 2*n*n*n)
		})
	}
}
