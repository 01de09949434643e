package tensor

import (
	"runtime"
	"sync"
	"weak"
)

// sideTable holds what is known of memory for which a storage has no room: few ask, and a storage that nobody traces is no
// larger for it. What is known of dead memory goes with it.
type sideTable[T any] struct {
	mu sync.Mutex
	of map[weak.Pointer[storage]]*T
}

// change calls f on what is known of some memory, with the lock held.
func (b *sideTable[T]) change(s *storage, f func(*T)) {
	key := weak.Make(s)
	b.mu.Lock()
	defer b.mu.Unlock()
	known := b.of[key]
	if known == nil {
		if b.of == nil {
			b.of = make(map[weak.Pointer[storage]]*T)
		}
		known = new(T)
		b.of[key] = known
		runtime.AddCleanup(s, b.forget, key)
	}
	f(known)
}

// read calls f on what is known of some memory, with the lock held, unless nothing is.
func (b *sideTable[T]) read(s *storage, f func(*T)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if known := b.of[weak.Make(s)]; known != nil {
		f(known)
	}
}

func (b *sideTable[T]) forget(key weak.Pointer[storage]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.of, key)
}
