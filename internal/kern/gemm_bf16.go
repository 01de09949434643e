package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

const (
	pairCols               = 32             // columns of a tile
	minPairs, maxPairs     = 32, 1 << 13    // steps of two that pay for packing, and that one call of a tile may take
	pairRows, pairPieceCol = 8 * 14, 1 << 8 // of a piece of work
	slowPairRows           = 96             // up to which the conversion of B to float32 takes longer than slow products of pairs
)

const oneBF16 dtype.BF16 = 0x3f80

// GemmBF16 computes C = A·B, where A is [m, k], B is [k, n] and C is [m, n] with rows ldc elements apart, and reports
// whether it did: it needs instructions that not every machine has, and an even, moderate k. Products are added in
// float32, where numbers below 2**-126 count as zero. The bits depend on k, and on whether there are few rows, alone. mm_bf16/1024 takes half the time of mm/1024 so
// on Zen 5. A bias, where it is not nil, has n elements and
// enters each row before the sums are rounded: as products with one, by a step of its own.
func GemmBF16(m, n, k int, a, b Matrix[dtype.BF16], bias, c []dtype.BF16, ldc int) bool {
	if takesAMX(m, n, k) {
		p := amxProduct[dtype.BF16]{m: m, n: n, k: k, a: a, b: b, c: c, ldc: ldc}
		if bias != nil {
			space := newScratch[float32](ceilDiv(n, vec.AMXCols) * vec.AMXCols)
			defer space.release()
			widen(space.data[:n], bias)
			p.start = space.data
		}
		p.turn()
		p.run(par.For)
		return true
	}
	if takesPairDots(m, n, k, a.Col, b.Row) {
		d := pairDots{thin[dtype.BF16]{m: m, n: n, k: k, b: b, bias: bias, c: c, ldc: ldc}, a}
		d.run()
		return true
	}
	if !vec.HasPairs() || vec.SlowPairs() && m > slowPairRows || k%2 != 0 || k/2 < minPairs || k/2 > maxPairs || n < pairCols/2 || m == 0 {
		return false
	}
	g := gemmPairs{m: m, n: n, pairs: k / 2, steps: k / 2, a: a, b: b, bias: bias, c: c, ldc: ldc, height: ceilDiv(m, ceilDiv(m, vec.TileRows()))}
	if bias != nil {
		g.steps++
	}
	g.inPlace = bias == nil && a.Col == 1 && n < minPackCols // bmm_bf16/64x128x64x128 takes a tenth less time so
	width := min(packCols, maxScratch/g.steps/pairCols*pairCols, ceilDiv(n, pairCols)*pairCols)
	space := newScratch[float32](width * g.steps)
	defer space.release()
	g.packedB = space.data
	for g.col = 0; g.col < n; g.col += width {
		g.colEnd = min(g.col+width, n)
		g.compute()
	}
	return true
}

// gemmPairs is a product of bfloat16, of which some columns are computed together.
type gemmPairs struct {
	m, n        int
	pairs       int // of steps along k
	steps       int // those, and one for the bias
	a, b        Matrix[dtype.BF16]
	bias, c     []dtype.BF16
	ldc         int
	col, colEnd int
	packedB     []float32 // panels of pairCols columns, each [steps, pairCols]
	height      int       // of a tile
	inPlace     bool      // rows of A are read where they are
}

