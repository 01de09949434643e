package tensor

import (
	"cmp"
	"fmt"
	"slices"

	"cresset/internal/op"
)

// region is the part of a graph that a function made and that lets go what its nodes saved: the first of them that Backward visits
// makes the function run once more, and all take over what the nodes saved that it makes then.
//
// A region may lie inside of another, whose function made its inputs: these are given up with what the nodes of the other saved, and
// come back with it.
type region struct {
	run     func(inputs []*Tensor, again bool) []*Tensor
	inputs  []*Tensor // nil where an outer region gave them up
	kept    node      // saves the inputs, so that a change in place is noticed
	members []member
	outer   *region
	inner   []*region // by the order of their making
	scope   *Scope    // of what the function computed the second time
	filled  bool
	left    int // members and inner regions with which the walk is not done
}

// member is a node of a region, with what it had before.
type member struct {
	node  *node
	back  gradient
	saved int
}

// checkpointed returns what run makes of inputs, without keeping what its gradients need. Again tells run that it computes for Backward.
func checkpointed(run func(inputs []*Tensor, again bool) []*Tensor, inputs []*Tensor) []*Tensor {
	refuseNilIn("checkpoint", inputs)
	for _, x := range inputs {
		x.refuseRecorded("checkpoint", "checkpoint a part of itself", "compile the part, and checkpoint what calls it")
	}
	r := &region{run: run}
	r.hold(inputs)
	for _, x := range inputs {
		if x.scope != nil && x.scope.region != nil {
			r.outer = x.scope.region
			break
		}
	}
	scope := NewScope()
	defer scope.Close()
	outs, made := r.compute(scope, false)
	for _, n := range made {
		r.members = append(r.members, member{n, n.back, len(n.saved)})
		n.free()
		n.freed = false
		n.back = r.gradientOf(len(r.members) - 1)
	}
	for _, in := range r.inner {
		in.drop()
	}
	if r.left = len(r.members) + len(r.inner); r.left > 0 && r.outer != nil {
		r.outer.inner = append(r.outer.inner, r)
	}
	results := make([]*Tensor, len(outs))
	for i, out := range outs {
		results[i] = scope.leaveTo(out, inputs)
	}
	return results
}

// hold keeps the inputs.
func (r *region) hold(inputs []*Tensor) {
	r.inputs, r.kept = slices.Clone(inputs), node{op: op.Alias}
	r.kept.save(inputs...)
}

// drop gives the inputs up.
func (r *region) drop() {
	r.inputs = nil
	r.kept.free()
}

// leaveTo returns x, a result in the scope, as one in the most recently opened scope among the inputs'.
func (s *Scope) leaveTo(x *Tensor, inputs []*Tensor) *Tensor {
	y := *x
	mine := s.disown(y.storage)
	if y.scope == s {
		y.scope = nil
		for _, in := range inputs {
			if in.scope != nil && (y.scope == nil || in.scope.order > y.scope.order) {
				y.scope = in.scope
			}
		}
	}
	if mine && y.scope != nil {
		y.scope.own(y.storage)
	}
	return &y
}

// compute runs the function on the inputs in a scope, and returns the nodes that have saved values, the oldest first.
func (r *region) compute(scope *Scope, again bool) (outs []*Tensor, made []*node) {
	inner := r.inner
	r.inner = nil
	scope.region = r
	inputs := make([]*Tensor, len(r.inputs))
	for i, x := range r.inputs {
		r.kept.use(i)
		inputs[i] = scope.Enter(x)
	}
	start := nodes.Load()
	outs = r.run(inputs, again)
	if made = madeSince(start, outs); again {
		r.checkSame(made, inner)
	}
	return outs, made
}

// madeSince returns the nodes with saved values that lead to outs and are younger than start, the oldest first.
func madeSince(start uint64, outs []*Tensor) (made []*node) {
	seen := make(map[*node]bool)
	var left []*node
	visit := func(n *node) {
		if n != nil && n.order > start && !seen[n] {
			seen[n] = true
			left = append(left, n)
		}
	}
	for _, out := range outs {
		visit(out.node)
	}
	for len(left) > 0 {
		n := left[len(left)-1]
		left = left[:len(left)-1]
		if len(n.saved) > 0 {
			made = append(made, n)
		}
		for i := range n.edges {
			visit(n.edges[i].to)
		}
	}
	slices.SortFunc(made, func(a, b *node) int { return cmp.Compare(a.order, b.order) })
	return made
}

// checkSame panics where the second run made other nodes than the first.
func (r *region) checkSame(made []*node, inner []*region) {
	saved, savedAgain := 0, 0
	for _, m := range r.members {
		saved += m.saved
	}
	for _, n := range made {
		savedAgain += len(n.saved)
	}
	if len(made) != len(r.members) || saved != savedAgain || len(inner) != len(r.inner) {
		fail("checkpoint", ErrAutograd, fmt.Sprintf("torch.utils.checkpoint: A different number of tensors was saved during the original forward "+
			"and recomputation.\nNumber of tensors saved during forward: %d\nNumber of tensors saved during recomputation: %d", saved, savedAgain))
	}
	for i, n := range made {
		if m := r.members[i]; n.op != m.node.op || len(n.saved) != m.saved || !sameResult(n, m.node) {
			fail("checkpoint", ErrAutograd, "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than "+
				"during the forward pass: what "+n.name()+" saved")
		}
	}
}

// sameResult reports whether two nodes stand for results of one shape; those of several results have none.
func sameResult(a, b *node) bool {
	if a.layout == nil || b.layout == nil {
		return a.layout == b.layout
	}
	return a.out == b.out && a.layout.Shape().Equal(b.layout.Shape())
}

// gradientOf returns what stands for the gradient function of member i: it sees to it that there are saved values.
func (r *region) gradientOf(i int) gradient {
	return func(b *backprop, dy *Tensor) {
		r.fill()
		r.members[i].back(b, dy)
		if !b.retain {
			r.done(b)
		}
	}
}

// fill runs the function again, after that of the outer region, and gives the members and the inner regions what it saved.
func (r *region) fill() {
	if r.filled {
		return
	}
	if r.outer != nil {
		r.outer.fill()
	}
	inner := r.inner
	r.scope = NewScope()
	_, made := r.compute(r.scope, true)
	for i, n := range made {
		r.members[i].node.saved = n.saved
	}
	for i, in := range inner {
		in.inputs, in.kept = r.inner[i].inputs, r.inner[i].kept
	}
	r.inner, r.filled = inner, true
	r.drop()
}

// done notes that a member or an inner region needs its saved values no more, and gives their memory back with the last; not that
// which a gradient on its way looks at.
func (r *region) done(b *backprop) {
	if r.left--; r.left > 0 {
		return
	}
	for _, p := range slices.Concat(b.pending.waiting, b.given) {
		if p.g != nil {
			r.scope.disown(p.g.storage)
		}
	}
	r.scope.Close()
	if r.outer != nil {
		r.outer.done(b)
	}
}
