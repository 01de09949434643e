package tensor

import (
	"sync"
	"sync/atomic"

	"cresset/internal/backend"
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
//
// Several goroutines may compute in one scope, and one may close it while others do: kernels that run keep their operands'
// memory until they are done, and what starts later panics with ErrReleased.
type Scope struct {
	order   uint64  // scopes opened later have higher numbers
	private bool    // of one goroutine, which closes it when nothing runs
	watched bool    // kernels that compute its results must be recorded: see underived
	region  *region // whose function computes in it, if any
	casts   atomic.Pointer[autocast]
	stream  atomic.Pointer[stream] // nil for that of each device
	users   atomic.Int32
	waiting atomic.Bool // retired is not empty
	mu      sync.Mutex
	owned   []*storage
	retired []*storage // released while there were users
	closed  bool
}

var scopes atomic.Uint64

// released is the owner of memory that was given back.
var released = new(Scope)

// ScopeOption is an option of NewScope: Autocast, or a stream that cuda.NewStream returns.
type ScopeOption interface{ scopeOption(s *Scope) }

// NewScope opens a scope. A scope that is given no Autocast, or no stream, takes over that of the scope from which data enters it.
func NewScope(opts ...ScopeOption) *Scope {
	s := &Scope{order: scopes.Add(1)}
	for _, o := range opts {
		o.scopeOption(s)
	}
	return s
}

// open makes a closed scope, or a zero one, a new one.
func (s *Scope) open() { s.order, s.closed = scopes.Add(1), false }

// Enter returns x as a member of the scope: what is computed from it belongs to the scope. The memory of x itself stays
// with its owner.
func (s *Scope) Enter(x *Tensor) *Tensor {
	x.alive()
	if x.scope != nil && x.scope != s {
		if a := x.scope.casts.Load(); a != nil {
			s.casts.CompareAndSwap(nil, a)
		}
		s.follow(x.scope)
	}
	return s.enter(x)
}

// enter is Enter, which leaves the scope's Autocast as it is.
func (s *Scope) enter(x *Tensor) *Tensor {
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
	if a := s.casts.Load(); a != nil && a.home == s {
		a.forget()
	}
	mine := owned[:0]
	for _, st := range owned {
		if st.owner.CompareAndSwap(s, released) {
			mine = append(mine, st)
		}
	}
	s.retire(mine...)
}

// handOver closes the scope and makes another responsible for what belonged to it, the collector where that is nil.
func (s *Scope) handOver(to *Scope) {
	s.mu.Lock()
	owned := s.owned
	s.owned, s.closed = nil, true
	s.mu.Unlock()
	for _, st := range owned {
		if st.owner.CompareAndSwap(s, nil) && to != nil {
			to.own(st)
		}
	}
}

// own makes the scope responsible for a fresh storage; a closed scope leaves it to the collector.
func (s *Scope) own(st *storage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		st.owner.Store(s)
		s.owned = append(s.owned, st)
	}
}

// disown leaves the storage to the collector and reports whether the scope owned it.
func (s *Scope) disown(st *storage) bool {
	if !st.owner.CompareAndSwap(s, nil) {
		return false
	}
	s.remove(st)
	return true
}

// remove takes a storage whose owner is not the scope any more from what it owns.
func (s *Scope) remove(st *storage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.owned) - 1; i >= 0; i-- {
		if s.owned[i] == st {
			last := len(s.owned) - 1
			s.owned[i] = s.owned[last]
			s.owned[last] = nil
			s.owned = s.owned[:last]
			return
		}
	}
}

// A user of a scope counts itself in users before it looks whether the memory that it wants is released. Whoever frees memory
// marks it as released before it looks whether there are users. So one of the two sees the other.

// retire frees storages that were marked as released, or leaves that to the last user of the scope.
func (s *Scope) retire(sts ...*storage) {
	if s.users.Load() == 0 {
		for _, st := range sts {
			st.free()
		}
		return
	}
	s.mu.Lock()
	s.retired = append(s.retired, sts...)
	s.waiting.Store(true)
	s.mu.Unlock()
	s.freeRetired()
}

// freeRetired frees what was retired unless the scope has users: the last of them calls it again.
func (s *Scope) freeRetired() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users.Load() > 0 {
		return
	}
	for _, st := range s.retired {
		st.free()
	}
	s.retired = nil
	s.waiting.Store(false)
}

// leave ends what enter began; a nil scope has no users.
func (s *Scope) leave() {
	if s != nil && s.users.Add(-1) == 0 && s.waiting.Load() {
		s.freeRetired()
	}
}

// guard is a scope that a kernel uses.
type guard Scope

// Done ends the use.
func (g *guard) Done() { (*Scope)(g).leave() }

// use keeps x's memory from being freed until the call is given back. It gives the call back and panics where that was done
// before.
func (x *Tensor) use(c *backend.Call) {
	if owner := x.storage.owner.Load(); owner != nil {
		x.useIn(owner, c)
	}
}

func (x *Tensor) useIn(owner *Scope, c *backend.Call) {
	if owner == away {
		owner = x.storage.fetchedFor(c)
	}
	if owner != released && !owner.private && !c.Guarded((*guard)(owner)) {
		owner.users.Add(1)
		c.Guard((*guard)(owner))
	}
	if x.storage.owner.Load() == released {
		c.Release()
		refuseReleased()
	}
}

// hold keeps x's memory from being freed until leave is called on what it returns. It panics where that was done before.
func (x *Tensor) hold() *Scope {
	owner := x.storage.owner.Load()
	if owner == nil {
		return nil
	}
	if owner == away {
		owner = x.storage.fetched()
	}
	if owner != released {
		owner.users.Add(1)
	}
	if x.storage.owner.Load() == released {
		if owner != released {
			owner.leave()
		}
		refuseReleased()
	}
	return owner
}

// latest returns the most recently opened scope among those of x and of others, all of which may be nil.
func (x *Tensor) latest(others []*Tensor) (s *Scope) {
	if x != nil {
		s = x.scope
	}
	for _, t := range others {
		if t != nil && t.scope != nil && (s == nil || t.scope.order > s.order) {
			s = t.scope
		}
	}
	return s
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
