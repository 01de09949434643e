package kern

import (
	"cresset/dtype"
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
// An element of C has the same bits whatever the number of threads. Its products
// are added in order of k, in runs whose length depends on k alone, whatever m, n
// and the layout. One exception makes vectors and few rows fast: where such an A
// meets a B that lies along k, the products of 64 steps and more are added in
// lanes, and these at the end.
func Gemm[T dtype.Float](m, n, k int, alpha T, a, b Matrix[T], beta T, c []T, ldc int) {
	p := product[T]{m: m, n: n, k: k, alpha: alpha, a: a, b: b, beta: beta, c: c, ldc: ldc}
	p.run(par.For)
}

// GemmBias computes C = then(bias + A·B), where bias has n elements and is added
// to every row, and then is an op that Follows, or op.Invalid for none.
func GemmBias[T dtype.Float](m, n, k int, a, b Matrix[T], bias []T, then op.Op, c []T, ldc int) {
	p := product[T]{m: m, n: n, k: k, alpha: 1, a: a, b: b, bias: bias, then: then, c: c, ldc: ldc}
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
	// Many small products are divided among threads, a large one is divided itself.
	if flops := 2 * m * n * k; flops < largeFlops {
		par.For(count, grainOf(flops), func(lo, hi int) { products(lo, hi, inline) })
		return
	}
	products(0, count, par.For)
}

const (
	chunkFlops = 1 << 16 // the least work that is worth handing to a thread
	largeFlops = 1 << 24 // the least product that keeps all threads busy
)

// A splitter runs body over chunks of [0, n), of grain pieces or more: par.For,
// or inline where the caller already runs beside others.
type splitter func(n, grain int, body func(lo, hi int))

func inline(n, _ int, body func(lo, hi int)) {
	if n > 0 {
		body(0, n)
	}
}

// grainOf returns how many pieces of so many flops make a chunk.
func grainOf(flops int) int { return max(1, chunkFlops/max(flops, 1)) }
