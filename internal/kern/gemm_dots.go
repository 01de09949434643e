package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

const (
	// maxDotRows bounds the rows of A, and dotRowSteps is the least number of steps of k for each of them: beyond that, packing
	// B costs less than adding up the lanes of all sums. Measured.
	maxDotRows, dotRowSteps = 48, 20
	// minDotSteps is the least k of a dot product: shorter ones gain nothing, and add in order whatever the layout.
	minDotSteps = 64
	// dotSteps bounds the products that are summed before they are added to C.
	dotSteps = 1 << 13
	// maxDotElems bounds the elements of B that one call reads.
	maxDotElems = 1 << 16
)

// runDots computes a product of few rows of A with contiguous columns of B, as in a Linear layer with a small batch, by dot
// products, and reports whether it did. A tile's sums are vectors along k, whose lanes are added at the end: B is read
// where it is, once: linear/1x1024x1024 takes a quarter of the time so, linear/32x1024x1024 two thirds.
func (p *product[T]) runDots(split splitter) bool {
	if !p.dots() {
		return false
	}
	if p.beta != 0 && p.beta != 1 && p.bias == nil {
		p.scale(0, p.m, 0, p.n)
	}
	d := dots[T]{product: *p, height: ceilDiv(p.m, ceilDiv(p.m, vec.DotRows()))}
	d.width = vec.DotCols(d.height)
	if groups, grain := ceilDiv(p.n, d.width), ceilDiv(minPieceFlops, 2*p.m*p.k*d.width); groups >= 2*grain {
		d.share(split, groups, grain)
		return true
	}
	d.columns(0, p.n)
	return true
}

// dots reports whether runDots is for the product.
func (p *product[T]) dots() bool {
	thin := p.m == 1 || p.a.Col == 1 && p.m <= min(maxDotRows, p.k/dotRowSteps)
	return p.alpha == 1 && p.b.Row == 1 && p.k >= minDotSteps && thin
}

// dots is a product by dot products.
type dots[T dtype.Float] struct {
	product[T]
	height, width int // of a tile
}

// share divides groups of columns among threads. It is a function of its own because what its closure captures is allocated.
func (d *dots[T]) share(split splitter, groups, grain int) {
	shared := *d
	split(groups, grain, func(lo, hi int) { shared.columns(lo*shared.width, min(hi*shared.width, shared.n)) })
}

// columns computes some columns of C.
func (d *dots[T]) columns(col, colEnd int) {
	var packed []T
	if d.a.Col != 1 {
		space := newScratch[T](min(dotSteps, d.k))
		defer space.release()
		packed = space.data
	}
	tiles := tileGroups(0, d.m, d.height)
	t := vec.Tile[T]{RowA: d.a.Row, RowB: d.b.Col, RowC: d.ldc}
	for k := 0; k < d.k; k += dotSteps {
		t.K = min(dotSteps, d.k-k)
		a := d.a.Data[k*d.a.Col:]
		if packed != nil {
			for l := range t.K {
				packed[l] = a[l*d.a.Col]
			}
			a = packed
		}
		beside := 1 // tiles side by side in one call
		if d.m <= d.height {
			beside = max(1, maxDotElems/(d.width*t.K))
		}
		for j := col; j < colEnd; {
			t.Cols, t.B = min(d.width, colEnd-j), d.b.Data[j*d.b.Col+k:]
			count := max(1, min(beside, (colEnd-j)/d.width))
			for _, g := range tiles {
				if g.tiles > 0 {
					t.A = a[g.row*d.a.Row:]
					d.multiply(&t, g, count, j, k)
				}
			}
			j += count * d.width
		}
	}
	epilogue(d.then, d.c[col:], d.m, colEnd-col, d.ldc)
}

// multiply computes a group of tiles from column j on, or as many tiles side by side as count says.
func (d *dots[T]) multiply(t *vec.Tile[T], g tileGroup, count, j, k int) {
	t.Rows, t.C = g.height, d.c[g.row*d.ldc+j:]
	t.From, t.RowFrom = d.from(t.C, g.row, j, k)
	t.Count, t.Step = g.tiles, vec.Steps{A: g.height * d.a.Row, C: g.height * d.ldc, From: g.height * t.RowFrom}
	if count > 1 {
		t.Count, t.Step = count, vec.Steps{B: d.width * d.b.Col, C: d.width, From: d.width}
	}
	t.RunDot()
}
