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
		s := &n.saved[i]
		if made := s.from != op.Invalid || s.origin == result || s.origin == derived; made && s.value.storage != nil && s.value.storage != l.root {
			l.storages = append(l.storages, s.value.storage)
		}
	}
}

// release gives back what no node has saved any more, where a scope would.
func (l *lastUses) release() {
	if l == nil {
		return
	}
	for _, st := range l.storages {
		owner := st.owner.Load()
		if owner == nil || owner == released || st.saves.Load() != 0 || !st.owner.CompareAndSwap(owner, released) {
			continue
		}
		owner.remove(st)
		owner.retire(st)
	}
	clear(l.storages)
}
