package tensor

import (
	"fmt"

	"cresset/internal/backend"
	"cresset/internal/op"
	"cresset/internal/profile"
)

// backprop carries gradients through the nodes of one graph, from the newest to the oldest: an edge always leads to an
// older node, so when a node's turn comes all its gradients have arrived. Nothing recurses, whatever the graph's depth.
type backprop struct {
	start    *Tensor // the gradient of what is differentiated; nil for 1
	pending  pendingGrads
	parts    map[*node][]*Tensor // of nodes with many results: what has arrived from each
	current  *node
	given    []pendingGrad // what the gradient function of the current node gave, until it returns
	room     [3]pendingGrad
	placed   placedParts
	leaving  *Tensor   // the gradient of the node that is visited
	coming   *Tensor   // a gradient on its way into pending
	scratch  Scope     // owns what the gradient of the current node computes
	members  [4]Tensor // what entered scratch, while the current node is visited
	nMembers int
	retain   bool
	releases bool      // ReleaseSaved
	last     *lastUses // the memory that is done with; nil without ReleaseSaved
	creates  bool      // CreateGraph: record what gradient functions compute
	home     *Scope    // that of the tensor that is differentiated: what is recorded belongs to it
	early    early
	search   *search // Grad: capture gradients instead of accumulating them in leaves; nil for Backward
}

// Backward adds the gradient of x to the Grad of each leaf that x depends on. x must have one element unless Gradient is given.
// Values that were saved for it are given up unless RetainGraph is given. With CreateGraph the gradients can be differentiated.
func (x *Tensor) Backward(options ...BackwardOption) {
	b := new(backprop)
	for _, o := range options {
		b.take(o)
	}
	x.refuseBackward()
	b.run(x)
}

// take does what an option of Backward says.
func (b *backprop) take(option GradOption) {
	switch o := option.(type) {
	case RetainGraph:
		b.retain = bool(o)
	case CreateGraph:
		b.creates = bool(o)
	case ReleaseSaved:
		b.releases = bool(o)
	case startGradient:
		b.start = o.tensor
	}
}

// refuseBackward panics while a function is recorded that computes x: gradients that were added would be those of the recording's inputs.
func (x *Tensor) refuseBackward() {
	x.refuseRecorded("backward", "call Backward", "compile the forward pass, or take gradients by Grad")
}

func (b *backprop) run(x *Tensor) {
	b.scratch.private = true
	x.tracked("backward")
	if b.releases && !b.retain && !b.creates {
		b.last = newLastUses(x)
	}
	if x.scope != nil {
		b.scratch.follow(x.scope) // gradients are computed on the stream of what is differentiated
	}
	if b.creates {
		defer b.create(x.scope)()
	}
	dy := b.first(x)
	if b.search != nil && !b.search.enters(x.node) {
		return
	}
	if b.search == nil {
		b.early.expect(x.node)
	}
	b.arrive(x.node, dy)
	defer b.abandon()
	for n, dy, ok := b.pending.next(); ok; n, dy, ok = b.pending.next() {
		if dy == nil {
			b.gather(n)
			continue
		}
		b.visit(n, dy)
		b.visitReady()
	}
}

// first returns the gradient of x, with which the pass begins.
func (b *backprop) first(x *Tensor) *Tensor {
	switch dy := b.start; {
	case dy == nil && x.NumEl() != 1:
		fail("backward", ErrAutograd, "grad can be implicitly created only for scalar outputs", x)
	case dy == nil:
		one := newTensor("ones_like", x.storage.device, x.dtype, x.layout.Shape()).fill(backend.Scalar{I: 1, Kind: backend.IntScalar})
		if !b.creates {
			one.storage.holds = 1
		}
		return one
	case !dy.layout.Shape().Equal(x.layout.Shape()):
		fail("backward", ErrShape, "Mismatch in shape: grad_output[0] has a shape of "+dy.layout.Shape().String()+
			" and output[0] has a shape of "+x.layout.Shape().String()+".", dy, x)
	case b.creates:
		return b.atHome(x.gradientBeside(dy))
	}
	return x.gradientBeside(b.start.Detach())
}

// tracked panics where x has no graph to walk.
func (x *Tensor) tracked(op string) {
	x.alive()
	x.current(op)
	if x.node == nil {
		fail(op, ErrAutograd, "element 0 of tensors does not require grad and does not have a grad_fn", x)
	}
}

