package fsdp

import (
	"cresset/dist"
	"cresset/optim"
	"cresset/tensor"
)

// NewShardedGradScaler returns a scaler that skips a step on all ranks where a part of a gradient on one of them is not finite: PyTorch's ShardedGradScaler.
func NewShardedGradScaler(g *dist.Group, opts ...optim.GradScalerOption) *optim.GradScaler {
	agree := optim.FoundInf(func(found *tensor.Tensor) { must(g.AllReduce(found, dist.Max).Wait(ctx)) })
	return optim.NewGradScaler(append(opts[:len(opts):len(opts)], agree)...)
}
