package kern

import (
	"math/bits"
	"sync"

	"cresset/dtype"
)

// maxScratch bounds a scratch in elements: it is the part of B that a product packs at a time.
const maxScratch = packSteps * packCols

// scratch is temporary memory of undefined content, recycled by sync.Pools. Its size is bounded whatever the operands, and so it
// may be Go memory; what grows with an operand is ForWithWorkspace's.
type scratch[T dtype.Float] struct{ data []T }

// A pool for each power of two, so that a small scratch never takes a large block.
var scratch32, scratch64 [64]sync.Pool

func scratchPool[T dtype.Float](n int) *sync.Pool {
	var zero T
	class := bits.Len(uint(max(n, 1) - 1))
	if _, ok := any(zero).(float32); ok {
		return &scratch32[class]
	}
	return &scratch64[class]
}

// newScratch returns memory for n elements, at most maxScratch.
func newScratch[T dtype.Float](n int) *scratch[T] {
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

func (s *scratch[T]) release() { scratchPool[T](cap(s.data)).Put(s) }
