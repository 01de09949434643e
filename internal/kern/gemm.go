package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
	"cresset/internal/par"
)

// Matrix is a strided view of a slice: element (i, j) is Data[i*Row+j*Col].
// A transpose swaps the strides; a stride of zero repeats a row or a column.
type Matrix[T any] struct {
	Data     []T
	Row, Col int
}

// Transposed returns the view with rows and columns exchanged.
func (m Matrix[T]) Transposed() Matrix[T] { return Matrix[T]{m.Data, m.Col, m.Row} }

// Gemm computes C = beta*C + alpha*A·B, where A is [m, k], B is [k, n] and C is
// [m, n] with rows ldc elements apart. C is not read where beta is zero; A and B
// are not read where alpha is zero. C must not overlap A or B.
//
// How it runs is told in gemm_tiles.go.
//
// An element of C has the same bits whatever the number of threads. Its products
// are added in order of k, in blocks whose length depends on k alone, whatever m,
// n and the layout. There is one exception: where A has few rows and B's columns
// are contiguous (see gemm_dots.go), the products of 64 steps and more are added
// in the lanes of a vector, and the lanes at the end.
func Gemm[T dtype.Float](m, n, k int, alpha T, a, b Matrix[T], beta T, c []T, ldc int) {
	p := product[T]{m: m, n: n, k: k, alpha: alpha, a: a, b: b, beta: beta, c: c, ldc: ldc}
	p.run(par.For)
}

// GemmBias computes C = then(bias + A·B), where rows of bias are so far apart: one
// row is added to all where that is zero. C may be bias itself. then is an epilogue
// that Follows, or op.Invalid for none.
func GemmBias[T dtype.Float](m, n, k int, a, b Matrix[T], bias []T, biasRow int, then op.Op, c []T, ldc int) {
	p := product[T]{m: m, n: n, k: k, alpha: 1, a: a, b: b, bias: bias, biasRow: biasRow, then: then, c: c, ldc: ldc}
	p.run(par.For)
}

// GemmBatch computes count products as Gemm does. The operands of product i
// start i*strideA, i*strideB and i*strideC elements further; a stride of zero
// shares A or B.
func GemmBatch[T dtype.Float](count, m, n, k int, alpha T, a Matrix[T], strideA int, b Matrix[T], strideB int,
	beta T, c []T, strideC, ldc int) {
	if m == 0 || n == 0 {
		return
	}
	products := func(lo, hi int, split splitter) {
		for i := lo; i < hi; i++ {
			p := product[T]{m: m, n: n, k: k, alpha: alpha, a: a, b: b, beta: beta, c: c[i*strideC:], ldc: ldc}
			if k > 0 {
				p.a.Data, p.b.Data = a.Data[i*strideA:], b.Data[i*strideB:]
			}
			p.run(split)
		}
	}
	if count < par.NumThreads() { // each product is divided among all threads
		products(0, count, par.For)
		return
	}
	par.For(count, grainOf(2*m*n*k), func(lo, hi int) { products(lo, hi, inline) })
}

const chunkFlops = 1 << 16 // the least work that is worth handing to a thread

// A splitter runs body over chunks of [0, n), of grain pieces or more: par.For,
// or inline where the caller is itself one of several concurrent chunks.
type splitter func(n, grain int, body func(lo, hi int))

func inline(n, _ int, body func(lo, hi int)) {
	if n > 0 {
		body(0, n)
	}
}

// grainOf returns how many pieces of so many flops make a chunk.
func grainOf(flops int) int { return max(1, chunkFlops/max(flops, 1)) }

// blockSteps bounds the steps of k that are summed in registers before they are added to C: the part of a panel of A and of
// B that they read stays in the first two cache levels.
const blockSteps = 512

// stepsOf returns the number of steps in a block of k. All products use it but those of gemm_streams.go, so that they have the same bits however they are
// computed.
func stepsOf(k int) int { return ceilDiv(k, max(ceilDiv(k, blockSteps), 1)) }

// product is one call of Gemm.
type product[T dtype.Float] struct {
	m, n, k int
	alpha   T
	a, b    Matrix[T]
	beta    T
	bias    []T   // what the rows of C start from instead of beta*C, unless nil
	biasRow int   // how far its rows are apart
	then    op.Op // the epilogue
	c       []T
	ldc     int
}

// run computes the product: by micro-kernels where the processor has them, else in Go.
func (p *product[T]) run(split splitter) {
	if p.m == 0 || p.n == 0 {
		return
	}
	multiplies := p.k > 0 && p.alpha != 0
	if multiplies && vec.TileRows() > 0 {
		p.runTiles(split)
		return
	}
	if p.bias != nil {
		for i := range p.m {
			copy(p.c[i*p.ldc:][:p.n], p.bias[i*p.biasRow:])
		}
		p.beta = 1
	}
	if multiplies {
		p.runPortable(split)
	} else {
		p.scale(0, p.m, 0, p.n)
	}
	epilogue(p.then, p.c, p.m, p.n, p.ldc)
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

func ceilDiv(a, b int) int { return (a + b - 1) / b }
