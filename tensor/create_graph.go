package tensor

import (
	"sync/atomic"

	"cresset/dtype"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// With CreateGraph gradient functions are what they always are, but dy and saved values track gradients, so that every op on them
// is recorded. An op's kernel may also be run without a record, for a forward op that will be recorded as a whole, or by a gradient
// function that is a kernel itself. So that no derivative is lost where nobody records such a result, it gets a node at once,
// which a record replaces and which otherwise says, when a gradient arrives there, that the kernel has no derivative.

// watching counts the walks that create a graph.
var watching atomic.Int32

// create makes the walk record what it computes, for a scope that may be nil, until the function that it returns is called.
func (b *backprop) create(home *Scope) (done func()) {
	b.retain, b.home, b.scratch.watched = true, home, true
	watching.Add(1)
	return func() { watching.Add(-1) }
}

// atHome returns g as a member of the scope to which the created graph belongs.
func (b *backprop) atHome(g *Tensor) *Tensor {
	h := *g
	h.scope = b.home
	return &h
}

// underived gives x, which a kernel has computed from ins without a record, a node that has no derivative.
func (x *Tensor) underived(o op.Op, ins ...*Tensor) {
	if x.node != nil || !x.dtype.IsFloat() {
		return
	}
	for _, t := range ins {
		if t != nil && t.node != nil && t.scope != nil && t.scope.watched {
			x.node = unrecorded(o, x.dtype, x.layout, ins...)
			return
		}
	}
}

// byKernels returns g, of which a gradient function's kernels have written the parts: where a graph is created, g is a result without
// a derivative of dy and of all that was saved.
func (b *backprop) byKernels(g, dy *Tensor) *Tensor {
	if !b.scratch.watched {
		return g
	}
	ins := []*Tensor{dy}
	for i := range b.current.saved {
		ins = append(ins, b.saved(i))
	}
	g.underived(b.current.op, ins...)
	return g
}

// unrecorded returns the node of what a kernel has made of ins without a record.
func unrecorded(o op.Op, dt dtype.DType, l *layout.Layout, ins ...*Tensor) *node {
	n := &node{op: o, back: noDerivative, order: nodes.Add(1), out: dt, layout: l}
	n.edges = n.inEdge[:0]
	for _, t := range ins {
		if t != nil && t.node != nil {
			n.edges = append(n.edges, edge{to: t.node, layout: t.layout, dtype: t.dtype, device: t.storage.device})
		}
	}
	return n
}

func noDerivative(b *backprop, dy *Tensor) {
	name := b.current.op.String()
	text := "derivative for aten::" + name + " is not implemented"
	if hint := insteadOf[b.current.op]; hint != "" {
		failHint(name, ErrAutograd, text, hint)
	}
	fail(name, ErrAutograd, text, dy)
}

const ownRecurrence = "layers and cells of recurrent networks have first derivatives alone: where CreateGraph is needed, write the step as " +
	"Linear, Sigmoid, Tanh and Mul in a loop, which have second ones"

// insteadOf says what helps where a kernel's gradient has no derivative.
var insteadOf = map[op.Op]string{
	op.RNN: ownRecurrence, op.GRU: ownRecurrence, op.LSTM: ownRecurrence,
	op.CTCLossGrad: "the gradient of CTCLoss has no derivative, in PyTorch neither: call Backward without CreateGraph",
}

// originOf returns which place in the graph v, which is being saved, has.
func (n *node) originOf(v *Tensor) origin {
	switch v.node {
	case nil:
		return constant
	case n:
		return result
	}
	if a, ok := n.params.(*application); ok {
		for i := range a.results {
			if v.node == a.results[i].node {
				return derived - 1 - origin(i)
			}
		}
	}
	for i := range n.edges {
		if v.node == n.edges[i].to {
			return origin(i + 1)
		}
	}
	return constant
}

// derive keeps values that were computed from inputs without a record.
func (n *node) derive(values ...*Tensor) {
	if n == nil {
		return
	}
	first := len(n.saved)
	n.save(values...)
	for i := first; i < len(n.saved); i++ {
		n.saved[i].origin = derived
	}
}

// origin returns the place in the graph of saved value i.
func (n *node) origin(i int) *node {
	switch s := &n.saved[i]; s.origin {
	case constant:
		return nil
	case result:
		return n
	case derived:
		lost := unrecorded(n.op, s.value.dtype, s.value.layout)
		lost.edges = n.edges
		return lost
	default:
		if s.origin < derived {
			return n.params.(*application).results[derived-1-s.origin].node
		}
		return n.edges[s.origin-1].to
	}
}

// collect adds g to the gradient of a leaf, which lives outside scopes.
func (b *backprop) collect(l *leaf, g *Tensor) {
	if l.frozen.Load() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	g = g.To(l.device, l.dtype)
	sum := l.grad
	if sum == nil {
		sum = g.Clone()
	} else {
		sum = sum.Add(g)
	}
	if sum.scope != nil {
		sum.scope.Keep(sum)
	}
	l.grad, l.own = sum, false
}
