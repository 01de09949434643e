package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

const (
	// maxDotRows bounds the rows of an A that is multiplied with columns of B where they lie, and dotRowSteps is how many
	// steps of k each of them takes: beyond that, packing B costs less than adding up the lanes of all sums. Measured.
	maxDotRows, dotRowSteps = 48, 20
	// minDotSteps is the least k of a dot product: shorter ones gain nothing, and add in order whatever the layout.
	minDotSteps = 64
	// dotSteps is how many products are summed between two sights of C.
	dotSteps = 1 << 13
)

// runDots computes a product of few rows with columns, whose elements' products are added in lanes, and reports whether
// it is one.
func (p *product[T]) runDots(split splitter) bool {
	thin := p.m == 1 || p.a.Col == 1 && p.m <= min(maxDotRows, p.k/dotRowSteps)
	if p.alpha != 1 || p.b.Row != 1 || p.k < minDotSteps || !thin {
		return false
	}
	if p.beta != 0 && p.beta != 1 && p.bias == nil {
		p.scale(0, p.m, 0, p.n)
	}
	d := dots[T]{product: *p, height: ceilDiv(p.m, ceilDiv(p.m, vec.DotRows()))}
	d.width = vec.DotCols(d.height)
	if groups, grain := ceilDiv(p.n, d.width), ceilDiv(minTiled, 2*p.m*p.k*d.width); groups >= 2*grain {
		d.share(split, groups, grain)
		return true
	}
	d.columns(0, p.n)
	return true
}

// dots is a product by dot products.
type dots[T dtype.Float] struct {
	product[T]
	height, width int // of a tile
}

// share computes groups of columns beside each other. It is on its own because what its closure captures is allocated.
func (d *dots[T]) share(split splitter, groups, grain int) {
	shared := *d
	split(groups, grain, func(lo, hi int) { shared.columns(lo*shared.width, min(hi*shared.width, shared.n)) })
}

// columns computes some columns of C.
func (d *dots[T]) columns(col, colEnd int) {
	var packed []T
	if d.a.Col != 1 {
		space := borrow[T](min(dotSteps, d.k))
		defer space.giveBack()
		packed = space.data
	}
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
		for j := col; j < colEnd; j += d.width {
			t.Cols, t.B = min(d.width, colEnd-j), d.b.Data[j*d.b.Col+k:]
			for i := 0; i < d.m; i += d.height {
				t.Rows, t.A, t.C = min(d.height, d.m-i), a[i*d.a.Row:], d.c[i*d.ldc+j:]
				t.From, t.RowFrom = d.from(t.C, j, k)
				t.RunDot()
			}
		}
	}
}
