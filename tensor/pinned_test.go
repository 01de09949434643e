package tensor_test

import (
	"errors"
	"runtime"
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

func TestNonBlockingCopies(t *testing.T) {
	first, second := gpus(t)
	x := tensor.Randn(33, 7)
	p := x.PinMemory()
	if !p.IsPinned() || p.PinMemory() != p || x.IsPinned() || p.Device() != device.CPU {
		t.Error("PinMemory does not tell pinned tensors apart")
	}
	for _, dev := range []device.Device{first, second} {
		g := p.T().To(dev, tensor.NonBlocking(true))
		g.AddScalarInPlace(1) // kernels wait for the copy
		h := g.To(device.CPU, tensor.NonBlocking(true))
		g.ZeroInPlace() // and do not change what is still copied
		if err := cuda.Synchronize(int(dev.String()[len("cuda:")] - '0')); err != nil {
			t.Fatal(err)
		}
		if !h.IsPinned() || !sameBits(arrayOf(h), arrayOf(x.T().AddScalar(1))) {
			t.Errorf("%s: pinned %v, elements differ", dev, h.IsPinned())
		}
	}
	if y := x.To(first, dtype.Float64, tensor.NonBlocking(true)); !sameBits(arrayOf(y), arrayOf(x)) {
		t.Error("a copy that cannot run in the background is wrong")
	}
	err := tensor.Try(func() { tensor.On(first).Ones(1).PinMemory() })
	if err == nil || err.Error() != "cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned" || !errors.Is(err, tensor.ErrDevice) {
		t.Errorf("got %v", err)
	}
}

func TestPinnedMemoryComesBack(t *testing.T) {
	dev := gpu(t)
	for i := range 200 {
		p := tensor.Full([]int{1000}, float32(i)).PinMemory()
		g := p.To(dev, tensor.NonBlocking(true))
		if i%2 == 0 {
			p.Release()
		}
		if i%20 == 0 {
			runtime.GC()
		}
		if got := g.Sum().Float64(); got != float64(1000*i) {
			t.Fatalf("copy %d sums to %v", i, got)
		}
	}
	p := tensor.Ones(4).PinMemory()
	data := tensor.Data[float32](p)
	p.Release()
	tensor.Full([]int{4}, float32(7)).PinMemory()
	if data[0] != 1 {
		t.Error("memory that was shown as a slice was used again")
	}
}

func TestGradientsFlowThroughNonBlockingCopies(t *testing.T) {
	dev := gpu(t)
	x := tensor.Ones(3).PinMemory().SetRequiresGrad(true)
	x.To(dev, tensor.NonBlocking(true)).MulScalar(3).Sum().Backward()
	if got := x.Grad().String(); got != "tensor([3., 3., 3.])" {
		t.Errorf("got %s", got)
	}
}
