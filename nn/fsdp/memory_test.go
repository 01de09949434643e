package fsdp_test

import (
	"errors"
	"fmt"
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/dist"
	"cresset/internal/race"
	"cresset/nn"
	"cresset/nn/fsdp"
	"cresset/optim"
	"cresset/tensor"
)

// deep has 24 layers of 127 KiB.
func deep() *nn.Sequential {
	seeding.Lock()
	defer seeding.Unlock()
	m := nn.NewSequential()
	for range 24 {
		m.Append(nn.NewLinear(180, 180), nn.NewTanh())
	}
	return m
}

func train(model nn.Module, dev device.Device) {
	opt := optim.NewSGD(nn.Parameters(model), optim.LR(0.1), optim.Momentum(0.9))
	for range 2 {
		opt.ZeroGrad()
		model.Forward(tensor.On(dev).Ones(1, 180)).Square().Mean().Backward()
		opt.Step()
	}
}

// TestLargerThanAGPU trains a model whose parameters, gradients and momenta, 9 MiB, do not fit into a GPU's 6 MiB: one GPU runs out of memory, three do not. A GPU's allocator takes
// 2 MiB at once, and has the collector run before it gives up.
func TestLargerThanAGPU(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector multiplies the collector's work, and there is nothing else here")
	}
	const limit = 6 << 20
	for i := range 4 {
		_, total, err := cuda.MemInfo(i)
		if err == nil {
			err = cuda.SetMemoryFraction((limit+0.5)/float64(total), i)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer cuda.SetMemoryFraction(1, i)
	}
	if err := cuda.EmptyCache(); err != nil {
		t.Fatal(err)
	}
	alone := device.CUDA(3)
	if err := tensor.Try(func() { train(nn.To(deep(), alone), alone) }); !errors.Is(err, tensor.ErrMemory) {
		t.Errorf("on one GPU: %v", err)
	}
	err := dist.Spawn(3, func(g *dist.Group) error {
		dev := device.CUDA(g.Rank())
		model, err := fsdp.NewFullyShardedDataParallel(deep(), g, fsdp.On(dev))
		if err != nil {
			return err
		}
		if err := tensor.Try(func() { train(model, dev) }); err != nil {
			return fmt.Errorf("%w\n%s", err, cuda.MemorySummary(g.Rank()))
		}
		return g.Barrier().Wait(ctx)
	})
	if err != nil {
		t.Error(err)
	}
}
