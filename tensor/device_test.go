package tensor

import (
	"testing"

	"cresset/device"
	"cresset/dtype"
)

func TestTensorsOfAnotherDevicePrintIt(t *testing.T) {
	dev := LendDevice(t)
	x := On(dev).Ones(2, 3).SetRequiresGrad(true)
	w := On(dev).Ones(3, 1)
	tests := []struct {
		name string
		x    *Tensor
		want string
	}{
		{"integers", On(dev).Of([]int{1, 4, 9}), "tensor([1, 4, 9], device='xla:0')"},
		{"leaf", x, "tensor([[1., 1., 1.],\n        [1., 1., 1.]], device='xla:0', requires_grad=True)"},
		{"result", x.MatMul(w), "tensor([[3.],\n        [3.]], device='xla:0', grad_fn=<MmBackward0>)"},
		{"empty", On(dev).As(dtype.Int32).Zeros(0, 3), "tensor([], device='xla:0', size=(0, 3), dtype=torch.int32)"},
		{"summary", On(dev).Arange(0, 1001, 1), "tensor([   0,    1,    2,  ...,  998,  999, 1000], device='xla:0')"},
		{"draws", On(dev).With(&Generator{dev, NewGenerator(0).stream}).Rand(2), "tensor([0.4963, 0.7682], device='xla:0')"},
	}
	for _, tt := range tests {
		if got := tt.x.String(); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestToAnotherDevice(t *testing.T) {
	dev := LendDevice(t)
	x := Arange(0.0, 6, 1).View(2, 3).SetRequiresGrad(true)
	y := x.T().To(dev, dtype.Float64)
	if got, want := y.String(), "tensor([[0., 3.],\n        [1., 4.],\n        [2., 5.]], device='xla:0', dtype=torch.float64,\n       grad_fn=<ToCopyBackward0>)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := y.Stride(), x.T().Stride(); got[0] != want[0] || got[1] != want[1] {
		t.Errorf("strides %v, want %v", got, want)
	}
	y.MulScalar(2).Sum().Backward()
	if got, want := x.Grad().String(), "tensor([[2., 2., 2.],\n        [2., 2., 2.]])"; got != want {
		t.Errorf("gradient %s, want %s", got, want)
	}
	if z := y.To(dev); z != y {
		t.Error("To the same device does not return the tensor")
	}
	if got, want := y.Slice(0, 1, 3).CPU().String(), "tensor([[1., 4.],\n        [2., 5.]], dtype=torch.float64, grad_fn=<ToCopyBackward0>)"; got != want {
		t.Errorf("back: got %s, want %s", got, want)
	}
	checkErrors(t, []errorCase{
		{text: "can't convert xla:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.", kind: ErrDevice,
			do: func() { Data[float64](y.Detach()) }},
		{text: "Expected a 'xla' device type for generator but found 'cpu'", kind: ErrDevice,
			do: func() { On(dev).With(NewGenerator(0)).Rand(2) }},
		{text: "Expected a 'cpu' device type for generator but found 'xla'", kind: ErrDevice,
			do: func() { On(device.CPU).With(&Generator{device: dev}).Rand(2) }},
	})
}
