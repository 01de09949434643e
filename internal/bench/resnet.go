package bench

import (
	"cresset/device"
	"cresset/models/resnet"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// residual trains a ResNet of 18 layers on 16 pictures of 64x64, the size of Tiny ImageNet's.
func residual(dev device.Device) lesson {
	const batch, size, classes = 16, 64, 200
	net, err := resnet.New(resnet.Depth(18, classes), nn.On(dev))
	refuse(err)
	labels := tensor.On(dev).RandInt(0, classes, batch)
	return lesson{
		input: tensor.On(dev).Rand(batch, 3, size, size),
		opt:   optim.NewSGD(nn.Parameters(net), optim.LR(1e-3), optim.Momentum(0.9)),
		loss: func(pictures *tensor.Tensor) *tensor.Tensor {
			return tensor.CrossEntropy(net.Forward(pictures), labels)
		},
	}
}
