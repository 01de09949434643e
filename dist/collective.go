package dist

import (
	"fmt"

	"cresset/tensor"
)

// AllReduce replaces t's elements on all ranks by those of all ranks, joined.
func (g *Group) AllReduce(t *tensor.Tensor, op ReduceOp) *Work {
	g.check(allReduce, t)
	checkOp(allReduce, op, t)
	return g.begin(&Work{call: call{kind: allReduce, op: op, in: t, out: t}})
}

// Reduce replaces t's elements on the root by those of all ranks, joined; elsewhere t stays as it is.
func (g *Group) Reduce(t *tensor.Tensor, op ReduceOp, root int) *Work {
	g.check(reduce, t)
	g.checkRank(reduce, "root", root)
	checkOp(reduce, op, t)
	w := &Work{call: call{kind: reduce, op: op, peer: root, in: t}}
	if g.rank == root {
		w.call.out = t
	}
	return g.begin(w)
}

// Broadcast replaces t's elements on all ranks by the root's.
func (g *Group) Broadcast(t *tensor.Tensor, root int) *Work {
	g.check(broadcast, t)
	g.checkRank(broadcast, "root", root)
	return g.begin(&Work{call: call{kind: broadcast, peer: root, in: t, out: t}})
}

// AllGather fills out, which has Size times as many elements as in, with the in of all ranks, one behind the other.
func (g *Group) AllGather(out, in *tensor.Tensor) *Work {
	g.check(allGather, out, in)
	g.checkParts(allGather, "output", out, "input", in)
	return g.begin(&Work{call: call{kind: allGather, in: in, out: out}})
}

// ReduceScatter joins the in of all ranks and fills out with this rank's part of that: in has Size times as many elements as out.
func (g *Group) ReduceScatter(out, in *tensor.Tensor, op ReduceOp) *Work {
	g.check(reduceScatter, out, in)
	g.checkParts(reduceScatter, "input", in, "output", out)
	checkOp(reduceScatter, op, in)
	return g.begin(&Work{call: call{kind: reduceScatter, op: op, in: in, out: out}})
}

// AllToAll sends the parts of in, one to each rank, and fills out with the parts that the ranks send: PyTorch's all_to_all_single.
func (g *Group) AllToAll(out, in *tensor.Tensor) *Work {
	g.check(allToAll, out, in)
	if out.NumEl() != in.NumEl() || in.NumEl()%g.size != 0 {
		panic(fault(allToAll, tensor.ErrShape, fmt.Sprintf("output and input must have the same number of elements, a multiple of the %d ranks, but have %d and %d",
			g.size, out.NumEl(), in.NumEl())))
	}
	return g.begin(&Work{call: call{kind: allToAll, in: in, out: out}})
}

// Gather fills out on the root, which has Size times as many elements as in, with the in of all ranks. Elsewhere out is nil.
func (g *Group) Gather(out, in *tensor.Tensor, root int) *Work {
	g.checkRank(gather, "root", root)
	g.checkRoot(gather, "output", out, root)
	if out == nil {
		g.check(gather, in)
	} else {
		g.check(gather, out, in)
		g.checkParts(gather, "output", out, "input", in)
	}
	return g.begin(&Work{call: call{kind: gather, peer: root, in: in, out: out}})
}

// Scatter fills out with this rank's part of the root's in, which has Size times as many elements. Elsewhere in is nil.
func (g *Group) Scatter(out, in *tensor.Tensor, root int) *Work {
	g.checkRank(scatter, "root", root)
	g.checkRoot(scatter, "input", in, root)
	if in == nil {
		g.check(scatter, out)
	} else {
		g.check(scatter, out, in)
		g.checkParts(scatter, "input", in, "output", out)
	}
	return g.begin(&Work{call: call{kind: scatter, peer: root, in: in, out: out}})
}

// Barrier ends when all ranks have called it.
func (g *Group) Barrier() *Work { return g.begin(&Work{call: call{kind: barrier}}) }

// Send sends t to another rank, which receives it with the same tag.
func (g *Group) Send(t *tensor.Tensor, to, tag int) *Work {
	g.check(send, t)
	g.checkPeer(send, to, tag)
	return g.begin(&Work{call: call{kind: send, peer: to, tag: tag, in: t}})
}

// Receive fills t with what another rank sends with the same tag, which has as many bytes: PyTorch's recv.
func (g *Group) Receive(t *tensor.Tensor, from, tag int) *Work {
	g.check(receive, t)
	g.checkPeer(receive, from, tag)
	return g.begin(&Work{call: call{kind: receive, peer: from, tag: tag, out: t}})
}
