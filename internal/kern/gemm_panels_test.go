package kern

import (
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
	"cresset/internal/op"
)

// TestGemmPanelsKeepsBits compares products by panels, on every level and between pages that must not be touched, with those that pack B
// themselves.
func TestGemmPanelsKeepsBits(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rnd := rand.New(rand.NewPCG(1, 2))
		for _, s := range []struct{ m, n, k int }{{1, 5, 7}, {3, 33, 70}, {13, 64, 64}, {16, 1100, 3}, {64, 130, 256}, {120, 17, 1100}, {64, 40, 2100}} {
			for layout := range 4 {
				panelsKeepBits[float32](t, rnd, s.m, s.n, s.k, layout)
				panelsKeepBits[float64](t, rnd, s.m, s.n, s.k, layout)
			}
		}
	})
}

func panelsKeepBits[T dtype.Float](t *testing.T, rnd *rand.Rand, m, n, k, layout int) {
	t.Helper()
	a, b := guard(t, randomMatrix[T](rnd, m, k, layout&1), true), guard(t, randomMatrix[T](rnd, k, n, layout>>1), true)
	size := PanelsLen(m, n, k, a, b)
	if size == 0 {
		return
	}
	panels := guarded.Slice[T](t, size, true)
	Pack(panels, n, k, b)
	bias := guard(t, randomMatrix[T](rnd, m, n, 0), true).Data
	want, got := make([]T, m*n), guarded.Slice[T](t, m*n, true)
	GemmBias(m, n, k, a, b, bias, n, op.ReLU, want, n)
	GemmPanels(m, n, k, a, panels, bias, n, op.ReLU, got, n)
	if !slices.Equal(got, want) {
		t.Errorf("%T: [%d, %d]·[%d, %d], layout %d: the sum differs", got[0], m, k, k, n, layout)
	}
	Gemm(m, n, k, 1, a, b, 0, want, n)
	GemmPanels(m, n, k, a, panels, nil, 0, op.Invalid, got, n)
	if !slices.Equal(got, want) {
		t.Errorf("%T: [%d, %d]·[%d, %d], layout %d: the product differs", got[0], m, k, k, n, layout)
	}
}
