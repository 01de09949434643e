package tensor

import "cresset/internal/op"

// lastUses releases results that a Backward has used, where nothing else needs them for gradients: ReleaseSaved.
type lastUses struct {
	root     *storage   // of what is differentiated, which stays
	storages []*storage // that the node that is visited has saved
}

func newLastUses(x *Tensor) *lastUses {
	if x.scope != nil {
		if a := x.scope.casts.Load(); a != nil {
			a.giveUp()
		}
	}
	return &lastUses{root: x.storage}
}

// of notes what a node has saved of the results of recorded ops.
func (l *lastUses) of(n *node) {
	if l == nil {
		return
	}
	l.storages = l.storages[:0]
	for i := range n.saved {
		if s := &n.saved[i]; l.releases(s) {
			l.storages = append(l.storages, s.value.storage)
		}
	}
}

// releases reports whether a saved value is a result of a recorded op.
func (l *lastUses) releases(s *savedValue) bool {
	made := s.from != op.Invalid || s.origin == result || s.origin == derived
	return made && s.value.storage != nil && s.value.storage != l.root
}

// giveUp lets go of saved value i of the current node, which its gradient function does not read any more, before the others.
func (b *backprop) giveUp(i int) {
	if b.last == nil || i >= len(b.current.saved) || !b.last.releases(&b.current.saved[i]) {
		return
	}
	s := &b.current.saved[i]
	s.letGo()
	s.value.storage.giveBack()
	*s = savedValue{}
}

// release gives back what no node has saved any more, where a scope would.
func (l *lastUses) release() {
	if l == nil {
		return
	}
	for _, st := range l.storages {
		st.giveBack()
	}
	clear(l.storages)
}

// giveBack frees memory that a scope would, unless a gradient needs it.
func (s *storage) giveBack() {
	owner := s.owner.Load()
	if owner == nil || owner == released || owner == away || s.saves.Load() != 0 || !s.owner.CompareAndSwap(owner, released) {
		return
	}
	owner.remove(s)
	owner.retire(s)
}

// spent gives back what a layer has made and nobody else has seen, as PyTorch does when the last variable goes: where a scope owns it and no gradient needs it.
func spent(xs ...*Tensor) {
	for _, x := range xs {
		x.storage.giveBack()
	}
}
