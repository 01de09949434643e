package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

func TestGemmHalf(t *testing.T) {
	if vec.HasAMX() { // which some of these products would run on
		defer vec.Use(vec.Current())
		vec.Use(vec.AVX512)
	}
	t.Run("float16", func(t *testing.T) { testGemmHalf(t, dtype.ToF16, dtype.F16.Float32, 0x1p-11) })
	t.Run("bfloat16", func(t *testing.T) { testGemmHalf(t, dtype.ToBF16, dtype.BF16.Float32, 0x1p-8) })
}

func testGemmHalf[H Half](t *testing.T, to func(float32) H, from func(H) float32, epsilon float64) {
	half := func(m Matrix[float32]) Matrix[H] {
		h := Matrix[H]{make([]H, len(m.Data)), m.Row, m.Col}
		for i, v := range m.Data {
			h.Data[i] = to(v)
		}
		return h
	}
	if !vec.HasHalves() {
		t.Skip("this level does not widen half types as it reads them")
	}
	defer vec.UseSlowPairs(vec.UseSlowPairs(true)) // else GemmBF16 computes some of them
	rnd := rand.New(rand.NewPCG(21, 22))
	for _, s := range []struct{ m, n, k int }{{1, 1, 64}, {1, 2, 64}, {3, 4, 65}, {2, 5, 64}, {8, 13, 70}, {1, 33, 66}, {1, 2128, 70}, {3, 48, 128}, {8, 80, 901}, {5, 1040, 64}, {17, 70, 130}, {maxBlockRows, 200, 900}} {
		for la := range layouts {
			for lb := range layouts {
				name := fmt.Sprintf("%dx%dx%d/%s/%s", s.m, s.n, s.k, layouts[la].name, layouts[lb].name)
				a, b := half(randomMatrix[float32](rnd, s.m, s.k, la)), half(randomMatrix[float32](rnd, s.k, s.n, lb))
				ldc := s.n + la
				got, bias := make([]H, s.m*ldc), half(randomMatrix[float32](rnd, 1, s.n, 0)).Data
				if (la+lb)%2 == 0 {
					bias = nil
				}
				if !GemmHalf(s.m, s.n, s.k, a, b, bias, got, ldc) {
					if takesBlocks(s.m, s.k, a, b) || s.m <= thinRows && (b.Row == 1 || b.Col == 1 && s.n%vec.HalfStreamUnit == 0) {
						t.Errorf("%s was not computed", name)
					}
					continue
				}
				for at, h := range got {
					i, j := at/ldc, at%ldc
					if j >= s.n {
						if h != 0 {
							t.Fatalf("%s wrote between the rows of C, at %d", name, at)
						}
						continue
					}
					var want, size float64
					for l := range s.k {
						v := float64(from(a.Data[i*a.Row+l*a.Col])) * float64(from(b.Data[l*b.Row+j*b.Col]))
						want += v
						size += math.Abs(v)
					}
					if bias != nil {
						want += float64(from(bias[j]))
					}
					if diff := math.Abs(float64(from(h)) - want); !(diff <= float64(s.k)*0x1p-23*size+epsilon*math.Abs(want)) {
						t.Fatalf("%s: C[%d,%d] is %v, want %v", name, i, j, from(h), want)
					}
				}
			}
		}
	}
	const many = maxBlockRows + 1
	if GemmHalf(many, 64, 64, half(randomMatrix[float32](rnd, many, 64, 0)), half(randomMatrix[float32](rnd, 64, 64, 0)), nil, make([]H, many*64), 64) {
		t.Error("A of more rows was not refused")
	}
}
