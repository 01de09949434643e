package bench

import (
	"fmt"

	"cresset/device"
	"cresset/dtype"
	"cresset/nn"
	"cresset/tensor"
)

// The convolutions of ResNet and MobileNet that are computed in half types too.
var (
	square    = convolution{batch: 32, in: 64, out: 64, size: 56, kernel: 3, stride: 1, padding: 1, groups: 1}
	pointwise = convolution{batch: 32, in: 256, out: 256, size: 14, kernel: 1, stride: 1, groups: 1}
	depthwise = convolution{batch: 32, in: 512, out: 512, size: 14, kernel: 3, stride: 1, padding: 1, groups: 512}
)

// convolutionsBF16 are convolutions in bfloat16.
func convolutionsBF16() (cases []Case) {
	down := square
	down.out, down.stride = 128, 2
	for _, c := range []struct {
		name string
		of   convolution
	}{{"conv3x3", square}, {"conv3x3_stride2", down}, {"conv1x1", pointwise}, {"depthwise3x3", depthwise}} {
		c.of.half = dtype.BFloat16
		cases = append(cases, c.of.forward(c.name+"_bf16"), c.of.gradients(c.name+"_bf16_grad"))
	}
	return cases
}

// convolutionsF16 are one in float16, which is what tensor cores of compute capability 7.5 have.
func convolutionsF16() []Case {
	c := square
	c.half = dtype.Float16
	return []Case{c.forward("conv3x3_f16"), c.gradients("conv3x3_f16_grad")}
}

// convolutions are those of ResNet and MobileNet.
func convolutions() []Case {
	down := square
	down.out, down.stride = 128, 2
	stem := convolution{batch: 8, in: 3, out: 64, size: 224, kernel: 7, stride: 2, padding: 3, groups: 1}
	halving := convolution{batch: 32, in: 128, out: 128, size: 28, kernel: 3, stride: 2, padding: 1, groups: 128}
	fast := square
	fast.fast = true
	return []Case{
		fast.forward("conv3x3_fast"), fast.gradients("conv3x3_fast_grad"),
		square.forward("conv3x3"), square.gradients("conv3x3_grad"),
		down.forward("conv3x3_stride2"), down.gradients("conv3x3_stride2_grad"),
		stem.forward("conv7x7_stride2"),
		pointwise.forward("conv1x1"), pointwise.gradients("conv1x1_grad"),
		depthwise.forward("depthwise3x3"), depthwise.gradients("depthwise3x3_grad"),
		halving.forward("depthwise3x3_stride2"), halving.gradients("depthwise3x3_stride2_grad"),
		conv1D(), convTranspose("conv_transpose2x2", 8, 2, 0), convTranspose("conv_transpose4x4", 8, 4, 1),
	}
}

// conv1D is a layer over a signal.
func conv1D() Case {
	const batch, in, out, length, kernel = 32, 64, 128, 1024, 3
	return Case{
		Name: fmt.Sprintf("conv1d/%dx%dx%d", batch, in, length), Work: 2 * batch * out * length * in * kernel, Unit: "FLOP",
		Make: func(dev device.Device) func() {
			on := tensor.On(dev)
			x, w, b := on.Randn(batch, in, length), on.Randn(out, in, kernel), on.Randn(out)
			padding := tensor.Padding(1)
			return func() { x.Conv1D(w, b, padding).Release() }
		},
	}
}

// convTranspose doubles height and width of pictures, as the second half of a U-Net and the generator of a GAN do.
func convTranspose(name string, batch, kernel, padding int) Case {
	const in, out, size = 128, 64, 28
	work := float64(2 * batch * in * out * size * size * kernel * kernel)
	return Case{Name: fmt.Sprintf("%s/%dx%dx%dx%d", name, batch, in, size, size), Work: work, Unit: "FLOP", Make: func(dev device.Device) func() {
		on := tensor.On(dev)
		x, w, b := on.Randn(batch, in, size, size), on.Randn(in, out, kernel, kernel), on.Randn(out)
		opts := []tensor.ConvTransposeOption{tensor.Stride(2), tensor.Padding(padding)}
		return func() { x.ConvTranspose2D(w, b, opts...).Release() }
	}}
}

// convolution is a layer and a batch of square pictures.
type convolution struct {
	batch, in, out, size            int
	kernel, stride, padding, groups int
	half                            dtype.DType // a half type, else it is in float32
	fast                            bool        // by nn.FastConv
}

func (c convolution) inHalves() bool { return c.half == dtype.BFloat16 || c.half == dtype.Float16 }

func (c convolution) dtype() dtype.DType {
	if c.inHalves() {
		return c.half
	}
	return dtype.Float32
}

// operands returns the pictures and the layer.
func (c convolution) operands(dev device.Device) (*tensor.Tensor, *nn.Conv2D) {
	net := nn.NewConv2D(c.in, c.out, c.kernel, nn.Stride(c.stride), nn.Padding(c.padding), nn.Groups(c.groups), nn.FastConv(c.fast))
	return tensor.On(dev).Randn(c.batch, c.in, c.size, c.size).To(c.dtype()), nn.To(net, dev, c.dtype())
}

func (c convolution) forward(name string) Case {
	return c.workload(name, 1, func(dev device.Device) func() {
		x, net := c.operands(dev)
		frozen := nn.Frozen(net)
		return func() { frozen.Forward(x).Release() }
	})
}

// gradients is the forward and the backward pass, which is two convolutions.
func (c convolution) gradients(name string) Case {
	return c.workload(name, 3, func(dev device.Device) func() {
		x, net := c.operands(dev)
		dy := tensor.On(dev).Randn(net.Forward(x).Shape()...).To(c.dtype())
		x.SetRequiresGrad(true)
		return func() { step(func(s *tensor.Scope) { net.Forward(s.Enter(x)).Backward(tensor.Gradient(dy)) }) }
	})
}

// workload is as much work as so many forward passes.
func (c convolution) workload(name string, passes int, make func(dev device.Device) func()) Case {
	out := (c.size+2*c.padding-c.kernel)/c.stride + 1
	work := float64(2 * passes * c.batch * c.out * out * out * c.in / c.groups * c.kernel * c.kernel)
	return Case{Name: fmt.Sprintf("%s/%dx%dx%dx%d", name, c.batch, c.in, c.size, c.size), Work: work, Unit: "FLOP", Halves: c.inHalves(), Make: make}
}
