package kernels_test

import (
	"testing"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/ptx"
)

// TestBytesOnTensorCores: each tile has the exact sums of the largest numbers, beyond its edges and in parts, with their scales and a bias.
func TestBytesOnTensorCores(t *testing.T) {
	slowUnderRace(t)
	for i := range kernels.ByteTiles {
		tile := &kernels.ByteTiles[i]
		for _, s := range []struct{ m, n, k, parts int }{{1, 2, 16, 1}, {67, 131, 144, 1}, {130, 7, 208, 2}, {70, 130, 400, 3}, {40, 262, 912, 1}} {
			dev := &machine{t: t}
			x, w, line := make([]int8, s.m*(s.k+16)), make([]int8, s.n*s.k), s.k+16
			for j := range x {
				x[j] = []int8{127, -127, 126, 1}[j*7%11%4]
			}
			for j := range w {
				w[j] = []int8{-128, 127, -128, 3}[j*5%13%4]
			}
			steps, scales, bias := make([]float64, s.m), make([]float32, s.n), make([]float32, s.n)
			for j := range steps {
				steps[j] = float64(float32(1+j%5) / 127)
			}
			for j := range scales {
				scales[j], bias[j] = 1/float32(3+j%7), float32(j)
			}
			out := make([]float32, s.m*s.n)
			p := kernels.Quantized{
				M: uint64(s.m), N: uint64(s.n), K: uint64(s.k), Line: uint64(line), X: put(dev, x), W: put(dev, w), Out: put(dev, out),
				Steps: put(dev, steps), Scale: put(dev, scales), Bias: put(dev, bias),
			}
			g := kernels.PartBytes(&p, i, uint64(s.parts))
			if p.Parts, p.Part = g.Parts, g.Part; p.Parts > 1 {
				p.Partials, p.Counter = put(dev, make([]int32, s.m*s.n*s.parts)), 1
			}
			kernel := tile.Kernel() + "_" + dtypeNames[dtype.Float32]
			if tile.Mapped {
				launch(dev, kernel, g.Grid, kernels.MappedQuantized{MapX: rowsOfBytes(p.X, p.M, p.K, p.Line), MapW: rowsOfBytes(p.W, p.N, p.K, p.K), Quantized: p})
			} else {
				launch(dev, kernel, g.Grid, p)
			}
			for row := range s.m {
				for column := range s.n {
					sum := 0
					for k := range s.k {
						sum += int(x[row*line+k]) * int(w[column*s.k+k])
					}
					want := float32(float64(sum)*(steps[row]*float64(scales[column]))) + bias[column]
					if got := out[row*s.n+column]; got != want {
						t.Fatalf("%s: row %d, column %d of %+v: got %v, want %v", kernel, row, column, s, got, want)
					}
				}
			}
		}
	}
}

// rowsOfBytes maps rows of int8 in boxes of 64 by 128.
func rowsOfBytes(at, rows, columns, line uint64) kernels.TensorMap {
	m := ptx.TensorMap{Rank: 3, Address: at, Extents: [5]uint64{columns, rows, 1, 1, 1}, Strides: [4]uint64{line, rows * line},
		Box: [5]uint32{128, 64, 1, 1, 1}, Steps: [5]uint32{1, 1, 1, 1, 1}, Swizzle: 3}
	return m.Encode()
}

// TestWhichRowsOfBytesTensorCoresTake: many, and only where copies are aligned and sums of 32 bits hold every product.
func TestWhichRowsOfBytesTensorCoresTake(t *testing.T) {
	const imma, all = 3, 7
	for _, c := range []struct {
		m, n, k uint64
		tiles   uint
		takes   bool
		tile    int
		parts   uint64
	}{
		{4, 28672, 8192, all, false, 0, 0}, {32, 28672, 8192, imma, true, 0, 1}, {64, 8192, 28672, imma, true, 0, 4}, {512, 28672, 8192, imma, true, 1, 1},
		{32, 28672, 8192, all, true, 2, 1}, {64, 8192, 28672, all, true, 2, 2}, {512, 28672, 8192, all, true, 2, 1}, {512, 28672, 8192, 0, false, 0, 0},
		{512, 28672, 8200, all, false, 0, 0}, {512, 28672, 0, all, false, 0, 0}, {512, 1024, 1 << 17, imma, true, 1, 8}, {512, 1024, 1<<17 + 16, all, false, 0, 0},
	} {
		p := kernels.Quantized{M: c.m, N: c.n, K: c.k}
		plan, takes := kernels.PlanBytes(&p, 4, c.tiles, 4096, 132)
		if takes != c.takes || takes && (plan.Parts != c.parts || plan.Tile != c.tile) {
			t.Errorf("[%d %d]·[%d %d] by %b: got %v, %+v, want %v by %d in %d parts", c.m, c.k, c.k, c.n, c.tiles, takes, plan, c.takes, c.tile, c.parts)
		}
	}
}

// TestPartsOfBytesHaveCounters: of clusters whose second tile lies outside that tile has a counter too, so that parts of 65 tiles beside each other take 66.
func TestPartsOfBytesHaveCounters(t *testing.T) {
	for counters, parts := range map[uint64]uint64{66: 2, 65: 1} {
		p := kernels.Quantized{M: 64, N: 65 * 128, K: 28672}
		if plan, takes := kernels.PlanBytes(&p, 4, 1<<2, counters, 132); !takes || plan.Parts != parts {
			t.Errorf("%d counters: got %v, %d parts, want %d", counters, takes, plan.Parts, parts)
		}
	}
}
