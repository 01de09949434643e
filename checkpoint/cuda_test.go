package checkpoint_test

import (
	"path/filepath"
	"testing"

	"cresset/checkpoint"
	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/tensor"
)

// TestGPUs writes tensors of a GPU and reads to it, part by part where they are large, with their dtype converted on the way.
func TestGPUs(t *testing.T) {
	devicetest.Simulate(t)
	gpu := device.CUDA(0)
	path := filepath.Join(t.TempDir(), "x.safetensors")
	large := tensor.Arange(0, 3<<20, 1).Float().View(3, 1<<20)
	given := map[string]*tensor.Tensor{"large": large, "turned": large.Narrow(1, 0, 5).Transpose(0, 1), "flags": tensor.Of([]bool{true, false})}
	there := map[string]*tensor.Tensor{}
	for name, x := range given {
		there[name] = x.To(gpu)
	}
	if err := checkpoint.Write(path, there); err != nil {
		t.Fatal(err)
	}
	checkSame(t, path, given)
	f, err := checkpoint.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	read, err := f.Tensors(checkpoint.On(gpu), checkpoint.As(dtype.Float64))
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range read {
		want := given[name]
		if want.DType().IsFloat() {
			want = want.Double()
		}
		if x.Device() != gpu || x.DType() != want.DType() || !x.CPU().Equal(want) {
			t.Errorf("%s is not what was written", name)
		}
	}

	model, other := nn.CUDA(newNet()), newNet()
	if err := checkpoint.Save(path, model); err != nil {
		t.Fatal(err)
	}
	if err := checkpoint.Load(path, other, checkpoint.On(gpu)); err != nil {
		t.Fatal(err)
	}
	checkState(t, other, nn.State(model))
	if dev := other.At(0).(*nn.Linear).Weight.Device(); dev != gpu {
		t.Errorf("the model is on %v", dev)
	}
}
