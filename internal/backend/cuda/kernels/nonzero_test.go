package kernels_test

import (
	"testing"

	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/kern"
)

func TestNonZero(t *testing.T) {
	for _, shape := range [][]int{{5}, {3, 7, 2}, {41, 150}} {
		n := 1
		p := kernels.NonZero{Rank: uint32(len(shape))}
		for i, extent := range shape {
			n *= extent
			p.Extents[i] = uint64(extent)
		}
		mask, count := make([]bool, n), 0
		for i := range mask {
			if mask[i] = i*i%7 < 3 && i/1000 != 2; mask[i] {
				count++
			}
		}
		got, want := make([]int64, count*len(shape)), make([]int64, count*len(shape))
		kern.NonZero(want, mask, shape)
		m := &machine{t: t}
		g, chunk := kernels.NonZeroGrid(uint64(n))
		p.N, p.Chunk = uint64(n), chunk
		p.In, p.Counts, p.Out = put(m, mask), put(m, make([]uint64, g.Blocks[0])), put(m, got)
		launch(m, "nonzero_count_bool", g, p)
		launch(m, "nonzero_bool", g, p)
		compare(t, "nonzero", got, want)
	}
}
