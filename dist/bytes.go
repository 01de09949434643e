package dist

import (
	"context"

	"cresset/dtype"
	"cresset/tensor"
)

// AllGatherBytes returns the bytes that each rank gives, of any lengths: PyTorch's all_gather_object, for which encoding/json or encoding/gob make bytes of values.
func (g *Group) AllGatherBytes(ctx context.Context, b []byte) ([][]byte, error) {
	lengths := tensor.Empty(g.size).To(dtype.Int64)
	if err := g.AllGather(lengths, tensor.FromSlice([]int64{int64(len(b))})).Wait(ctx); err != nil {
		return nil, err
	}
	longest := int64(0)
	for _, n := range tensor.Values[int64](lengths) {
		longest = max(longest, n)
	}
	mine, all := make([]uint8, longest), tensor.Empty(g.size*int(longest)).To(dtype.Uint8)
	copy(mine, b)
	if err := g.AllGather(all, tensor.FromSlice(mine)).Wait(ctx); err != nil {
		return nil, err
	}
	bytes, each := tensor.Values[uint8](all), make([][]byte, g.size)
	for rank, n := range tensor.Values[int64](lengths) {
		each[rank] = bytes[int64(rank)*longest:][:n:n]
	}
	return each, nil
}

// BroadcastBytes returns the bytes that the root gives on all ranks: PyTorch's broadcast_object_list.
func (g *Group) BroadcastBytes(ctx context.Context, b []byte, root int) ([]byte, error) {
	length := tensor.FromSlice([]int64{int64(len(b))})
	if err := g.Broadcast(length, root).Wait(ctx); err != nil {
		return nil, err
	}
	sent := make([]uint8, tensor.Values[int64](length)[0])
	copy(sent, b)
	t := tensor.FromSlice(sent)
	if err := g.Broadcast(t, root).Wait(ctx); err != nil {
		return nil, err
	}
	return tensor.Values[uint8](t), nil
}
