package kern

import "cresset/internal/kern/vec"

// streamSteps is how many rows of B are read side by side: more are more than the hardware's prefetchers follow. Measured.
const streamSteps = 16

// streams reports whether runStreams is for the product.
func (p *product[T]) streams() bool {
	return p.alpha == 1 && p.m == 1 && p.b.Col == 1 && p.bytesOfB() > maxInPlace
}

// runStreams computes a product of one row of A with a B that comes from memory, whose rows are contiguous. streamSteps rows of B are read from one end to
// the other, while a cache holds C and the rows that come next are prefetched: a tile that goes down B reads too little of each row
// for the hardware's prefetchers. gpt2_decode/float32 takes a fifth less time so.
func (p *product[T]) runStreams(split splitter) {
	if p.bias == nil && p.beta != 0 && p.beta != 1 {
		p.scale(0, 1, 0, p.n)
	}
	width := 2 * vec.Lanes[T]()
	groups, grain := ceilDiv(p.n, width), ceilDiv(minPieceFlops, 2*p.k*width)
	if groups < 2*grain {
		p.stream(width, 0, p.n)
		return
	}
	shared := *p
	split(groups, grain, func(lo, hi int) { shared.stream(width, lo*width, min(hi*width, shared.n)) })
}

// stream computes some columns of C.
func (p *product[T]) stream(width, col, colEnd int) {
	t := vec.Tile[T]{Rows: 1, ColA: p.a.Col, RowB: p.b.Row, Step: vec.Steps{B: width, C: width, From: width, Next: width}}
	for k := 0; k < p.k; k += streamSteps {
		t.K, t.A = min(streamSteps, p.k-k), p.a.Data[k*p.a.Col:]
		for j := col; j < colEnd; j += t.Count * width {
			t.Count, t.Cols = max(1, (colEnd-j)/width), min(width, colEnd-j)
			t.B, t.C = p.b.Data[k*p.b.Row+j:], p.c[j:]
			t.Next = p.b.Data[min((k+t.K)*p.b.Row+j, len(p.b.Data)-1):]
			t.From, _ = p.from(t.C, 0, j, k)
			t.Run()
		}
	}
	epilogue(p.then, p.c[col:], 1, colEnd-col, p.ldc)
}
