package kern

import (
	"math/bits"
	"sync"

	"cresset/dtype"
)

// maxScratch bounds a scratch in elements: the part of B that tiles pack at a time, which is more than a block of Gemm's
// reference.
const maxScratch = packSteps * packCols

// scratch is working memory that a kernel borrows; its content is undefined. Its size is bounded whatever the operands,
// and so it may come from the collector; what grows with an operand is a loan of ForWithLoan's.
type scratch[T dtype.Float] struct{ data []T }

// A pool for each power of two, so that a small loan never takes a large block.
var scratch32, scratch64 [64]sync.Pool

func scratchPool[T dtype.Float](n int) *sync.Pool {
	var zero T
	class := bits.Len(uint(max(n, 1) - 1))
	if _, ok := any(zero).(float32); ok {
		return &scratch32[class]
	}
	return &scratch64[class]
}

// borrow returns working memory for n elements, of which there are at most maxScratch.
func borrow[T dtype.Float](n int) *scratch[T] {
	if n > maxScratch {
		panic("kern: a scratch without a bound")
	}
	if s, ok := scratchPool[T](n).Get().(*scratch[T]); ok {
		s.data = s.data[:n]
		return s
	}
	size := 1 << bits.Len(uint(max(n, 1)-1))
	return &scratch[T]{make([]T, n, size)}
}

func (s *scratch[T]) giveBack() { scratchPool[T](cap(s.data)).Put(s) }
