package kern

import "cresset/dtype"

// The portable product, for builds and processors without assembly: blocks of A and B are packed into panels, and a
// micro-kernel in Go multiplies a panel of one by a panel of the other.

// blockRows and blockCols bound what is packed at a time: with blockSteps, 2 MiB of float32 for each operand, whatever the
// size of the matrices.
const blockRows, blockCols = 1024, 1024

// runPortable adds A·B to C, multiplied by beta.
func (p *product[T]) runPortable(split splitter) {
	kernel := kernelOf[T]()
	for row := 0; row < p.m; row += blockRows {
		for col := 0; col < p.n; col += blockCols {
			b := block[T]{kernel: kernel, product: *p, row: row, col: col,
				rows: min(blockRows, p.m-row), cols: min(blockCols, p.n-col)}
			b.compute(split)
		}
	}
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

	length := stepsOf(b.k)
	space := newScratch[T]((panelsA*mr + panelsB*nr) * length)
	defer space.release()
	for k := 0; k < b.k; k += length {
		steps := min(length, b.k-k)
		b.packedA = space.data[:panelsA*mr*steps]
		b.packedB = space.data[panelsA*mr*steps:][:panelsB*nr*steps]
		split(panelsA+panelsB, grainOf(8*steps*nr), func(lo, hi int) {
			for i := lo; i < min(hi, panelsA); i++ {
				b.packA(i, k, steps)
			}
			for i := max(lo, panelsA); i < hi; i++ {
				b.packB(i-panelsA, k, steps)
			}
		})
		split(tiles, grainOf(2*steps*min(tileRows, b.rows)*min(tileCols, b.cols)), func(lo, hi int) {
			edge := newScratch[T](mr * nr)
			defer edge.release()
			for i := lo; i < hi; i++ {
				row, col := i/across*tileRows, i%across*tileCols
				rowEnd, colEnd := min(row+tileRows, b.rows), min(col+tileCols, b.cols)
				if k == 0 {
					b.scale(b.row+row, b.row+rowEnd, b.col+col, b.col+colEnd)
				}
				b.multiply(row, rowEnd, col, colEnd, steps, edge.data)
			}
		})
	}
}

// multiply adds the packed products to the part of C between two corners, both
// relative to the block. A panel of B stays in the first cache level while the
// panels of A pass. Edge has space for the tiles that C's edges cut.
func (b *block[T]) multiply(row, rowEnd, col, colEnd, steps int, edge []T) {
	mr, nr := b.kernel.mr, b.kernel.nr
	for j := col; j < colEnd; j += nr {
		panelB := b.packedB[j*steps:][:nr*steps]
		for i := row; i < rowEnd; i += mr {
			panelA := b.packedA[i*steps:][:mr*steps]
			c := b.c[(b.row+i)*b.ldc+b.col+j:]
			if i+mr <= rowEnd && j+nr <= colEnd {
				b.kernel.run(steps, panelA, panelB, c, b.ldc)
				continue
			}
			clear(edge)
			b.kernel.run(steps, panelA, panelB, edge, nr)
			for r := range min(mr, rowEnd-i) {
				for s := range min(nr, colEnd-j) {
					c[r*b.ldc+s] += edge[r*nr+s]
				}
			}
		}
	}
}

// packA copies panel i of the block's rows, for some steps from k on, as
// [steps, mr], multiplied by alpha. Rows beyond the block become zeros: the
// kernel computes whole tiles, and what it makes of them is dropped.
func (b *block[T]) packA(i, k, steps int) {
	mr, a := b.kernel.mr, b.product.a
	dst := b.packedA[i*mr*steps:][:mr*steps]
	packLanes(dst, mr, min(mr, b.rows-i*mr), steps, a.Data[(b.row+i*mr)*a.Row+k*a.Col:], a.Row, a.Col)
	if b.alpha != 1 {
		for i := range dst {
			dst[i] *= b.alpha
		}
	}
}

// packB copies panel j of the block's columns as [steps, nr], as packA does.
func (b *block[T]) packB(j, k, steps int) {
	nr, m := b.kernel.nr, b.product.b
	packLanes(b.packedB[j*nr*steps:][:nr*steps], nr, min(nr, b.cols-j*nr), steps, m.Data[(b.col+j*nr)*m.Col+k*m.Row:], m.Col, m.Row)
}

