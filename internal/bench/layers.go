package bench

import (
	"fmt"

	"cresset/device"
	"cresset/nn"
	"cresset/tensor"
)

// layers are pools, norms and larger sizes of pictures, and layers that read sequences.
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
		{Name: "interpolate/8x64x28x28", Work: 8 * 64 * 56 * 56, Unit: "elem", Bytes: 5, Make: func(dev device.Device) func() {
			x := tensor.On(dev).Randn(8, 64, 28, 28)
			return func() { x.Interpolate([]int{56, 56}, tensor.Bilinear).Release() }
		}},
		recurrent("lstm", 1), recurrent("lstm_grad", 3),
	}
}

// recurrent is an LSTM over a batch of sequences, or with its backward pass three times that work.
func recurrent(name string, passes float64) Case {
	const length, batch, width, hidden = 128, 64, 256, 256
	work := passes * length * flops(batch, width+hidden, 4*hidden)
	return Case{Name: fmt.Sprintf("%s/%dx%dx%d", name, length, batch, hidden), Work: work, Unit: "FLOP", Make: func(dev device.Device) func() {
		net := nn.To(nn.NewLSTM(width, hidden), dev)
		x := tensor.On(dev).Randn(length, batch, width)
		if passes == 1 {
			net = nn.Frozen(net)
			return func() { step(func(s *tensor.Scope) { net.Forward(s.Enter(x), nil, nil) }) }
		}
		dy := tensor.On(dev).Randn(length, batch, hidden)
		x.SetRequiresGrad(true)
		return func() {
			step(func(s *tensor.Scope) {
				y, _, _ := net.Forward(s.Enter(x), nil, nil)
				y.Backward(tensor.Gradient(dy))
			})
		}
	}}
}

// step runs f with a scope that ends with it.
func step(f func(s *tensor.Scope)) {
	s := tensor.NewScope()
	f(s)
	s.Close()
}
