package bench

import (
	"fmt"

	"cresset/device"
	"cresset/tensor"
)

// layers are pools, norms and larger sizes of pictures.
func layers() []Case {
	const batch, channels, size = 32, 64, 56
	pictures := float64(batch * channels * size * size)
	input := func(dev device.Device) *tensor.Tensor { return tensor.On(dev).Randn(batch, channels, size, size) }
	name := func(op string) string { return fmt.Sprintf("%s/%dx%dx%dx%d", op, batch, channels, size, size) }
	return []Case{
		{Name: name("max_pool2x2"), Work: pictures, Unit: "elem", Bytes: 5, Make: func(dev device.Device) func() {
			x := input(dev)
			return func() { x.MaxPool2D(2).Release() }
		}},
		{Name: name("max_pool3x3"), Work: pictures, Unit: "elem", Bytes: 5, Make: func(dev device.Device) func() {
			x := input(dev)
			opts := []tensor.MaxPool2DOption{tensor.Stride(2), tensor.Padding(1)}
			return func() { x.MaxPool2D(3, opts...).Release() }
		}},
		{Name: name("avg_pool2x2"), Work: pictures, Unit: "elem", Bytes: 5, Make: func(dev device.Device) func() {
			x := input(dev)
			return func() { x.AvgPool2D(2).Release() }
		}},
		{Name: name("batch_norm"), Work: pictures, Unit: "elem", Bytes: 8, Make: func(dev device.Device) func() {
			on := tensor.On(dev)
			x, w, b := input(dev), on.Ones(channels), on.Zeros(channels)
			mean, variance := on.Zeros(channels), on.Ones(channels)
			return func() { x.BatchNorm(w, b, mean, variance, tensor.Training(true)).Release() }
		}},
		{Name: name("group_norm"), Work: pictures, Unit: "elem", Bytes: 8, Make: func(dev device.Device) func() {
			on := tensor.On(dev)
			x, w, b := input(dev), on.Ones(channels), on.Zeros(channels)
			return func() { x.GroupNorm(32, w, b).Release() }
		}},
		{Name: name("instance_norm"), Work: pictures, Unit: "elem", Bytes: 8, Make: func(dev device.Device) func() {
			on := tensor.On(dev)
			x, w, b := input(dev), on.Ones(channels), on.Zeros(channels)
			return func() { x.InstanceNorm(w, b, nil, nil).Release() }
		}},
		{Name: "interpolate/8x64x28x28", Work: 8 * 64 * 56 * 56, Unit: "elem", Bytes: 5, Make: func(dev device.Device) func() {
			x := tensor.On(dev).Randn(8, 64, 28, 28)
			return func() { x.Interpolate([]int{56, 56}, tensor.Bilinear).Release() }
		}},
	}
}

// step runs f with a scope that ends with it.
func step(f func(s *tensor.Scope)) {
	s := tensor.NewScope()
	f(s)
	s.Close()
}