// packLanes writes dst[k*width+l] = src[l*across+k*along] for lanes l of width and for all steps k, and zeros to other lanes.
func packLanes[T dtype.Float](dst []T, width, lanes, steps int, src []T, across, along int) {
	if lanes < width {
		clear(dst)
	}
	for l := range lanes {
		to, from := dst[l:], src[l*across:]
		for k := range steps {
			to[k*width] = from[k*along]
		}
	}
}

// gemmKernel is a micro-kernel and the shapes that suit it.
type gemmKernel[T dtype.Float] struct {
	mr, nr int // the tile of C that run computes
	// tilePanelsA and tilePanelsB are how many panels a chunk of work multiplies:
	// those of A stay in the first cache level.
	tilePanelsA, tilePanelsB int
	// run adds to C[mr, nr] the product of a panel of A, packed as [k, mr], and
	// one of B, packed as [k, nr]. The k products of an element are added in
	// order, starting from zero, before C is read.
	run func(k int, a, b, c []T, ldc int)
}

var (
	gemm32 = gemmKernel[float32]{2, 4, 16, 16, gemm2x4[float32]}
	gemm64 = gemmKernel[float64]{2, 4, 8, 16, gemm2x4[float64]}
)

func kernelOf[T dtype.Float]() *gemmKernel[T] {
	if k, ok := any(&gemm32).(*gemmKernel[T]); ok {
		return k
	}
	return any(&gemm64).(*gemmKernel[T])
}

// gemm2x4 is
//
//	for i := range 2 {
//		for j := range 4 {
//			var sum T
//			for l := range k {
//				sum += a[l*2+i] * b[l*4+j]
//			}
//			c[i*ldc+j] += sum
//		}
//	}
//
// Eight sums and the factors of one step fill the fifteen registers that Go's
// compiler has on amd64: larger tiles spill, smaller ones load more than they
// multiply. Four steps an iteration hide the cost of the loop.
func gemm2x4[T dtype.Float](k int, a, b, c []T, ldc int) {
	var c00, c01, c02, c03, c10, c11, c12, c13 T
	a, b = a[:2*k], b[:4*k]
	for len(a) >= 8 && len(b) >= 16 {
		x, y := (*[8]T)(a), (*[16]T)(b)

		c00, c10 = c00+T(x[0]*y[0]), c10+T(x[1]*y[0])
		c01, c11 = c01+T(x[0]*y[1]), c11+T(x[1]*y[1])
		c02, c12 = c02+T(x[0]*y[2]), c12+T(x[1]*y[2])
		c03, c13 = c03+T(x[0]*y[3]), c13+T(x[1]*y[3])

		c00, c10 = c00+T(x[2]*y[4]), c10+T(x[3]*y[4])
		c01, c11 = c01+T(x[2]*y[5]), c11+T(x[3]*y[5])
		c02, c12 = c02+T(x[2]*y[6]), c12+T(x[3]*y[6])
		c03, c13 = c03+T(x[2]*y[7]), c13+T(x[3]*y[7])

		c00, c10 = c00+T(x[4]*y[8]), c10+T(x[5]*y[8])
		c01, c11 = c01+T(x[4]*y[9]), c11+T(x[5]*y[9])
		c02, c12 = c02+T(x[4]*y[10]), c12+T(x[5]*y[10])
		c03, c13 = c03+T(x[4]*y[11]), c13+T(x[5]*y[11])

		c00, c10 = c00+T(x[6]*y[12]), c10+T(x[7]*y[12])
		c01, c11 = c01+T(x[6]*y[13]), c11+T(x[7]*y[13])
		c02, c12 = c02+T(x[6]*y[14]), c12+T(x[7]*y[14])
		c03, c13 = c03+T(x[6]*y[15]), c13+T(x[7]*y[15])

		a, b = a[8:], b[16:]
	}
	for len(a) >= 2 && len(b) >= 4 {
		x, y := (*[2]T)(a), (*[4]T)(b)
		c00, c10 = c00+T(x[0]*y[0]), c10+T(x[1]*y[0])
		c01, c11 = c01+T(x[0]*y[1]), c11+T(x[1]*y[1])
		c02, c12 = c02+T(x[0]*y[2]), c12+T(x[1]*y[2])
		c03, c13 = c03+T(x[0]*y[3]), c13+T(x[1]*y[3])
		a, b = a[2:], b[4:]
	}
	r, s := (*[4]T)(c), (*[4]T)(c[ldc:])
	r[0], r[1], r[2], r[3] = r[0]+c00, r[1]+c01, r[2]+c02, r[3]+c03
	s[0], s[1], s[2], s[3] = s[0]+c10, s[1]+c11, s[2]+c12, s[3]+c13
}
