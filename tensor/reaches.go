package tensor

// reaches reports which of the leaves a Backward from outs would lead to.
func reaches(outs, leaves []*Tensor) []bool {
	seen := make(map[*node]bool)
	var look []*node
	meet := func(n *node) {
		if n != nil && !seen[n] {
			seen[n] = true
			look = append(look, n)
		}
	}
	for _, y := range outs {
		if y != nil {
			meet(y.node)
		}
	}
	for len(look) > 0 {
		n := look[len(look)-1]
		look = look[:len(look)-1]
		for _, e := range n.edges {
			meet(e.to)
		}
	}
	found := make([]bool, len(leaves))
	for i, x := range leaves {
		found[i] = x.node != nil && seen[x.node]
	}
	return found
}
