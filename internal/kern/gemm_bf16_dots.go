package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// maxPairDotRows bounds the rows of A for which reading B where it is costs less than packing it: dot products run at 180 GFLOP/s with 8 rows on Zen 4, packed ones at 199 with
// 64, of which packing takes the more the fewer there are.
const maxPairDotRows = 48

// takesPairDots reports whether GemmBF16 computes the product by dot products of pairs, which need no packing, given how far steps of k are apart in A and B:
// linear_bf16/8x1024x1024 takes a third of the time so on Zen 4.
func takesPairDots(m, n, k, stepA, stepB int) bool {
	return vec.HasPairs() && !vec.SlowPairs() && m > 1 && m <= maxPairDotRows && n > 0 && stepA == 1 && stepB == 1 &&
		k%2 == 0 && k >= minDotSteps && k <= 2*maxPairs
}

// pairDots is such a product. B is read once: a few columns are multiplied by all rows of A while they are in the first cache level.
type pairDots struct {
	thin[dtype.BF16]
	rows Matrix[dtype.BF16] // A
}

func (d *pairDots) run() {
	part := min(ceilDiv(ceilDiv(d.n, 2*par.NumThreads()), vec.PairDotCols)*vec.PairDotCols, maxScratch/maxPairDotRows)
	par.For(ceilDiv(d.n, part), grainOf(2*d.m*d.k*part), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			d.columns(i*part, min((i+1)*part, d.n))
		}
	})
}

// columns computes some columns of C.
func (d *pairDots) columns(col, colEnd int) {
	cols := colEnd - col
	sums := newScratch[float32](d.m * cols)
	defer sums.release()
	tiles := tileGroups(0, d.m, vec.PairDotRows)
	t := vec.PairDots{K: d.k, RowA: d.rows.Row, RowB: d.b.Col, RowC: cols}
	for j := 0; j < cols; j += vec.PairDotCols {
		t.Cols, t.B = min(vec.PairDotCols, cols-j), d.b.Data[(col+j)*d.b.Col:]
		for _, g := range tiles {
			if g.tiles > 0 {
				t.Rows, t.Count, t.Step = g.height, g.tiles, vec.Steps{A: g.height * t.RowA, C: g.height * cols}
				t.A, t.C = d.rows.Data[g.row*t.RowA:], sums.data[g.row*cols+j:]
				t.Run()
			}
		}
	}
	d.finish(sums.data, col, cols)
}
