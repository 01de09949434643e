package tensor

import "cresset/internal/op"

// history counts the in-place changes of some memory that were recorded for gradients. A tensor shares it with its views
// and with what Scope.Enter made of it: after such a change only the tensor that was changed knows the memory's place in
// the graph, and gradients through another would be lost in silence. What Detach returns has a history of its own: it
// tracks nothing on purpose, whatever becomes of the memory.
type history struct {
	rebased uint32
	by      op.Op // the latest
}

// stale reports whether a recorded change was made through another tensor since x was taken.
func (x *Tensor) stale() bool { return x.rebased != x.history.rebased }

// current panics where x is stale.
func (x *Tensor) current(name string) {
	if x.stale() {
		fail(name, ErrAutograd, "a view that tracks gradients is used after its base was modified by an inplace operation; take the view again", x)
	}
}

// rebase notes that x has a new place in the graph: other tensors of its history become stale.
func (x *Tensor) rebase() {
	x.history.rebased++
	x.rebased, x.history.by = x.history.rebased, x.node.op
}

// detached is a tensor with a history of its own, in one allocation.
type detached struct {
	tensor Tensor
	own    history
}

// Detach returns a tensor over the same storage that does not track gradients. In-place changes are seen by both.
func (x *Tensor) Detach() *Tensor {
	x.alive()
	d := &detached{tensor: Tensor{layout: x.layout, storage: x.storage, dtype: x.dtype, scope: x.scope}}
	d.tensor.history = &d.own
	return &d.tensor
}

// freeze puts a leaf's node aside: x does not require gradients any more.
func (x *Tensor) freeze(n *node) {
	l := x.storage.linked()
	if l.frozen == nil {
		l.frozen = make(map[*Tensor]*node)
	}
	n.leaf.frozen.Store(true)
	l.frozen[x], x.node = n, nil
}

// frozen returns the node that freeze put aside; nil where there is none.
func (x *Tensor) frozen() *node {
	if x.storage.links == nil {
		return nil
	}
	return x.storage.links.frozen[x]
}

// thaw makes x the leaf again that it was and reports whether it was one.
func (x *Tensor) thaw() bool {
	n := x.frozen()
	if n == nil {
		return false
	}
	delete(x.storage.links.frozen, x)
	n.leaf.frozen.Store(false)
	x.node = n
	return true
}

// leafNode returns the node of a leaf, also of one that is frozen; nil for other tensors.
func (x *Tensor) leafNode() *node {
	switch {
	case x.node == nil:
		return x.frozen()
	case x.node.leaf == nil:
		return nil
	default:
		return x.node
	}
}
