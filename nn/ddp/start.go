package ddp

import (
	"encoding/json"
	"fmt"
	"slices"

	"cresset/tensor"
)

// start compares the ranks' parameters, gives all of them rank 0's values, and prepares the buckets.
func (r *reducer) start(all []*tensor.Tensor) error {
	if err := r.compare("params", r.params); err != nil {
		return err
	}
	if len(r.params) == 0 {
		return fault("DistributedDataParallel is not needed when a module doesn't have any parameters that require a gradient.")
	}
	frozen := slices.DeleteFunc(slices.Clone(all), (*tensor.Tensor).RequiresGrad)
	if err := r.compare("frozen params and buffers", slices.Concat(frozen, r.buffers)); err != nil {
		return err
	}
	if err := r.broadcast(all); err != nil {
		return err
	}
	if err := r.broadcast(r.buffers); err != nil {
		return err
	}
	r.fill()
	for i, p := range r.params {
		p.RegisterPostAccumulateGradHook(func(*tensor.Tensor) { r.arrived(i) })
	}
	return nil
}

// compare returns an error unless all ranks have tensors of the same dtypes and shapes.
func (r *reducer) compare(what string, ts []*tensor.Tensor) error {
	mine := make([][]int, len(ts))
	for i, p := range ts {
		mine[i] = append([]int{int(p.DType())}, p.Shape()...)
	}
	text, err := json.Marshal(mine)
	if err != nil {
		return err
	}
	texts, err := r.group.AllGatherBytes(ctx, text)
	if err != nil {
		return err
	}
	var first [][]int
	for rank, text := range texts {
		var theirs [][]int
		if err := json.Unmarshal(text, &theirs); err != nil {
			return err
		}
		switch {
		case rank == 0:
			first = theirs
		case len(theirs) != len(first):
			return fault(fmt.Sprintf("DDP expects same model across all ranks, but Rank 0 has %d %s, while rank %d has inconsistent %d %[2]s.", len(first), what, rank, len(theirs)))
		}
		for i := range theirs {
			if !slices.Equal(theirs[i], first[i]) {
				return fault(fmt.Sprintf("[%d]: %s[%d] in this process with sizes %s appears not to match sizes of the same param in process 0.", rank, what, i, tensor.Shape(theirs[i][1:]).List()))
			}
		}
	}
	return nil
}

// broadcast gives tensors rank 0's values.
func (r *reducer) broadcast(ts []*tensor.Tensor) error {
	for _, group := range likes(ts) {
		flat := flatten(group)
		if err := r.group.Broadcast(flat, 0).Wait(ctx); err != nil {
			return err
		}
		for i, view := range views(flat, group) {
			group[i].Detach().CopyInPlace(view)
		}
	}
	return nil
}

// likes returns tensors by dtype and device, each in their order.
func likes(ts []*tensor.Tensor) (groups [][]*tensor.Tensor) {
next:
	for _, t := range ts {
		for i, g := range groups {
			if g[0].DType() == t.DType() && g[0].Device() == t.Device() {
				groups[i] = append(g, t)
				continue next
			}
		}
		groups = append(groups, []*tensor.Tensor{t})
	}
	return groups
}

// flatten returns the elements of tensors that are alike, one behind the other.
func flatten(ts []*tensor.Tensor) *tensor.Tensor {
	lines := make([]*tensor.Tensor, len(ts))
	for i, t := range ts {
		lines[i] = t.Detach().Reshape(-1)
	}
	return tensor.Cat(lines, 0)
}

// views returns the parts of a flat tensor that stand for tensors.
func views(flat *tensor.Tensor, ts []*tensor.Tensor) []*tensor.Tensor {
	parts, at := make([]*tensor.Tensor, len(ts)), 0
	for i, t := range ts {
		parts[i] = flat.Narrow(0, at, t.NumEl()).View(t.Shape()...)
		at += t.NumEl()
	}
	return parts
}
