package kern

import (
	"math/bits"
	"sync"

	"cresset/dtype"
)

// scratch is working memory that a kernel borrows; its content is undefined.
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

// borrow returns working memory for n elements.
func borrow[T dtype.Float](n int) *scratch[T] {
	if s, ok := scratchPool[T](n).Get().(*scratch[T]); ok {
		s.data = s.data[:n]
		return s
	}
	size := 1 << bits.Len(uint(max(n, 1)-1))
	return &scratch[T]{make([]T, n, size)}
}

func (s *scratch[T]) giveBack() { scratchPool[T](cap(s.data)).Put(s) }
