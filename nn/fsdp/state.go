package fsdp

import (
	"context"

	"cresset/device"
	"cresset/nn"
	"cresset/tensor"
)

// FullState returns the whole model's state on rank 0, in memory of the host, and nil elsewhere: PyTorch's get_model_state_dict with full_state_dict. All ranks call it, between steps.
func (f *FullyShardedDataParallel[M]) FullState(ctx context.Context) (map[string]*tensor.Tensor, error) {
	s, state := f.sharder, map[string]*tensor.Tensor{}
	of := map[any]*tensor.Tensor{} // what several names share
	for _, p := range s.params {
		whole, err := s.gatherRows(ctx, p, p.shard, 0)
		if err != nil {
			return nil, err
		}
		of[inner.StorageOf(p.leaf)] = whole
	}
	if s.group.Rank() > 0 {
		return nil, nil
	}
	for name, x := range nn.State(f.Module) {
		if whole, ok := of[inner.StorageOf(x)]; ok {
			state[name] = whole
		} else {
			state[name] = x.To(device.CPU, tensor.Copy(true))
		}
	}
	return state, nil
}

// gatherRows returns on a rank, in memory of the host, what ranks have rows of as they have of a parameter, and nil elsewhere.
func (s *sharder) gatherRows(ctx context.Context, p *param, rows *tensor.Tensor, root int) (*tensor.Tensor, error) {
	g, host := s.group, tensor.On(device.CPU).As(rows.DType())
	mine := host.Zeros(p.room)
	mine.Narrow(0, 0, rows.NumEl()).CopyInPlace(rows.Detach().CPU().View(-1))
	if g.Rank() != root {
		return nil, g.Gather(nil, mine, root).Wait(ctx)
	}
	all := host.Empty(g.Size() * p.room)
	if err := g.Gather(all, mine, root).Wait(ctx); err != nil {
		return nil, err
	}
	return all.Narrow(0, 0, product(p.whole)).View(p.whole...), nil
}
