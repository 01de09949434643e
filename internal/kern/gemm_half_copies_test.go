package kern

import (
	"math"
	"math/rand/v2"
	"testing"

	"cresset/dtype"
)

// TestGemmWidened wants the products of float64, rounded once, of all layouts that are copied by rows.
func TestGemmWidened(t *testing.T) {
	rnd := rand.New(rand.NewPCG(23, 24))
	half := func(m Matrix[float32]) Matrix[dtype.F16] {
		h := Matrix[dtype.F16]{make([]dtype.F16, len(m.Data)), m.Row, m.Col}
		for i, v := range m.Data {
			h.Data[i] = dtype.ToF16(v)
		}
		return h
	}
	for _, s := range [][3]int{{1, 1, 1}, {3, 5, 7}, {16, 33, 64}, {40, 128, 70}} {
		m, n, k := s[0], s[1], s[2]
		for la := range layouts {
			for lb := range layouts {
				a, b := half(randomMatrix[float32](rnd, m, k, la)), half(randomMatrix[float32](rnd, k, n, lb))
				ldc := n + la
				got := make([]dtype.F16, m*ldc)
				if !GemmWidened(m, n, k, a, b, nil, got, ldc) {
					if a.Col == 1 && (b.Col == 1 || b.Row == 1) {
						t.Errorf("%v/%s/%s was not computed", s, layouts[la].name, layouts[lb].name)
					}
					continue
				}
				for at, h := range got {
					i, j := at/ldc, at%ldc
					var want, size float64
					for l := range k {
						if j < n {
							v := float64(a.Data[i*a.Row+l*a.Col].Float32()) * float64(b.Data[l*b.Row+j*b.Col].Float32())
							want, size = want+v, size+math.Abs(v)
						}
					}
					if diff := math.Abs(float64(h.Float32()) - want); !(diff <= float64(k)*0x1p-23*size+0x1p-11*math.Abs(want)) {
						t.Fatalf("%v/%s/%s: C[%d,%d] is %v, want %v", s, layouts[la].name, layouts[lb].name, i, j, h.Float32(), want)
					}
				}
			}
		}
	}
	if GemmWidened(512, 512, 512, half(randomMatrix[float32](rnd, 512, 512, 0)), half(randomMatrix[float32](rnd, 512, 512, 0)), nil, make([]dtype.F16, 512*512), 512) {
		t.Error("copies that no cache holds were not refused")
	}
}
