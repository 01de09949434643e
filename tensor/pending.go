package tensor

import (
	"cmp"
	"slices"
)

// fewPending is how many gradients wait without an allocation; most graphs never have more.
const fewPending = 8

// pendingGrads are the gradients that wait at nodes, in the order of these. The newest node leaves first.
type pendingGrads struct {
	waiting []pendingGrad
	room    [fewPending]pendingGrad
}

// pendingGrad is the gradient that waits at a node.
type pendingGrad struct {
	at *node
	g  *Tensor
}

// search returns where n stands among the nodes, or would stand.
func (a *pendingGrads) search(n *node) (i int, found bool) {
	return slices.BinarySearchFunc(a.waiting, n, func(p pendingGrad, n *node) int { return cmp.Compare(p.at.order, n.order) })
}

// find returns the gradient that waits at n, or nil.
func (a *pendingGrads) find(n *node) *Tensor {
	if i, found := a.search(n); found {
		return a.waiting[i].g
	}
	return nil
}

// put lets g wait at n, in the place of what waits there.
func (a *pendingGrads) put(n *node, g *Tensor) {
	i, found := a.search(n)
	if found {
		a.waiting[i].g = g
		return
	}
	if a.waiting == nil {
		a.waiting = a.room[:0]
	}
	a.waiting = slices.Insert(a.waiting, i, pendingGrad{n, g})
}

// next takes the newest node and its gradient; false where none waits.
func (a *pendingGrads) next() (n *node, g *Tensor, ok bool) {
	last := len(a.waiting) - 1
	if last < 0 {
		return nil, nil, false
	}
	p := a.waiting[last]
	a.waiting[last] = pendingGrad{}
	a.waiting = a.waiting[:last]
	return p.at, p.g, true
}

// drop ends the claims of all gradients that wait.
func (a *pendingGrads) drop() {
	for _, g, ok := a.next(); ok; _, g, ok = a.next() {
		drop(g)
	}
}
