package dist

import (
	"fmt"

	"cresset/tensor"
)

// What an engine gets is checked before: MPICH's reads and writes where a wrong argument leads.

func fault(k kind, why error, text string) *tensor.Error {
	return &tensor.Error{Op: string(k), Kind: why, Err: fmt.Errorf("%s: %s", k, text)}
}

// check panics unless the tensors can take part in an operation together.
func (g *Group) check(k kind, ts ...*tensor.Tensor) {
	for _, t := range ts {
		switch {
		case t == nil:
			panic(fault(k, tensor.ErrValue, "expected a tensor, got nil"))
		case !t.IsContiguous():
			panic(fault(k, tensor.ErrShape, "Tensors must be contiguous"))
		case t.Device().IsMeta():
			panic(fault(k, tensor.ErrMeta, "tensors on meta have no elements"))
		case t.DType() != ts[0].DType():
			panic(fault(k, tensor.ErrDType, fmt.Sprintf("output and input must have the same dtype, but have %s and %s", ts[0].DType(), t.DType())))
		}
	}
}

// checkParts panics unless one tensor has as many elements as all ranks' others.
func (g *Group) checkParts(k kind, whole string, all *tensor.Tensor, part string, one *tensor.Tensor) {
	if all.NumEl() != g.size*one.NumEl() {
		panic(fault(k, tensor.ErrShape, fmt.Sprintf("the %s must have %d times as many elements as the %s, one for each rank, but they have %d and %d",
			whole, g.size, part, all.NumEl(), one.NumEl())))
	}
}

func (g *Group) checkRank(k kind, what string, rank int) {
	if rank < 0 || rank >= g.size {
		panic(fault(k, tensor.ErrValue, fmt.Sprintf("invalid %s rank: %d, of %d ranks", what, rank, g.size)))
	}
}

// checkRoot panics unless the root alone gives what the root has.
func (g *Group) checkRoot(k kind, what string, t *tensor.Tensor, root int) {
	switch {
	case g.rank == root && t == nil:
		panic(fault(k, tensor.ErrValue, fmt.Sprintf("the root needs an %s", what)))
	case g.rank != root && t != nil:
		panic(fault(k, tensor.ErrValue, fmt.Sprintf("requires an empty %s on non-root", what)))
	}
}

// mostTag is the largest tag that every MPI library takes.
const mostTag = 1<<15 - 1

func (g *Group) checkPeer(k kind, rank, tag int) {
	switch g.checkRank(k, "peer", rank); {
	case rank == g.rank:
		end := map[kind]string{send: "destination", receive: "source"}[k]
		panic(fault(k, tensor.ErrValue, fmt.Sprintf("Invalid %s rank: %[1]s rank should not be the same as the rank of the current process.", end)))
	case tag < 0 || tag > mostTag:
		panic(fault(k, tensor.ErrValue, fmt.Sprintf("tag %d is not between 0 and %d", tag, mostTag)))
	}
}

func checkOp(k kind, op ReduceOp, t *tensor.Tensor) {
	switch {
	case op > Max:
		panic(fault(k, tensor.ErrValue, fmt.Sprintf("%s is no operation", op)))
	case op == Avg && !t.DType().IsFloat():
		panic(fault(k, tensor.ErrDType, fmt.Sprintf("Cannot use ReduceOp.AVG with %s", t.DType())))
	}
}
