package tensor_test

import (
	"errors"
	"fmt"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

func TestMetaTensorsPrint(t *testing.T) {
	meta := tensor.On(device.Meta)
	for _, tc := range []struct {
		x    *tensor.Tensor
		want string
	}{
		{meta.Ones(2, 3), "tensor(..., device='meta', size=(2, 3))"},
		{meta.Ones(), "tensor(..., device='meta', size=())"},
		{meta.Ones(4), "tensor(..., device='meta', size=(4,))"},
		{meta.Ones(0, 4), "tensor(..., device='meta', size=(0, 4))"},
		{meta.As(dtype.Int64).Zeros(4), "tensor(..., device='meta', size=(4,), dtype=torch.int64)"},
		{meta.Ones(2).SetRequiresGrad(true), "tensor(..., device='meta', size=(2,), requires_grad=True)"},
		{tensor.On(device.MustParse("meta:0")).Ones(2).MulScalar(3), "tensor(..., device='meta', size=(2,))"},
	} {
		if got := fmt.Sprint(tc.x); got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
	}
}

// TestMetaComputesShapes goes forward and backward without an element.
func TestMetaComputesShapes(t *testing.T) {
	x := tensor.Rand(8, 4).To(device.Meta)
	w := tensor.Parameter(tensor.On(device.Meta).Randn(4, 1<<40))
	y := x.MatMul(w)
	if got := fmt.Sprint(y.Shape(), y.Device()); got != "torch.Size([8, 1099511627776]) meta" {
		t.Error(got)
	}
	y.Sum().Backward()
	if g := w.Grad(); !g.Device().IsMeta() || g.Size(1) != 1<<40 {
		t.Errorf("the gradient is %v", g)
	}
	if x.To(device.Meta) != x || x.IsCUDA() {
		t.Error("a tensor on meta was moved there, or is on a GPU")
	}
}

func TestMetaHasNoElements(t *testing.T) {
	x := tensor.On(device.Meta).Ones(1)
	const none = "Cannot copy out of meta tensor; no data!"
	for _, tc := range []struct {
		name, want string
		kind       error
		f          func()
	}{
		{"Item", "Tensor.item() cannot be called on meta tensors", tensor.ErrMeta, func() { x.Item() }},
		{"Float64", "Tensor.item() cannot be called on meta tensors", tensor.ErrMeta, func() { x.Float64() }},
		{"CPU", none, tensor.ErrMeta, func() { x.CPU() }},
		{"Values", none, tensor.ErrMeta, func() { tensor.Values[float32](x) }},
		{"CatOn", none, tensor.ErrMeta, func() { inner.CatOn(device.CPU, []*tensor.Tensor{x, x}, 0) }},
		{"Add", "Expected all tensors to be on the same device, but found at least two devices, meta and cpu!", tensor.ErrDevice,
			func() { x.Add(tensor.Ones(1)) }},
		{"meta:7", "there is one meta device, which has no index", tensor.ErrDevice, func() { tensor.On(device.MustParse("meta:7")).Ones(1) }},
	} {
		if err := tensor.Try(tc.f); !errors.Is(err, tc.kind) || err.Error() != tc.want {
			t.Errorf("%s:\n got %v\nwant %s", tc.name, err, tc.want)
		}
	}
}
