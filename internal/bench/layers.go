package bench

import (
	"fmt"

	"cresset/device"
	"cresset/nn"
	"cresset/tensor"
)

// layers are convolutions, pools and norms of pictures.
func layers() []Case {
	const batch, channels, size = 32, 64, 56
	pictures := float64(batch * channels * size * size)
	work := 2 * pictures * channels * 9
	input := func(dev device.Device) *tensor.Tensor { return tensor.On(dev).Randn(batch, channels, size, size) }
	name := func(op string) string { return fmt.Sprintf("%s/%dx%dx%dx%d", op, batch, channels, size, size) }
	conv := func(dev device.Device) *nn.Conv2D {
		return nn.To(nn.NewConv2D(channels, channels, 3, nn.Padding(1)), dev)
	}
	return []Case{
		{Name: name("conv3x3"), Work: work, Unit: "FLOP", Make: func(dev device.Device) func() {
			x, net := input(dev), nn.Frozen(conv(dev))
			return func() { net.Forward(x).Release() }
		}},
		{Name: name("conv3x3_grad"), Work: 3 * work, Unit: "FLOP", Make: func(dev device.Device) func() {
			x, net := input(dev).SetRequiresGrad(true), conv(dev)
			dy := input(dev)
			return func() { step(func(s *tensor.Scope) { net.Forward(s.Enter(x)).Backward(tensor.Gradient(dy)) }) }
		}},
		{Name: name("max_pool2x2"), Work: pictures, Unit: "elem", Bytes: 5, Make: func(dev device.Device) func() {
			x := input(dev)
			return func() { x.MaxPool2D(tensor.PoolOptions{Kernel: [2]int{2, 2}}).Release() }
		}},
		{Name: name("max_pool3x3"), Work: pictures, Unit: "elem", Bytes: 5, Make: func(dev device.Device) func() {
			x := input(dev)
			o := tensor.PoolOptions{Kernel: [2]int{3, 3}, Stride: [2]int{2, 2}, Padding: [2]int{1, 1}}
			return func() { x.MaxPool2D(o).Release() }
		}},
		{Name: name("batch_norm"), Work: pictures, Unit: "elem", Bytes: 8, Make: func(dev device.Device) func() {
			on := tensor.On(dev)
			x, w, b := input(dev), on.Ones(channels), on.Zeros(channels)
			mean, variance := on.Zeros(channels), on.Ones(channels)
			o := tensor.BatchNormOptions{Training: true, Momentum: 0.1, Eps: 1e-5}
			return func() { x.BatchNorm(w, b, mean, variance, o).Release() }
		}},
	}
}

// step runs f with a scope that ends with it.
func step(f func(s *tensor.Scope)) {
	s := tensor.NewScope()
	f(s)
	s.Close()
}
