package kernels_test

import (
	"testing"

	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/ptx"
)

// TestMemoryBehaviour holds kernels to how well they use memory: a warp's request for 32 neighbouring float32 touches 4
// sectors of 32 bytes, one for as many vectors of 16 bytes 16, and its shared requests want no bank twice, or seldom.
func TestMemoryBehaviour(t *testing.T) {
	const n = 128
	square := [3]int64{0, n, 1}
	turned := [3]int64{0, 1, n}
	operands := func(m *machine) (out, a, b uint64) {
		return put(m, make([]float32, n*n)), put(m, waves(n*n)), put(m, waves(n*n))
	}
	product := func(kernel string, aStrides, bStrides [3]int64) func(m *machine) ptx.Counters {
		return func(m *machine) ptx.Counters {
			out, a, b := operands(m)
			p := kernels.Product{Count: 1, M: n, N: n, K: n, Out: out, A: a, B: b, OutStrides: square, AStrides: aStrides,
				BStrides: bStrides, Alpha: 1, Parts: 1, Part: n}
			return launch(m, kernel, kernels.Grid{Blocks: [3]uint32{1, 1, 1}, Threads: [3]uint32{256, 1, 1}}, p)
		}
	}
	transpose := func(kernel string, grid kernels.Grid, bytes int) func(m *machine) ptx.Counters {
		return func(m *machine) ptx.Counters {
			return launch(m, kernel, grid, kernels.Elementwise{N: n * n, Out: put(m, make([]byte, n*n*bytes)), In: [3]uint64{put(m, make([]byte, n*n*bytes))},
				Rank: 2, Extents: [8]uint32{n, n}, Strides: [4][8]int64{{1, n}, {n, 1}}})
		}
	}
	elements, _ := kernels.TransposeGrid(n, n, 1)
	vectors := func(bytes uint64) kernels.Grid {
		g, _ := kernels.TransposeVectorsGrid(n, n, 1, bytes)
		return g
	}
	for _, c := range []struct {
		name      string
		run       func(m *machine) ptx.Counters
		sectors   float64 // most for a global request
		conflicts float64 // most for a shared request
	}{
		{"add", func(m *machine) ptx.Counters {
			out, a, b := operands(m)
			return launch(m, "add_f32", kernels.Flat(n*n, few), kernels.Elementwise{N: n * n, Out: out, In: [3]uint64{a, b}})
		}, 4, 0},
		{"add of vectors", func(m *machine) ptx.Counters {
			out, a, b := operands(m)
			return launch(m, "add_f32", kernels.VectorGrid(n*n/4, few), kernels.Elementwise{N: n * n, Out: out, In: [3]uint64{a, b}, Lanes: 4})
		}, 16, 0},
		{"add of a row", func(m *machine) ptx.Counters {
			out, a, b := operands(m)
			return launch(m, "add_f32", kernels.VectorGrid(n*n/4, few), kernels.Elementwise{N: n * n, Out: out, In: [3]uint64{a, b}, Lanes: 4,
				Rank: 2, Extents: [8]uint32{n, n}, Strides: [4][8]int64{{1, n}, {1, n}, {1, 0}}})
		}, 16, 0},
		{"sum of rows", func(m *machine) ptx.Counters {
			out, a, _ := operands(m)
			g, _ := kernels.RowGrid(n, n)
			return launch(m, "sum_f32", g, kernels.Reduction{Outer: n, N: n, Inner: 1, Parts: 1, In: a, Out: out, Strides: [3]int64{n, 1, 1}})
		}, 16, 0},
		{"sum of columns", func(m *machine) ptx.Counters {
			out, a, _ := operands(m)
			g, _ := kernels.ColumnGrid(n, 1)
			return launch(m, "sum_columns_f32", g, kernels.Reduction{Outer: 1, N: n, Inner: n, Parts: 1, In: a, Out: out, Strides: [3]int64{0, n, 1}})
		}, 4, 0},
		{"softmax", func(m *machine) ptx.Counters {
			out, a, _ := operands(m)
			g, _ := kernels.HeldGrid(n, n)
			return launch(m, "softmax_f32", g, kernels.Softmax{Outer: n, N: n, Inner: 1, Out: out, In: a})
		}, 16, 0},
		{"transpose of halves", transpose("transpose_b16", elements, 2), 2, 0},
		{"transpose of vectors of bytes", transpose("transpose_vectors_b8", vectors(1), 1), 16, 0},
		{"transpose of vectors of halves", transpose("transpose_vectors_b16", vectors(2), 2), 16, 0},
		{"transpose of vectors of words", transpose("transpose_vectors_b32", vectors(4), 4), 16, 0},
		{"transpose of vectors of 64 bits", transpose("transpose_vectors_b64", vectors(8), 8), 16, 0},
		{"product", product("product_128x128_kn_f32", square, square), 8, 0.3},
		{"product of transposes", product("product_128x128_mk_f32", turned, turned), 8, 0.3},
	} {
		m := &machine{t: t, profile: true}
		got := c.run(m)
		sectors := float64(got.GlobalSectors) / float64(got.GlobalRequests)
		conflicts := float64(got.BankConflicts) / max(float64(got.SharedRequests), 1)
		t.Logf("%s: %.2f sectors for a global request, %.2f conflicts for a shared one", c.name, sectors, conflicts)
		if sectors > c.sectors || conflicts > c.conflicts {
			t.Errorf("%s: %.2f sectors for a global request, want at most %v; %.2f conflicts for a shared one, want at most %v",
				c.name, sectors, c.sectors, conflicts, c.conflicts)
		}
	}
}
