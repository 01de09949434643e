package tensor

import (
	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// link records copies as results of one node, in which their gradients meet: it passes them on by few launches and copies,
// however many tensors there are. Each copy has a node of its own that hands its gradient there.
func link(ts []*Tensor, copies [][]*Tensor) {
	var tracked []*Tensor
	for _, t := range ts {
		if t.node != nil {
			tracked = append(tracked, t)
		}
	}
	if len(tracked) == 0 {
		return
	}
	meeting := record(&Tensor{dtype: dtype.Float32}, op.Broadcast, broadcastGrad, len(copies), tracked...)
	slot := 0
	for _, replica := range copies {
		for i, t := range ts {
			if t.node == nil {
				continue
			}
			c := replica[i]
			if c == t {
				c = t.Detach()
				replica[i] = c
			}
			c.node = &node{op: op.Broadcast, back: copyOfGrad, params: slot, order: nodes.Add(1), out: c.dtype, layout: c.layout}
			c.node.edges = append(c.node.inEdge[:0], edge{to: meeting, layout: c.layout, dtype: c.dtype, device: c.storage.device})
			slot++
		}
	}
}

// copyOfGrad hands the gradient of one copy to the node of all.
func copyOfGrad(b *backprop, dy *Tensor) {
	if !b.needs(0) {
		return
	}
	to := b.current.edges[0].to
	if b.parts == nil {
		b.parts = make(map[*node][]*Tensor)
	}
	parts, met := b.parts[to]
	if !met {
		parts = make([]*Tensor, to.results())
		b.parts[to] = parts
		b.pending.put(to, nil)
	}
	if dy.storage.holds > 0 {
		dy.storage.holds++
	}
	g := *dy
	if g.scope = b.home; !b.creates {
		g.node = nil
	}
	parts[b.params().(int)] = &g
}

// results returns how many results a node has where their gradients meet.
func (n *node) results() int {
	if a, ok := n.params.(*application); ok {
		return len(a.results)
	}
	return len(n.edges) * n.params.(int)
}

// gather lets a node take the gradients that have arrived at it from its many results.
func (b *backprop) gather(n *node) {
	b.scratch.open()
	b.propagate(n, nil)
	b.dropParts(n)
}

func (b *backprop) dropParts(n *node) {
	for _, g := range b.parts[n] {
		drop(g)
	}
	delete(b.parts, n)
}

// termsAtOnce is of how many devices gradients are added by one launch: they take that much memory beside the sums.
const termsAtOnce = 3

// broadcastGrad adds the gradients of all copies on the first device, in the order of the devices.
func broadcastGrad(b *backprop, _ *Tensor) {
	if b.creates {
		b.addCopies()
		return
	}
	parts, like := b.parts[b.current], b.inputs()
	n := len(like)
	sums := parts[:n]
	var terms []*Tensor
	for at := n; at < len(parts); at += n {
		dev, some := deviceOf(parts[at : at+n])
		if !some {
			continue
		}
		if terms == nil {
			sums = b.sums(parts, like)
		}
		if len(terms) == termsAtOnce {
			terms = addTerms(sums, like, terms)
		}
		terms = append(terms, b.flatOn(like, parts[at:at+n], dev))
	}
	addTerms(sums, like, terms)
	for i, g := range sums {
		b.give(i, g)
	}
}

// addCopies is broadcastGrad by recorded ops.
func (b *backprop) addCopies() {
	parts := b.parts[b.current]
	for i := range b.current.edges {
		var sum *Tensor
		for at := i; at < len(parts); at += len(b.current.edges) {
			switch g := parts[at]; {
			case g == nil:
			case sum == nil:
				sum = g.To(b.current.edges[0].device)
			default:
				sum = sum.Add(g.To(b.current.edges[0].device))
			}
		}
		b.give(i, sum)
	}
}

// inputs returns tensors without memory, of the inputs' shapes and dtypes.
func (b *backprop) inputs() []*Tensor {
	ts := make([]*Tensor, len(b.current.edges))
	for i := range ts {
		e := &b.current.edges[i]
		ts[i] = &Tensor{layout: layout.Fresh(e.layout.Shape()...), dtype: e.dtype}
	}
	return ts
}

// deviceOf returns where the tensors are, of which some may be nil, and whether there is any.
func deviceOf(ts []*Tensor) (dev device.Device, some bool) {
	for _, t := range ts {
		if t != nil {
			return t.storage.device, true
		}
	}
	return dev, false
}

// sums returns what the gradients of the other copies are added to: those of the first, or what stands for them where others
// look at their memory; nil where no copy has one.
func (b *backprop) sums(parts, like []*Tensor) []*Tensor {
	sums := make([]*Tensor, len(like))
	for i, g := range parts[:len(like)] {
		switch {
		case g == nil && arrived(parts, i, len(like)):
			sums[i] = b.scratch.fresh(like[i], b.current.edges[i].device)
			sums[i].fill(backend.Scalar{})
		case g == nil:
		case g.exclusive():
			sums[i] = g
		default:
			sums[i] = b.scratch.fresh(like[i], g.storage.device)
			sums[i].copyFrom(g)
		}
	}
	return sums
}

// arrived reports whether any copy of tensor i of n has a gradient.
func arrived(parts []*Tensor, i, n int) bool {
	for ; i < len(parts); i += n {
		if parts[i] != nil {
			return true
		}
	}
	return false
}

// fresh returns an uninitialised tensor that belongs to the scope, with the layout and the dtype of like.
func (s *Scope) fresh(like *Tensor, dev device.Device) *Tensor {
	x := newResult(op.Broadcast.String(), dev, like.dtype, like.layout, nil)
	x.scope = s
	return x.inherit()
}

// flatOn returns the gradients of one device on the first, one behind the other.
func (b *backprop) flatOn(like, parts []*Tensor, dev device.Device) *Tensor {
	flat := b.scratch.flat(like, parts, dev)
	there := flat.To(b.current.edges[0].device)
	flat.storage.discard()
	return there
}

// addTerms adds to sums, of which some may be nil, what lies one behind the other in each of the terms, and gives the memory
// of the terms back. It returns no terms.
func addTerms(sums, like, terms []*Tensor) []*Tensor {
	if len(terms) == 0 {
		return terms
	}
	offsets, _ := placesOf(like)
	for _, dt := range [...]dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64} {
		addPieces(dt, sums, offsets, terms)
	}
	for _, t := range terms {
		t.storage.discard()
	}
	return terms[:0]
}

// addPieces is addTerms for the sums of one dtype, by one launch.
func addPieces(dt dtype.DType, sums []*Tensor, offsets []int, terms []*Tensor) {
	var to []backend.Piece
	var at []int
	for i, x := range sums {
		if x != nil && x.dtype == dt {
			to = append(to, backend.Piece{Buf: x.storage.buf, Bytes: x.layout.Size() * dt.Size()})
			at = append(at, offsets[i])
		}
	}
	buffers := make([]backend.Buffer, len(terms))
	for i, t := range terms {
		buffers[i] = t.storage.buf
	}
	checkDone(op.Broadcast.String(), gatherer(terms[0].storage).AddPieces(dt, to, at, buffers), terms...)
}
