package cuda

import "sync"

// A memo keeps what takes longer to compute than to launch and is asked for over and over: a model computes the same products again and again.
type memo[K comparable, V any] struct {
	mu   sync.Mutex
	kept map[K]V
}

// mostKept bounds a memo, which begins anew when it is full: the shapes of a text that grows never come again.
const mostKept = 1024

// of returns what f makes for a key, once.
func (m *memo[K, V]) of(key K, f func() V) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v, ok := m.kept[key]; ok {
		return v
	}
	v := f()
	if m.kept == nil || len(m.kept) >= mostKept {
		m.kept = map[K]V{}
	}
	m.kept[key] = v
	return v
}
