package ptx

import (
	"math"
	"testing"
)

func TestMatrixProducts(t *testing.T) {
	for _, s := range [][3]int{{64, 64, 16}, {70, 65, 33}, {1, 3, 5}, {128, 64, 40}} {
		m, n, k := s[0], s[1], s[2]
		a, b := numbers(m*k), numbers(k*n)
		a64, b64 := make([]float64, len(a)), make([]float64, len(b))
		for i := range a {
			a64[i] = float64(a[i])
		}
		for i := range b {
			b64[i] = float64(b[i])
		}
		var h heap
		c32, c64 := put(&h, make([]float32, m*n)), put(&h, make([]float64, m*n))
		A, B, A64, B64 := put(&h, a), put(&h, b), put(&h, a64), put(&h, b64)
		grid := [3]uint32{uint32(n+63) / 64, uint32(m+63) / 64, 1}
		product(t, &h, "gemm_f32", grid, c32, A, B, uint32(m), uint32(n), uint32(k))
		product(t, &h, "gemm_f64", grid, c64, A64, B64, uint32(m), uint32(n), uint32(k))
		got32, got64 := get[float32](&h, c32), get[float64](&h, c64)
		for i := range m * n {
			// The kernel's order of sums is the plain one, so the bits agree.
			var w32 float32
			var w64 float64
			for q := range k {
				x, y := a[i/n*k+q], b[q*n+i%n]
				w32 = fma32(x, y, w32)
				w64 = math.FMA(float64(x), float64(y), w64)
			}
			if got32[i] != w32 || got64[i] != w64 {
				t.Fatalf("%v, element %d: got %g and %g, want %g and %g", s, i, got32[i], got64[i], w32, w64)
			}
		}
	}
}

func product(t *testing.T, h *heap, kernel string, grid [3]uint32, args ...any) {
	t.Helper()
	k := load(t, "gemm").Kernels[kernel]
	_, err := Launch(k, LaunchConfig{Grid: grid, Block: [3]uint32{256, 1, 1}, Params: pack(k, args...), Memory: h})
	if err != nil {
		t.Fatal(err)
	}
}

func BenchmarkGemm256(b *testing.B) {
	benchmark(b, "gemm", "gemm_f32", [3]uint32{4, 4, 1}, 256, func(h *heap) []any {
		x := numbers(256 * 256)
		return []any{put(h, make([]float32, len(x))), put(h, x), put(h, x), uint32(256), uint32(256), uint32(256)}
	})
}

// fma32 is fmaF32 for one lane.
func fma32(a, b, c float32) float32 {
	p, q := float64(a)*float64(b), float64(c)
	if s := float64(p + q); !twice(s) {
		return float32(s)
	}
	return float32(addToOdd(p, q))
}
