package tensor

import (
	"cmp"
	"fmt"
	"slices"
)

// Grad returns the gradients of y with regard to inputs, without touching the Grad of any leaf. Only the part of the graph
// that lies between y and the inputs is walked, and gives its saved values up.
func Grad(y *Tensor, inputs []*Tensor, options ...GradOption) []*Tensor {
	b, unused, zeros := new(backprop), false, false
	for _, o := range options {
		switch o := o.(type) {
		case AllowUnused:
			unused = bool(o)
		case MaterializeGrads:
			zeros = bool(o)
		default:
			b.take(o)
		}
	}
	b.search = searchFor(y, inputs)
	b.run(y)
	found := b.search.found
	for i, g := range found {
		switch {
		case g == nil && zeros:
			found[i] = ZerosLike(inputs[i])
		case g == nil && !unused:
			failHint("grad", ErrAutograd, fmt.Sprintf("The differentiated Tensor at index %d appears to not have been used in the graph. Set "+
				"allow_unused=True if this is the desired behavior.", i),
				joined(describe(inputs[i:i+1]), "with the option tensor.AllowUnused(true) its gradient is nil"))
		}
	}
	return found
}

// searchFor looks for the gradients of y with regard to inputs.
func searchFor(y *Tensor, inputs []*Tensor) *search {
	refuseNil("grad", "outputs", 1, y)
	refuseNilIn("grad", inputs)
	if len(inputs) == 0 {
		fail("grad", ErrAutograd, "`inputs` argument to `grad()` cannot be empty.")
	}
	y.tracked("grad")
	s := &search{wanted: make(map[*node][]int, len(inputs)), found: make([]*Tensor, len(inputs))}
	for i, x := range inputs {
		x.current("grad")
		if x.node == nil {
			fail("grad", ErrAutograd, "One of the differentiated Tensors does not require grad", x)
		}
		s.wanted[x.node] = append(s.wanted[x.node], i)
	}
	s.plan(y.node)
	return s
}

// search is what Grad looks for, and the part of the graph that leads there.
type search struct {
	wanted map[*node][]int // the inputs that a node stands for
	above  map[*node]bool  // nodes with an edge towards a wanted one
	found  []*Tensor
}

// plan finds the nodes between a root, which may be nil, and what is wanted. Edges lead to older nodes, so the oldest
// come first.
func (s *search) plan(root *node) {
	s.above = make(map[*node]bool)
	seen := make(map[*node]bool)
	var all []*node
	visit := func(n *node) {
		if n != nil && !seen[n] {
			seen[n] = true
			all = append(all, n)
		}
	}
	visit(root)
	for i := 0; i < len(all); i++ {
		for _, e := range all[i].edges {
			visit(e.to)
		}
	}
	slices.SortFunc(all, func(m, n *node) int { return cmp.Compare(m.order, n.order) })
	for _, n := range all {
		s.above[n] = slices.ContainsFunc(n.edges, func(e edge) bool { return e.to != nil && s.enters(e.to) })
	}
}

// enters reports whether a gradient is needed at n.
func (s *search) enters(n *node) bool { return s.wanted[n] != nil || s.above[n] }

// passes reports whether a gradient is needed below n.
func (s *search) passes(n *node) bool { return s.above[n] }

// capture keeps the gradient that arrived at n where it is wanted: the tensor itself where the walk creates a graph. A nil search
// wants nothing.
func (s *search) capture(n *node, dy *Tensor, creates bool) {
	if s == nil || s.wanted[n] == nil {
		return
	}
	g := dy
	if !creates {
		g = settle(dy)
	}
	for _, i := range s.wanted[n] {
		s.found[i] = g
	}
}
