package tensor

import "container/heap"

// fewPending is how many gradients wait without a map; most graphs never have more.
const fewPending = 8

// pendingGrads are the gradients that wait at nodes. The newest node leaves first.
type pendingGrads struct {
	queue nodeQueue
	few   [fewPending]pendingGrad
	many  map[*node]*Tensor // those for which few had no room
	room  [fewPending]*node
}

// pendingGrad is the gradient that waits at a node.
type pendingGrad struct {
	at *node
	g  *Tensor
}

// find returns the gradient that waits at n, or nil.
func (a *pendingGrads) find(n *node) *Tensor {
	if i := a.index(n); i >= 0 {
		return a.few[i].g
	}
	return a.many[n]
}

// index returns where n, or a vacancy for a nil n, stands among the few; -1 where it does not.
func (a *pendingGrads) index(n *node) int {
	for i := range a.few {
		if a.few[i].at == n {
			return i
		}
	}
	return -1
}

// add lets g wait at n, where nothing waits yet.
func (a *pendingGrads) add(n *node, g *Tensor) {
	if a.queue == nil {
		a.queue = a.room[:0]
	}
	heap.Push(&a.queue, n)
	if i := a.index(nil); i >= 0 {
		a.few[i] = pendingGrad{n, g}
		return
	}
	if a.many == nil {
		a.many = make(map[*node]*Tensor)
	}
	a.many[n] = g
}

// replace puts g in the place of what waits at n.
func (a *pendingGrads) replace(n *node, g *Tensor) {
	if i := a.index(n); i >= 0 {
		a.few[i].g = g
		return
	}
	a.many[n] = g
}

// next takes the newest node and its gradient; false where none waits.
func (a *pendingGrads) next() (n *node, g *Tensor, ok bool) {
	if len(a.queue) == 0 {
		return nil, nil, false
	}
	n = heap.Pop(&a.queue).(*node)
	if i := a.index(n); i >= 0 {
		g, a.few[i] = a.few[i].g, pendingGrad{}
		return n, g, true
	}
	g = a.many[n]
	delete(a.many, n)
	return n, g, true
}

// drop ends the claims of all gradients that wait.
func (a *pendingGrads) drop() {
	for _, g, ok := a.next(); ok; _, g, ok = a.next() {
		drop(g)
	}
}

// nodeQueue is a heap of nodes, the newest first.
type nodeQueue []*node

func (q nodeQueue) Len() int           { return len(q) }
func (q nodeQueue) Less(i, j int) bool { return q[i].order > q[j].order }
func (q nodeQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// Push adds a node; it is for package heap.
func (q *nodeQueue) Push(n any) { *q = append(*q, n.(*node)) }

// Pop takes the last node; it is for package heap.
func (q *nodeQueue) Pop() any {
	old := *q
	n := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return n
}