// gradientBeside returns dy, with which a backward pass of x begins. Without axes it is moved to x's device; elsewhere it may
// not be.
func (x *Tensor) gradientBeside(dy *Tensor) *Tensor {
	home, dev := x.storage.device, dy.storage.device
	if dev != home && dy.layout.Rank() > 0 {
		failHint("backward", ErrDevice, fmt.Sprintf("invalid gradient at index 0 - expected device %s but got %s", home, dev),
			placeHint([]argument{{"output", x}, {"gradient", dy}}))
	}
	return dy.To(home)
}

// visit hands the complete gradient of a node to its hooks and on to its inputs.
func (b *backprop) visit(n *node, dy *Tensor) {
	b.leaving = dy
	dy = n.hooks.apply(dy, b.creates)
	b.leaving = dy
	b.search.capture(n, dy, b.creates)
	switch {
	case b.search != nil && !b.search.passes(n):
		b.leave()
		return
	case n.leaf != nil && b.creates:
		b.collect(n.leaf, dy)
		b.leave()
		n.accumulated()
		return
	case n.leaf != nil:
		n.accumulate(dy)
		b.leave()
		n.accumulated()
		return
	}
	if n.freed {
		failHint("backward", ErrAutograd, "Trying to backward through the graph a second time (or directly access saved tensors after they have "+
			"already been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "+
			"retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors after calling backward.",
			"give the first Backward, or Grad, the option tensor.RetainGraph(true)")
	}
	b.scratch.open()
	b.propagate(n, b.enter(dy))
	clear(b.members[:b.nMembers])
	b.nMembers = 0
	b.leave()
	if !b.retain && len(n.saved) > 0 {
		b.last.of(n)
		n.free()
		b.last.release()
	}
}

// propagate calls the gradient function of n. What it gives reaches the inputs when it has returned, so it may go on reading a
// gradient that it gave.
func (b *backprop) propagate(n *node, dy *Tensor) {
	defer profile.Begin(profile.Gradient, n.name()).End()
	b.current = n
	b.given = b.room[:0]
	n.back(b, dy)
	if b.creates {
		b.scratch.handOver(b.home)
	} else {
		b.scratch.Close()
	}
	b.current = nil
	for i, g := range b.given {
		b.given[i] = pendingGrad{}
		b.arrive(g.at, g.g)
	}
	b.given = nil
}

// enter returns x as a member of the scratch scope, for as long as the current node is visited.
func (b *backprop) enter(x *Tensor) *Tensor {
	if b.nMembers == len(b.members) {
		return b.scratch.enter(x)
	}
	x.alive()
	y := &b.members[b.nMembers]
	b.nMembers++
	*y = *x
	y.scope = &b.scratch
	return y
}

// leave drops the gradient of a node that is done.
func (b *backprop) leave() {
	drop(b.leaving)
	b.leaving = nil
}

// free lets go of what the node saved, whose memory stays with its owner.
func (n *node) free() {
	for i := range n.saved {
		n.saved[i].letGo()
	}
	clear(n.saved)
	n.saved, n.freed = nil, true
}

// letGo ends a saved value's claim on its memory, if it has one.
func (s *savedValue) letGo() {
	if st := s.value.storage; st != nil {
		st.saves.Add(-1)
		if u := st.users(); u != nil {
			u.nodes.Add(-1)
		}
	}
}

// needs reports whether the gradient of input i is wanted.
func (b *backprop) needs(i int) bool {
	to := b.current.edges[i].to
	return to != nil && (b.search == nil || b.search.enters(to))
}

// saved returns saved value i of the current node; nil where nil was saved.
func (b *backprop) saved(i int) *Tensor {
	v := b.current.use(i)
	if v == nil {
		return nil
	}
	v = b.enter(v)
	if b.creates {
		v.node = b.current.origin(i)
	}
	return v
}

// params returns the parameters of the current op.
func (b *backprop) params() any { return b.current.params }

// input returns the shape of input i, which must track gradients.
func (b *backprop) input(i int) Shape { return b.current.edges[i].layout.Shape() }

