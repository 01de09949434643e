package tensor_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// gpu returns a GPU, a simulated one where DEVICES names none.
func gpu(t testing.TB) device.Device {
	t.Helper()
	first, _ := gpus(t)
	return first
}

// gpus returns the first GPU and another, which is the first again where there is but one.
func gpus(t testing.TB) (first, second device.Device) {
	t.Helper()
	devicetest.Simulate(t)
	n := cuda.DeviceCount()
	if n == 0 {
		t.Skip("there is no GPU")
	}
	return device.CUDA(0), device.CUDA(min(1, n-1))
}

// twoGPUs is gpus for a test that is about two.
func twoGPUs(t testing.TB) (first, second device.Device) {
	t.Helper()
	if first, second = gpus(t); first == second {
		t.Skip("there is one GPU, and this needs two")
	}
	return first, second
}

func TestDevicesMustAgree(t *testing.T) {
	first, second := gpus(t)
	on := func(dev device.Device, sizes ...int) *tensor.Tensor { return tensor.On(dev).Ones(sizes...) }
	const head = "Expected all tensors to be on the same device, but found at least two devices, "
	tests := []struct {
		name string
		do   func()
		want string
	}{
		{"add", func() { on(device.CPU, 2).Add(on(first, 2)) }, head + "cuda:0 and cpu!"},
		{"two GPUs", func() { on(second, 2).Mul(on(first, 2)) }, head + "cuda:1 and cuda:0!"},
		{"in place", func() { on(device.CPU, 2).AddInPlace(on(first, 2)) }, head + "cuda:0 and cpu!"},
		{"number on the GPU", func() { on(first).Add(on(device.CPU, 2)) }, head + "cuda:0 and cpu!"},
		{"number as the result", func() { on(device.CPU).AddInPlace(on(first)) }, head + "cuda:0 and cpu!"},
		{"where", func() { tensor.Where(on(first, 2).GtScalar(0), on(device.CPU, 2), 1) }, head + "cuda:0 and cpu!"},
		{"two numbers", func() { tensor.Where(on(first, 2).GtScalar(0), on(device.CPU), on(device.CPU)) },
			"Trying to pass too many CPU scalars to non-CPU kernel!"},
		{"mm", func() { on(device.CPU, 2, 2).MM(on(first, 2, 2)) },
			head + "cpu and cuda:0! (when checking argument for argument mat2 in method wrapper_CUDA_mm)"},
		{"linear", func() { on(device.CPU, 2, 3).Linear(on(first, 1, 3), on(first, 1)) },
			head + "cuda:0 and cpu! (when checking argument for argument mat1 in method wrapper_CUDA_addmm)"},
		{"linear of notes 003", func() { on(first, 2, 3).Linear(on(device.CPU, 1, 3), on(device.CPU, 1)) },
			head + "cpu and cuda:0! (when checking argument for argument mat1 in method wrapper_CUDA_addmm)"},
		{"cat", func() { tensor.Cat([]*tensor.Tensor{on(first, 2), on(device.CPU, 2)}, 0) },
			head + "cuda:0 and cpu! (when checking argument for argument tensors in method wrapper_CUDA_cat)"},
		{"embedding", func() { tensor.Embedding(on(first, 4, 2), tensor.Of([]int{1})) },
			head + "cuda:0 and cpu! (when checking argument for argument index in method wrapper_CUDA__index_select)"},
		{"matrix and vector", func() { on(first, 2, 2).MV(on(device.CPU, 2)) },
			head + "cpu and cuda:0! (when checking argument for argument mat in method wrapper_CUDA_addmv_)"},
		{"mask", func() { on(first, 2).MaskedFill(on(device.CPU, 2).GtScalar(0), 1) },
			"expected self and mask to be on the same device, but got mask on cpu and self on cuda:0"},
		{"mask in place", func() { on(device.CPU, 2).MaskedFillInPlace(on(first, 2).GtScalar(0), 1) },
			"expected self and mask to be on the same device, but got mask on cuda:0 and self on cpu"},
		{"equal", func() { on(first, 2).Equal(on(device.CPU, 2)) },
			head + "cuda:0 and cpu! (when checking argument for argument other in method wrapper_CUDA__equal)"},
		{"convolution", func() { on(first, 1, 1, 2, 2).Conv2D(on(device.CPU, 1, 1, 1, 1), nil) },
			"Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same"},
		{"convolution on two GPUs", func() { on(first, 1, 1, 2, 2).Conv2D(on(second, 1, 1, 1, 1), nil) },
			head + "cuda:0 and cuda:1! (when checking argument for argument weight in method wrapper_CUDA__cudnn_convolution)"},
		{"bias of a convolution", func() { on(first, 1, 1, 2, 2).Conv2D(on(first, 1, 1, 1, 1), on(device.CPU, 1)) },
			"Input type (torch.cuda.FloatTensor) and bias type (torch.FloatTensor) should be the same"},
		{"bias of a convolution on two GPUs", func() { on(first, 1, 1, 2, 2).Conv2D(on(first, 1, 1, 1, 1), on(second, 1)) },
			head + "cuda:0 and cuda:1!"},
		{"gradient to begin with", func() { tensor.Parameter(on(first, 2)).Backward(tensor.Gradient(on(device.CPU, 2))) },
			"invalid gradient at index 0 - expected device cuda:0 but got cpu"},
		{"slice of a GPU tensor", func() { tensor.Data[float32](on(first, 2)) },
			"can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."},
		{"no such GPU", func() { on(device.CUDA(100), 2) }, "CUDA error: invalid device ordinal\n" +
			"CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\n" +
			"For debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"},
	}
	for _, tt := range tests {
		if first == second && strings.Contains(tt.want, "cuda:1") {
			continue // it is about two GPUs
		}
		err := tensor.Try(tt.do)
		if err == nil || err.Error() != tt.want || !errors.Is(err, tensor.ErrDevice) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestNumbersOnTheCPUMeetGPUTensors(t *testing.T) {
	dev := gpu(t)
	x := tensor.On(dev).Of([]float64{1, 2, 3})
	n := tensor.Of(0.1)
	k := tensor.Of(int64(1)<<60 + 1)
	tests := []struct {
		name string
		y    *tensor.Tensor
		want []float64
	}{
		{"add", x.Add(n), []float64{1.1, 2.1, 3.1}},
		{"from the left", n.Sub(x), []float64{0.1 - 1, 0.1 - 2, 0.1 - 3}},
		{"where", tensor.Where(x.Gt(tensor.Of(1.5)), x, n), []float64{0.1, 2, 3}},
		{"in place", x.Clone().MulInPlace(tensor.Of(2)), []float64{2, 4, 6}},
		{"float32 into float64", x.Add(tensor.Of(float32(0.1))), []float64{1 + float64(float32(0.1)), 2 + float64(float32(0.1)), 3 + float64(float32(0.1))}},
	}
	for _, tt := range tests {
		if got := tensor.Values[float64](tt.y); !slices.Equal(got, tt.want) || tt.y.Device() != dev {
			t.Errorf("%s: got %v on %s, want %v", tt.name, got, tt.y.Device(), tt.want)
		}
	}
	if got := tensor.Values[int64](tensor.On(dev).Of([]int{1}).Add(k)); got[0] != 1<<60+2 {
		t.Errorf("an integer beyond float64 became %d", got[0]-1)
	}
	leaf := tensor.Of(2.0).SetRequiresGrad(true)
	x.Mul(leaf).Sum().Backward()
	if g := leaf.Grad(); g == nil || g.Float64() != 6 || g.Device() != device.CPU {
		t.Errorf("the number's gradient is %v", g)
	}
}

func TestCopiesKeepEveryBit(t *testing.T) {
	first, second := gpus(t)
	for _, dt := range allTypes {
		bytes := make([]uint8, 64)
		for i := range bytes {
			bytes[i] = uint8(i*37 + 11)
		}
		x := tensor.FromSlice(bytes).To(dt).Reshape(8, 8).T()
		y := x.To(first).Slice(0, 1, 7).To(second).To(device.CPU).To(first).CPU()
		if got, want := arrayOf(y), arrayOf(x.Slice(0, 1, 7)); !sameBits(got, want) {
			t.Errorf("%s: got %v, want %v", dt, got, want)
		}
	}
	shared := []float32{1, 2, 3}
	g := tensor.FromSlice(shared).To(first)
	shared[0] = 100
	if got := tensor.Values[float32](g); got[0] != 1 {
		t.Errorf("the copy follows the slice: %v", got)
	}
	nan := math.Float32frombits(0x7fc12345)
	if got := tensor.Values[float32](tensor.FromSlice([]float32{nan}).To(second)); math.Float32bits(got[0]) != 0x7fc12345 {
		t.Errorf("NaN came back as %#x", math.Float32bits(got[0]))
	}
}

// TestCopyInPlaceBetweenDevices writes parts and transposes of a tensor from another device, in its layout or another, and dtype.
func TestCopyInPlaceBetweenDevices(t *testing.T) {
	first, second := gpus(t)
	for _, to := range []device.Device{device.CPU, first} {
		for _, from := range []device.Device{device.CPU, first, second} {
			src := tensor.On(from).Arange(0, 12, 1).To(dtype.Float32).Reshape(3, 4)
			for name, c := range map[string]struct {
				part func(x *tensor.Tensor) *tensor.Tensor
				src  *tensor.Tensor
			}{
				"all":          {func(x *tensor.Tensor) *tensor.Tensor { return x.Slice(0, 0, 3) }, src},
				"rows behind":  {func(x *tensor.Tensor) *tensor.Tensor { return x.Slice(0, 2, 5) }, src},
				"columns":      {func(x *tensor.Tensor) *tensor.Tensor { return x.Slice(0, 1, 4).Slice(1, 0, 2) }, src.Slice(1, 1, 3)},
				"a transpose":  {func(x *tensor.Tensor) *tensor.Tensor { return x.T().Slice(1, 1, 4) }, src.T()},
				"of a row":     {func(x *tensor.Tensor) *tensor.Tensor { return x.Slice(0, 1, 4) }, src.Slice(0, 1, 2)},
				"of a float64": {func(x *tensor.Tensor) *tensor.Tensor { return x.Slice(0, 2, 5) }, src.Double()},
			} {
				got, want := tensor.On(to).Zeros(5, 4), tensor.Zeros(5, 4)
				c.part(got).CopyInPlace(c.src)
				c.part(want).CopyInPlace(c.src.CPU())
				if !sameBits(arrayOf(got), arrayOf(want)) {
					t.Errorf("%s, %v to %v: got %v, want %v", name, from, to, got, want)
				}
			}
		}
	}
}

func TestGradientsFlowThroughCopies(t *testing.T) {
	first, second := gpus(t)
	x := tensor.Of([]float32{1, 2, 3}).SetRequiresGrad(true)
	y := x.To(first).MulScalar(2).To(second, dtype.Float64)
	y.Mul(y).Sum().Backward()
	if got, want := x.Grad().String(), "tensor([ 8., 16., 24.])"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestCurrentDevice(t *testing.T) {
	first, second := gpus(t)
	t.Cleanup(func() { cuda.SetDevice(0) })
	for _, dev := range []device.Device{first, second} {
		index, _ := dev.Index()
		if err := cuda.SetDevice(index); err != nil {
			t.Fatal(err)
		}
		x := tensor.On(device.CUDA()).Ones(2)
		if x.Device() != dev || tensor.Ones(2).CUDA().Device() != dev {
			t.Errorf("cuda is %s, want %s", x.Device(), dev)
		}
		if x.To(device.CUDA()) != x {
			t.Error("a tensor on the current device was copied to cuda")
		}
		other := tensor.On(second).Ones(2).AddScalar(1)
		if other.Device() != second {
			t.Errorf("an op left its tensors' device for %s", other.Device())
		}
	}
}

func TestGPUTensorsPrintTheirDevice(t *testing.T) {
	first, second := gpus(t)
	x := tensor.On(first).Of([]int{1, 2, 3})
	tests := []struct{ got, want string }{
		{x.Pow(2).Add(x).MulScalar(3).String(), "tensor([ 6, 18, 36], device='cuda:0')"},
		{tensor.On(second).Ones(2, 2).SetRequiresGrad(true).MulScalar(2).String(),
			"tensor([[2., 2.],\n        [2., 2.]], device='" + second.String() + "', grad_fn=<MulBackward0>)"},
		{tensor.On(first).Arange(0, 2000, 1).String(), "tensor([   0,    1,    2,  ..., 1997, 1998, 1999], device='cuda:0')"},
		{tensor.On(first).As(dtype.Float16).Full([]int{1}, 0.5).String(), "tensor([0.5000], device='cuda:0', dtype=torch.float16)"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
}

func TestMissingKernelsAreNamed(t *testing.T) {
	dev := gpu(t)
	whole := tensor.On(dev).As(dtype.Int32).Ones(2, 2)
	err := tensor.Try(func() { whole.MM(whole) })
	var e *tensor.Error
	if !errors.As(err, &e) || !errors.Is(err, tensor.ErrKernel) || !strings.Contains(err.Error(), "mm") || !strings.Contains(e.Hint(), "doctor --ops") {
		t.Errorf("got %v with the hint %q", err, e.Hint())
	}
}

// TestKernelsHaveTheirNamesOnGPUs: the texts are PyTorch's for its CUDA kernels.
func TestKernelsHaveTheirNamesOnGPUs(t *testing.T) {
	first := gpu(t)
	truths, halves := tensor.On(first).Ones(2, 2).To(dtype.Bool), tensor.On(first).Ones(2, 2).To(dtype.Float16)
	for want, f := range map[string]func(){
		"\"addmm_cuda\" not implemented for 'Bool'":               func() { truths.MM(truths) },
		"argmax(): does not support bool input":                   func() { truths.ArgMax() },
		"\"floor_cuda\" not implemented for 'Bool'":               func() { truths.Floor() },
		"\"abs_cuda\" not implemented for 'Bool'":                 func() { truths.Abs() },
		"\"host_softmax\" not implemented for 'Bool'":             func() { truths.Softmax(1) },
		"\"elu_cuda\" not implemented for 'Bool'":                 func() { truths.SELU() },
		"\"log_sigmoid_forward_cuda\" not implemented for 'Bool'": func() { truths.LogSigmoid() },
		"\"GeluCUDAKernelImpl\" not implemented for 'Bool'":       func() { truths.GELU() },
		"\"bitwise_and_cuda\" not implemented for 'Half'":         func() { halves.BitwiseAnd(halves) },
	} {
		if err := tensor.Try(f); err == nil || err.Error() != want || !errors.Is(err, tensor.ErrKernel) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestForgottenGPUTensors drops tensors as fast as it makes them.
func TestForgottenGPUTensors(t *testing.T) {
	dev := gpu(t)
	tensor.On(dev).Empty(1)
	cuda.EmptyCache()
	cuda.ResetPeakMemoryStats(0)
	before := cuda.MemoryReserved(0)
	n := 100_000
	if testing.Short() {
		n = 20_000
	}
	for range n {
		tensor.On(dev).Empty(1024)
	}
	if peak := cuda.MaxMemoryReserved(0) - before; peak > 64<<20 {
		t.Errorf("peaked at %d MiB", peak>>20)
	}
}

func TestScopesFreeGPUMemory(t *testing.T) {
	dev := gpu(t)
	x := tensor.On(dev).Rand(64, 64)
	before := cuda.MemoryAllocated(0)
	s := tensor.NewScope()
	y := s.Enter(x)
	for range 10 {
		y = y.MatMul(x).Tanh()
	}
	s.Close()
	if after := cuda.MemoryAllocated(0); after > before {
		t.Errorf("%d bytes are left", after-before)
	}
	if err := tensor.Try(func() { y.Add(x) }); !errors.Is(err, tensor.ErrReleased) {
		t.Errorf("got %v", err)
	}
}
