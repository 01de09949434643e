package kern

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/internal/mem"
)

func TestForWithWorkspaces(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 1000} {
		const count = 500
		seen := make([]int, count)
		err := ForWithWorkspaces(count, 3, n, func(lo, hi int, x []int8, y []float64) {
			if len(x) != n || len(y) != n {
				t.Errorf("workspaces of %d and %d elements, want %d", len(x), len(y), n)
			}
			for i := lo; i < hi; i++ {
				for k := range n {
					x[k], y[k] = int8(i), float64(i)
				}
				seen[i]++
				for k := range n {
					if x[k] != int8(i) || y[k] != float64(i) {
						t.Errorf("iteration %d finds %v and %v in its workspace", i, x[k], y[k])
						return
					}
				}
			}
		})
		if err != nil || slices.ContainsFunc(seen, func(n int) bool { return n != 1 }) {
			t.Errorf("%d elements: error %v, visits %v", n, err, seen)
		}
	}
}

func TestRefusedWorkspace(t *testing.T) {
	for _, n := range []int{1 << 50, math.MaxInt} {
		err := ForWithWorkspace(1000, 1, n, func(int, int, []int64) { t.Error("the loop ran") })
		if !errors.Is(err, mem.ErrOutOfMemory) {
			t.Errorf("%d elements: error %v, want out of memory", n, err)
		}
	}
}

// The pieces of a very long row are joined in waves, still in order and each once.
func TestPiecesMeetInOrder(t *testing.T) {
	type stretch struct{ lo, hi int }
	for _, n := range []int{1, piece, piece + 1, wave * piece, wave*piece + 1, 3*wave*piece - 5} {
		got := inPieces(n, func(lo, hi int) stretch { return stretch{lo, hi} }, func(a, b stretch) stretch {
			if a.hi != b.lo {
				t.Fatalf("n = %d: [%d, %d) meets [%d, %d)", n, a.lo, a.hi, b.lo, b.hi)
			}
			return stretch{a.lo, b.hi}
		})
		if (got != stretch{0, n}) {
			t.Errorf("n = %d: pieces cover %v", n, got)
		}
	}
}

// A strided vector is packed in parts, which change no bit.
func TestStridedVectorKeepsBits(t *testing.T) {
	const m, k, step = 5, 2*64*blockSteps + 777, 3
	rnd := rand.New(rand.NewPCG(1, 2))
	a, strided, x := fill(rnd, make([]float32, m*k)), fill(rnd, make([]float32, k*step)), make([]float32, k)
	for i := range x {
		x[i] = strided[i*step]
	}
	got, want := make([]float32, m), make([]float32, m)
	Gemm(m, 1, k, 1, Matrix[float32]{a, k, 1}, Matrix[float32]{strided, step, 1}, 0, got, 1)
	Gemm(m, 1, k, 1, Matrix[float32]{a, k, 1}, Matrix[float32]{x, 1, 1}, 0, want, 1)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Windows beyond the table are computed, with the same result.
func TestWideAdaptivePool(t *testing.T) {
	s := PoolShape{Planes: 1, H: 1, W: 3, OH: 1, OW: 3 * tabled}
	y, dx := make([]float64, s.OW), make([]float64, 3)
	AdaptiveAvgPool2D(&s, []float64{1, 2, 3}, y)
	for i, v := range y {
		if want := float64(1 + i/tabled); v != want {
			t.Fatalf("y[%d] = %v, want %v", i, v, want)
		}
	}
	AdaptiveAvgPool2DBackward(&s, y, dx)
	if want := []float64{tabled, 2 * tabled, 3 * tabled}; !slices.Equal(dx, want) {
		t.Errorf("dx = %v, want %v", dx, want)
	}
}
