package tensor

import (
	"slices"
	"sync/atomic"
)

// Leaves are older than what is computed from them, so their turn in a Backward comes last. Those with hooks for what has been accumulated need not wait: hooks send gradients to other
// ranks while the rest is computed, and give their memory back.

// waiters counts the hooks of all leaves, so that others do without a look at the graph.
var waiters atomic.Int64

// early knows leaves whose gradients are accumulated as soon as they are complete.
type early struct {
	left  map[*node]int // gradients of a leaf that have not arrived
	ready []*node
}

// expect counts the edges that lead from a node to leaves with hooks.
func (e *early) expect(from *node) {
	if waiters.Load() == 0 {
		return
	}
	e.left = make(map[*node]int)
	seen := map[*node]bool{from: true}
	for look := []*node{from}; len(look) > 0; {
		n := look[len(look)-1]
		look = look[:len(look)-1]
		for i := range n.edges {
			to := n.edges[i].to
			switch {
			case to == nil:
			case to.leaf != nil && to.hooks != nil && len(to.hooks.after) > 0:
				e.left[to]++
			case !seen[to]:
				seen[to] = true
				look = append(look, to)
			}
		}
	}
}

// arrived notes a gradient of a leaf. One that an op does not give leaves the leaf to its turn.
func (e *early) arrived(n *node) {
	if left, ok := e.left[n]; ok {
		if e.left[n] = left - 1; left == 1 {
			e.ready = append(e.ready, n)
		}
	}
}

// visitReady accumulates the gradients that are complete.
func (b *backprop) visitReady() {
	for len(b.early.ready) > 0 {
		n := b.early.ready[0]
		b.early.ready = b.early.ready[1:]
		b.visit(n, b.pending.take(n))
	}
}

// take removes and returns the gradient that waits at n.
func (a *pendingGrads) take(n *node) *Tensor {
	i, _ := a.search(n)
	g := a.waiting[i].g
	a.waiting = slices.Delete(a.waiting, i, i+1)
	return g
}