func (g *gemmPairs) compute() {
	panel := g.steps * pairCols
	par.For(ceilDiv(g.colEnd-g.col, pairCols), grainOf(8*panel), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			col := g.col + i*pairCols
			cols, to := min(pairCols, g.colEnd-col), g.packedB[i*panel:][:panel]
			packPairs(to, pairCols, Matrix[dtype.BF16]{g.b.Data[col*g.b.Col:], g.b.Row, g.b.Col}, g.pairs, cols)
			if g.bias != nil {
				for j, v := range g.bias[col:][:cols] {
					to[g.pairs*pairCols+j] = math.Float32frombits(uint32(v)) // and a zero
				}
			}
		}
	})
	rows := ceilDiv(min(pairRows, ceilDiv(g.m, 2*par.NumThreads())), g.height) * g.height // two pieces for each thread, or more
	across := ceilDiv(g.colEnd-g.col, pairPieceCol)
	flops := 4 * g.steps * min(rows, g.m) * min(pairPieceCol, g.n)
	par.For(ceilDiv(g.m, rows)*across, max(1, minPieceFlops/flops), func(lo, hi int) {
		var packedA []float32
		if !g.inPlace {
			space := newScratch[float32](min(rows, g.m)*g.steps + pairCols)
			defer space.release()
			packedA = space.data
		}
		packed := -1
		for i := lo; i < hi; i++ {
			row, col := i/across*rows, g.col+i%across*pairPieceCol
			rowEnd := min(row+rows, g.m)
			if packed != row && !g.inPlace {
				g.packA(packedA, row, rowEnd)
				packed = row
			}
			g.piece(packedA, row, rowEnd, col, min(col+pairPieceCol, g.colEnd))
		}
	})
}

// packA copies rows of A, tile after tile, each as [steps, rows].
func (g *gemmPairs) packA(dst []float32, row, rowEnd int) {
	for _, s := range tileGroups(row, rowEnd, g.height) {
		for i := s.row; i < s.row+s.tiles*s.height; i += s.height {
			to := dst[(i-row)*g.steps:]
			packPairs(to, s.height, Matrix[dtype.BF16]{g.a.Data[i*g.a.Row:], g.a.Col, g.a.Row}, g.pairs, s.height)
			if g.bias != nil {
				for j := range s.height {
					to[g.pairs*s.height+j] = math.Float32frombits(uint32(oneBF16)) // and a zero
				}
			}
		}
	}
}

// packPairs copies up to 32 columns of m as dst[l*width+j], the pair of steps 2l and 2l+1 of column j.
func packPairs(dst []float32, width int, m Matrix[dtype.BF16], steps, cols int) {
	switch {
	case m.Col == 1:
		vec.PairRows(dst, width, m.Data, m.Row, steps, cols)
	case m.Row == 1:
		for j := 0; j < cols; j += pairCols / 2 {
			vec.PairColumns(dst[j:], width, m.Data[j*m.Col:], m.Col, min(pairCols/2, cols-j), steps)
		}
	default:
		for l := range steps {
			for j := range cols {
				at := 2*l*m.Row + j*m.Col
				dst[l*width+j] = math.Float32frombits(uint32(m.Data[at]) | uint32(m.Data[at+m.Row])<<16)
			}
		}
	}
}

// piece computes the part of C between two corners.
func (g *gemmPairs) piece(packedA []float32, row, rowEnd, col, colEnd int) {
	part := g.steps * pairCols / nextParts
	t := vec.PairTile{K: g.steps, RowB: pairCols, RowC: g.ldc}
	tiles := tileGroups(row, rowEnd, g.height)
	for j := col; j < colEnd; j += pairCols {
		t.Cols, t.B = min(pairCols, colEnd-j), g.packedB[(j-g.col)*g.steps:]
		next := t.B
		if j+pairCols < colEnd {
			next = g.packedB[(j+pairCols-g.col)*g.steps:]
		}
		for _, s := range tiles {
			if s.tiles == 0 {
				continue
			}
			t.Rows, t.C, t.Next = s.height, g.c[s.row*g.ldc+j:], next[s.before%nextParts*part:]
			t.Count, t.Step = s.tiles, vec.Steps{A: s.height * g.steps, C: s.height * g.ldc, Next: part}
			if g.inPlace {
				t.InPlace, t.RowA, t.Step.A = g.a.Data[s.row*g.a.Row:], g.a.Row, s.height*g.a.Row
			} else {
				t.A = packedA[(s.row-row)*g.steps:]
			}
			t.Run()
		}
	}
}
