package tensor

import (
	"sync"
	"sync/atomic"
)

// Scope gives the memory of intermediate results back at a certain point. Results belong to the most recently opened scope
// among their operands' scopes, so a scope follows the data that entered it, on whatever goroutine:
//
//	s := tensor.NewScope()
//	x = s.Enter(x)
//	loss := model.Forward(x) // belongs to s, with all that led to it
//	loss.Backward()
//	s.Close()
//
// Gradients of leaves, optimizer state and module buffers live outside scopes.
type Scope struct {
	order  uint64 // scopes opened later have higher numbers
	mu     sync.Mutex
	owned  []*storage
	closed bool
}

var scopes atomic.Uint64

// NewScope opens a scope.
func NewScope() *Scope { return &Scope{order: scopes.Add(1)} }

// open makes a closed scope, or a zero one, a new one.
func (s *Scope) open() { s.order, s.closed = scopes.Add(1), false }

// Enter returns x as a member of the scope: what is computed from it belongs to the scope. The memory of x itself stays
// with its owner.
func (s *Scope) Enter(x *Tensor) *Tensor {
	x.alive()
	y := *x
	y.scope = s
	return &y
}

// Keep takes x out of the scope, so that Close leaves its memory alone, and returns it.
func (s *Scope) Keep(x *Tensor) *Tensor {
	s.disown(x.storage)
	x.scope = nil
	return x
}

// Close frees the memory of all results that belong to the scope but for what was kept. Using them afterwards panics. A
// second Close does nothing.
func (s *Scope) Close() {
	s.mu.Lock()
	owned := s.owned
	s.owned, s.closed = nil, true
	s.mu.Unlock()
	for _, st := range owned {
		st.scope = nil
		st.release()
	}
}

// own makes the scope responsible for the storage; a closed scope leaves it to the collector.
func (s *Scope) own(st *storage) {
	if st.scope != nil {
		st.scope.disown(st)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		st.scope = s
		s.owned = append(s.owned, st)
	}
}

// disown leaves the storage to the collector and reports whether the scope owned it.
func (s *Scope) disown(st *storage) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st.scope != s {
		return false
	}
	for i := len(s.owned) - 1; i >= 0; i-- {
		if s.owned[i] == st {
			last := len(s.owned) - 1
			s.owned[i] = s.owned[last]
			s.owned[last] = nil
			s.owned = s.owned[:last]
			break
		}
	}
	st.scope = nil
	return true
}

// inherit puts a fresh result into the most recently opened scope among the operands'. Operands may be nil.
func (x *Tensor) inherit(operands ...*Tensor) *Tensor {
	for _, t := range operands {
		if t != nil && t.scope != nil && (x.scope == nil || t.scope.order > x.scope.order) {
			x.scope = t.scope
		}
	}
	if x.scope != nil {
		x.scope.own(x.storage)
	}
	return x
}
