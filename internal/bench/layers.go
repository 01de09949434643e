package bench

import (
	"fmt"

	"cresset/nn"
	"cresset/tensor"
)

// layers are convolutions, pools and norms of pictures.
func layers() []Case {
	const batch, channels, size = 32, 64, 56
	pictures := float64(batch * channels * size * size)
	work := 2 * pictures * channels * 9
	input := func() *tensor.Tensor { return tensor.Randn(batch, channels, size, size) }
	name := func(op string) string { return fmt.Sprintf("%s/%dx%dx%dx%d", op, batch, channels, size, size) }
	conv := func() *nn.Conv2D { return nn.NewConv2D(channels, channels, 3, nn.Padding(1)) }
	return []Case{
		{name("conv3x3"), work, "FLOP", func() func() {
			x, net := input(), nn.Frozen(conv())
			return func() { net.Forward(x).Release() }
		}},
		{name("conv3x3_grad"), 3 * work, "FLOP", func() func() {
			x, net := input().SetRequiresGrad(true), conv()
			dy := input()
			return func() { step(func(s *tensor.Scope) { net.Forward(s.Enter(x)).Backward(tensor.WithGradient(dy)) }) }
		}},
		{name("max_pool2x2"), pictures, "elem", func() func() {
			x := input()
			return func() { x.MaxPool2D(tensor.PoolOptions{Kernel: [2]int{2, 2}}).Release() }
		}},
		{name("max_pool3x3"), pictures, "elem", func() func() {
			x := input()
			o := tensor.PoolOptions{Kernel: [2]int{3, 3}, Stride: [2]int{2, 2}, Padding: [2]int{1, 1}}
			return func() { x.MaxPool2D(o).Release() }
		}},
		{name("batch_norm"), pictures, "elem", func() func() {
			x, w, b := input(), tensor.Ones(channels), tensor.Zeros(channels)
			mean, variance := tensor.Zeros(channels), tensor.Ones(channels)
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