// give sends g to input i: summed over broadcast axes, in the input's dtype and on its device. A nil g is none.
func (b *backprop) give(i int, g *Tensor) {
	if g == nil || !b.needs(i) {
		return
	}
	e := &b.current.edges[i]
	b.checkShape(i, e)
	if b.creates {
		b.given = append(b.given, pendingGrad{e.to, b.atHome(g.sumTo(e.layout.Shape()).To(e.device, e.dtype))})
		return
	}
	g = g.sumTo(e.layout.Shape()).cast(e.dtype)
	if g.storage.device != e.device {
		g = g.To(e.device)
	}
	switch {
	case b.scratch.disown(g.storage):
		g.storage.holds = 1
	case g.storage.holds > 0:
		g.storage.holds++
	}
	h := *g
	h.scope, h.node = nil, nil
	b.given = append(b.given, pendingGrad{e.to, &h})
}

// giveNeeded gives input i what gradient returns, which is called only where that is wanted.
func (b *backprop) giveNeeded(i int, gradient func() *Tensor) {
	if b.needs(i) {
		b.give(i, gradient())
	}
}

// checkShape panics where SetData gave input i another shape after the op.
func (b *backprop) checkShape(i int, e *edge) {
	if !e.layout.Shape().Equal(e.to.layout.Shape()) {
		fail(b.current.op.String(), ErrShape, fmt.Sprintf("Function %s returned an invalid gradient at index %d - got %s but expected shape compatible with %s",
			b.current.name(), i, e.layout.Shape().List(), e.to.layout.Shape().List()))
	}
}

// arrive adds g to what is pending at n.
func (b *backprop) arrive(n *node, g *Tensor) {
	b.early.arrived(n)
	old := b.pending.find(n)
	if old == nil {
		b.pending.put(n, g)
		return
	}
	b.coming = g
	b.placed.of = nil
	if old.exclusive() {
		old.addInto(g)
	} else {
		sum := old.Add(g)
		if !b.creates {
			sum.storage.holds = 1
		}
		drop(old)
		b.pending.put(n, sum)
	}
	b.coming = nil
	drop(g)
}

// addInto adds g to x, which nobody else sees.
func (x *Tensor) addInto(g *Tensor) {
	binaryInto(op.Add, x, operand{t: x}, operand{t: g}, x.dtype)
}

// exclusive reports whether a pending gradient is the only one that looks at its memory.
func (x *Tensor) exclusive() bool {
	return x.storage.holds == 1 && x.layout.IsContiguous() && x.layout.Offset == 0
}

// drop ends a pending gradient's claim on its memory.
func drop(g *Tensor) {
	if g == nil {
		return // none, or what stands for gradients that meet elsewhere
	}
	s := g.storage
	if s.holds == 0 {
		return // the memory belongs to the caller or to a leaf
	}
	if s.holds--; s.holds == 0 {
		s.discard()
	}
}

// settle turns a pending gradient into a tensor that stays: the memory itself where nobody else looks at it.
func settle(g *Tensor) *Tensor {
	if g.exclusive() {
		g.storage.holds = 0
		return g.storage.tensor(g.layout, g.dtype)
	}
	return newTensor("grad", g.storage.device, g.dtype, g.layout.Shape()).copyFrom(g)
}

// accumulate adds g to the leaf's gradient.
func (n *node) accumulate(g *Tensor) {
	g.refuseBackward()
	l := n.leaf
	if l.frozen.Load() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if g.dtype != l.dtype || g.storage.device != l.device {
		g = g.To(l.device, l.dtype)
	}
	if l.grad == nil {
		l.grad, l.own = settle(g), true
		return
	}
	if !l.grad.layout.Shape().Equal(g.layout.Shape()) {
		l.grad.checkCovers(op.Add, g)
		fail("backward", ErrShape, fmt.Sprintf("a gradient of shape %s cannot be added to the one of shape %s that SetData left; call ZeroGrad",
			g.layout.Shape().List(), l.grad.layout.Shape().List()), g, l.grad)
	}
	l.grad.addInto(g)
	l.grad.storage.version++
}

// abandon releases gradients that a failed Backward left pending or on their way, and what the failing gradient had
// computed.
func (b *backprop) abandon() {
	drop(b.leaving)
	drop(b.coming)
	for _, g := range b.given {
		drop(g.g)
	}
	b.scratch.Close()
	b.pending.drop()
	for n := range b.parts {
		b.dropParts(n)
	}
}
