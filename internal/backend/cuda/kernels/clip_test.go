package kernels_test

import (
	"math"
	"testing"

	"cresset/internal/backend/cuda/kernels"
)

// TestNormsAndClippingOfMany: three blocks share the chunks of three gradients, one of them without elements, twice with the same counter.
func TestNormsAndClippingOfMany(t *testing.T) {
	m := &machine{t: t}
	norms, sums, total := make([]float64, 3), make([]float64, 5), []float64{4}
	var list, ends []kernels.Chunk
	var grads, clipped [][]float32
	want := make([]float64, 3)
	atNorms := put(m, norms)
	for i, n := range []uint64{700, 0, 33} {
		g := waves(n)
		at, parts := put(m, g), uint64(0)
		for from := uint64(0); from < n; from += 256 {
			list = append(list, kernels.Chunk{N: min(256, n-from), P: at + 4*from, Grad: at + 4*from})
			parts++
		}
		ends = append(ends, kernels.Chunk{N: parts, P: atNorms + 8*uint64(i), State: [3]uint64{uint64(len(list)) - parts}})
		product := make([]float32, n)
		for k, v := range g {
			want[i] += float64(v) * float64(v)
			product[k] = v * float32(1/(4+1e-6))
		}
		want[i] = float64(float32(math.Sqrt(want[i])))
		grads, clipped = append(grads, g), append(clipped, product)
	}
	chunks, grid := uint64(len(list)), kernels.ChunkGrid(3)
	p := kernels.GradNorm{List: put(m, append(list, ends...)), Count: chunks, Gradients: 3, Sums: put(m, sums), Counter: 5}
	for range 2 {
		clear(norms)
		launch(m, "grad_norm_f32", grid, p)
		compareNearly(t, "grad_norm", norms, want, 1e-7)
	}
	clip := kernels.ClipGrad{List: p.List, Count: chunks, Norm: put(m, total), Most: 5}
	launch(m, "clip_grad_f32", grid, clip) // short enough
	compare(t, "clip_grad of a short gradient", grads[2], waves(33))
	clip.Most = 1
	launch(m, "clip_grad_f32", grid, clip)
	for i := range grads {
		compare(t, "clip_grad", grads[i], clipped[i])
	}
}
