package tensor

import (
	"cresset/internal/backend"
	"cresset/internal/op"
)

// visiting is memory under tensors that is given back for a while and comes back when an op wants it: that of parameters of which each rank keeps a part.
type visiting struct {
	home  Scope // owns the memory while it is there, so that calls count themselves among its users
	bytes int
	fetch func() // has restore called
}

// away is the owner of memory that is given back for a while.
var away = new(Scope)

// evict gives the memory under x back, unless a call is about to use it: then it reports false. The first op that wants it has fetch called, which calls restore.
func evict(x *Tensor, fetch func()) bool {
	s := x.storage
	v := s.linked().visiting
	if v == nil {
		v = &visiting{bytes: s.buf.Size()}
		s.linked().visiting = v
	}
	v.fetch = fetch
	if s.owner.Load() == away {
		return true
	}
	if v.home.users.Load() > 0 {
		return false
	}
	s.owner.Store(away)
	s.free()
	return true
}

// restore gives an evicted tensor memory again, which write fills with what was there: graphs that have saved it see no change.
func restore(x *Tensor, write func()) {
	s := x.storage
	v, version := s.links.visiting, s.version
	buf, err := s.backend.Alloc(v.bytes)
	checkDone(op.Alias.String(), err)
	s.buf = buf
	s.poison()
	s.owner.Store(&v.home)
	write()
	s.version = version
}

// fetched returns the owner of memory that was away when it is there.
func (s *storage) fetched() *Scope {
	s.links.visiting.fetch()
	return s.owner.Load()
}

// fetchedFor is fetched for an operand of a call, which it gives back where that fails.
func (s *storage) fetchedFor(c *backend.Call) *Scope {
	failed := true
	defer func() {
		if failed {
			c.Release()
		}
	}()
	owner := s.fetched()
	failed = false
	return owner
}

// markPart notes that x is a part of a parameter, for optimizers that need it whole.
func markPart(x *Tensor) { x.storage.linked().part = true }

// isPart reports whether markPart has noted it.
func isPart(x *Tensor) bool { return x.storage.links != nil && x.storage.links.part }
