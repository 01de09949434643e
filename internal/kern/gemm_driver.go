package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
)

const (
	// maxRun bounds the products that are summed before C is touched: a run of
	// some rows of A and a panel of B stay in the caches of a core.
	maxRun = 512
	// blockRows and blockCols bound what is packed at a time: with maxRun, 1 MiB
	// of float32 for each operand, whatever the size of the matrices.
	blockRows, blockCols = 1024, 1024
	// maxDirect bounds m*n*k of products that are cheaper without packing.
	maxDirect = 1 << 9
)

// product is one call of Gemm.
type product[T dtype.Float] struct {
	m, n, k int
	alpha   T
	a, b    Matrix[T]
	beta    T
	bias    []T   // what every row of C starts from instead of beta*C, unless nil
	then    op.Op // what is applied to C in the end
	c       []T
	ldc     int
}

// runLength returns how many products are summed from zero before they are added
// to C. Every path below uses it, which makes their results equal bit for bit.
func runLength(k int) int { return ceilDiv(k, max(ceilDiv(k, maxRun), 1)) }

func (p *product[T]) run(split splitter) {
	if p.m == 0 || p.n == 0 {
		return
	}
	tiled := p.k > 0 && p.alpha != 0 && vec.TileRows() > 0
	if p.bias != nil && !tiled {
		for i := range p.m {
			copy(p.c[i*p.ldc:][:p.n], p.bias)
		}
		p.beta = 1
	}
	if tiled {
		p.runTiles(split)
		return
	}
	p.runGeneral(split)
	follow(p.then, p.c, p.m, p.n, p.ldc)
}

// runGeneral computes what tiles do not.
func (p *product[T]) runGeneral(split splitter) {
	if p.k == 0 || p.alpha == 0 {
		p.scale(0, p.m, 0, p.n)
		return
	}
	if p.alpha == 1 && p.runDirect(split) {
		return
	}
	kernel := kernelOf[T]()
	for row := 0; row < p.m; row += blockRows {
		for col := 0; col < p.n; col += blockCols {
			b := block[T]{kernel: kernel, product: *p, row: row, col: col,
				rows: min(blockRows, p.m-row), cols: min(blockCols, p.n-col)}
			b.compute(split)
		}
	}
}

// runDirect computes small products and products with a vector, for which packing
// costs more than it gains, and reports whether it did.
func (p *product[T]) runDirect(split splitter) bool {
	switch {
	case p.n == 1 && (p.a.Row == 1 || p.a.Col == 1):
		p.scale(0, p.m, 0, 1)
		gemv(split, p.m, p.k, p.a, p.b.Data, p.b.Row, p.c, p.ldc)
	case p.m == 1 && (p.b.Row == 1 || p.b.Col == 1):
		p.scale(0, 1, 0, p.n)
		gemv(split, p.n, p.k, p.b.Transposed(), p.a.Data, p.a.Col, p.c, 1)
	case p.k <= maxRun && p.m*p.n*p.k <= maxDirect:
		p.scale(0, p.m, 0, p.n)
		p.dots()
	default:
		return false
	}
	return true
}

// scale multiplies a part of C by beta.
func (p *product[T]) scale(row, rowEnd, col, colEnd int) {
	if p.beta == 1 {
		return
	}
	for i := row; i < rowEnd; i++ {
		c := p.c[i*p.ldc+col : i*p.ldc+colEnd]
		if p.beta == 0 {
			clear(c)
			continue
		}
		for j := range c {
			c[j] *= p.beta
		}
	}
}

// dots adds A·B to C, one element after the other.
func (p *product[T]) dots() {
	for i := range p.m {
		for j := range p.n {
			var sum T
			x, y := i*p.a.Row, j*p.b.Col
			for range p.k {
				sum += T(p.a.Data[x] * p.b.Data[y])
				x += p.a.Col
				y += p.b.Row
			}
			p.c[i*p.ldc+j] += sum
		}
	}
}

// from returns what a tile of C starts from, at a column and a step of k; C has been multiplied by beta.
func (p *product[T]) from(c []T, col, k int) (from []T, row int) {
	switch {
	case k > 0:
		return c, p.ldc
	case p.bias != nil:
		return p.bias[col:], 0
	case p.beta != 0:
		return c, p.ldc
	}
	return nil, 0
}

// block is the part of a product whose operands are packed together.
type block[T dtype.Float] struct {
	product[T]
	kernel           *gemmKernel[T]
	row, col         int // where it starts in C
	rows, cols       int
	packedA, packedB []T // panels of kernel.mr rows, of kernel.nr columns
}

func (b *block[T]) compute(split splitter) {
	mr, nr := b.kernel.mr, b.kernel.nr
	panelsA, panelsB := ceilDiv(b.rows, mr), ceilDiv(b.cols, nr)
	tileRows, tileCols := b.kernel.tilePanelsA*mr, b.kernel.tilePanelsB*nr
	across := ceilDiv(b.cols, tileCols)
	tiles := ceilDiv(b.rows, tileRows) * across

	length := runLength(b.k)
	space := borrow[T]((panelsA*mr + panelsB*nr) * length)
	defer space.giveBack()
	for k := 0; k < b.k; k += length {
		run := min(length, b.k-k)
		b.packedA = space.data[:panelsA*mr*run]
		b.packedB = space.data[panelsA*mr*run:][:panelsB*nr*run]
		split(panelsA+panelsB, grainOf(8*run*nr), func(lo, hi int) {
			for i := lo; i < min(hi, panelsA); i++ {
				b.packA(i, k, run)
			}
			for i := max(lo, panelsA); i < hi; i++ {
				b.packB(i-panelsA, k, run)
			}
		})
		split(tiles, grainOf(2*run*min(tileRows, b.rows)*min(tileCols, b.cols)), func(lo, hi int) {
			edge := borrow[T](mr * nr)
			defer edge.giveBack()
			for i := lo; i < hi; i++ {
				row, col := i/across*tileRows, i%across*tileCols
				rowEnd, colEnd := min(row+tileRows, b.rows), min(col+tileCols, b.cols)
				if k == 0 {
					b.scale(b.row+row, b.row+rowEnd, b.col+col, b.col+colEnd)
				}
				b.multiply(row, rowEnd, col, colEnd, run, edge.data)
			}
		})
	}
}

// multiply adds the packed products to the tile of C between two corners, both
// relative to the block. A panel of B stays in the first cache level while the
// panels of A pass.
func (b *block[T]) multiply(row, rowEnd, col, colEnd, run int, edge []T) {
	mr, nr := b.kernel.mr, b.kernel.nr
	for j := col; j < colEnd; j += nr {
		panelB := b.packedB[j*run:][:nr*run]
		for i := row; i < rowEnd; i += mr {
			panelA := b.packedA[i*run:][:mr*run]
			c := b.c[(b.row+i)*b.ldc+b.col+j:]
			if i+mr <= rowEnd && j+nr <= colEnd {
				b.kernel.run(run, panelA, panelB, c, b.ldc)
				continue
			}
			clear(edge)
			b.kernel.run(run, panelA, panelB, edge, nr)
			for r := range min(mr, rowEnd-i) {
				for s := range min(nr, colEnd-j) {
					c[r*b.ldc+s] += edge[r*nr+s]
				}
			}
		}
	}
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
