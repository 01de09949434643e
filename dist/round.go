package dist

import "cresset/tensor"

// join adds a rank's call to its round, which it carries out if it is the last. The caller holds r.mu.
func (r *room) join(rank, number int, c *call) *round {
	at := r.rounds[number]
	if at == nil {
		at = &round{room: r, calls: make([]*call, r.size), ending: ending{done: make(chan struct{})}}
		r.rounds[number] = at
	}
	at.calls[rank] = c
	at.arrived++
	switch err := at.fault(r, rank); {
	case at.err != nil: // it has failed for those who came before
	case err != nil:
		at.end(err)
	case at.arrived == r.size:
		at.end(tensor.Try(at.run))
	}
	if at.arrived == r.size {
		delete(r.rounds, number)
	}
	return at
}

// missing returns the ranks that have not come.
func (at *round) missing() (ranks []int) {
	at.room.mu.Lock()
	defer at.room.mu.Unlock()
	for rank, c := range at.calls {
		if c == nil {
			ranks = append(ranks, rank)
		}
	}
	return ranks
}

// fault returns why a round cannot be carried out since a rank has come.
func (at *round) fault(r *room, rank int) error {
	for other, c := range at.calls {
		switch {
		case c == nil && r.gone[other] != nil:
			return &RankError{other, r.gone[other]}
		case c != nil && c.String() != at.calls[rank].String():
			first, second := min(rank, other), max(rank, other)
			return &MismatchError{Ranks: [2]int{first, second}, Calls: [2]string{at.calls[first].String(), at.calls[second].String()},
				Sites: [2]string{at.calls[first].place(), at.calls[second].place()}}
		}
	}
	return nil
}

// run carries a round out.
func (at *round) run() {
	size := len(at.calls)
	ins, root := make([]*tensor.Tensor, size), at.calls[at.calls[0].peer]
	for i, c := range at.calls {
		ins[i] = c.in
	}
	switch first := at.calls[0]; first.kind {
	case allReduce:
		first.op.join(first.out, ins)
		at.fill(func(int) *tensor.Tensor { return first.out })
	case reduce:
		root.op.join(root.out, ins)
	case reduceScatter:
		for rank, c := range at.calls {
			parts := make([]*tensor.Tensor, size)
			for i, in := range ins {
				parts[i] = part(in, rank, size)
			}
			c.op.join(c.out, parts)
		}
	case broadcast:
		at.fill(func(int) *tensor.Tensor { return root.in })
	case allGather:
		all := tensor.Cat(flat(ins), 0)
		at.fill(func(int) *tensor.Tensor { return all })
	case gather:
		root.out.CopyInPlace(tensor.Cat(flat(ins), 0).View(root.out.Shape()...))
	case scatter:
		at.fill(func(rank int) *tensor.Tensor { return part(root.in, rank, size) })
	case allToAll:
		at.fill(func(rank int) *tensor.Tensor {
			parts := make([]*tensor.Tensor, size)
			for i, in := range ins {
				parts[i] = part(in, rank, size)
			}
			return tensor.Cat(parts, 0)
		})
	}
}

// fill copies to each rank's result.
func (at *round) fill(from func(rank int) *tensor.Tensor) {
	for rank, c := range at.calls {
		if x := from(rank); x != c.out {
			c.out.CopyInPlace(x.View(c.out.Shape()...))
		}
	}
}

// part returns one of n equal parts of x's elements.
func part(x *tensor.Tensor, i, n int) *tensor.Tensor {
	each := x.NumEl() / n
	return x.View(-1).Narrow(0, i*each, each)
}

func flat(ts []*tensor.Tensor) []*tensor.Tensor {
	lines := make([]*tensor.Tensor, len(ts))
	for i, t := range ts {
		lines[i] = t.View(-1)
	}
	return lines
}
