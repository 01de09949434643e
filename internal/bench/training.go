package bench

import (
	"iter"

	"cresset/device"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// trainer is a model with what trains it.
type trainer struct {
	name string
	make func(dev device.Device) lesson
}

// lesson is a batch's input, the loss of what a model makes of it, and the optimizer of the model's parameters.
type lesson struct {
	input *tensor.Tensor
	loss  func(input *tensor.Tensor) *tensor.Tensor
	opt   optim.Optimizer
}

func trainers() []trainer {
	return []trainer{
		{"train/mlp_sgd", ofPictures(mlp, sgd)},
		{"train/mlp_adam", ofPictures(mlp, adam)},
		{"train/cnn_sgd", ofPictures(cnn, sgd)},
		{"train/cnn_adam", ofPictures(cnn, adam)},
		{"train/gpt_4x128", ofCharacters(4, 4, 128, 12, 64)},
		{"train/gpt_6x384", ofCharacters(6, 6, 384, 4, 256)},
	}
}

// training are whole steps, forward, backward and update.
func training() []Case {
	var cases []Case
	for _, t := range trainers() {
		cases = append(cases, t.eager())
	}
	return cases
}

// eager is a step op by op in float32.
func (t trainer) eager() Case {
	return Case{Name: t.name, Make: func(dev device.Device) func() {
		train := t.make(dev).step
		return func() { step(train) }
	}}
}

// step is one of training, whose results belong to a scope or, where that is nil, to the collector.
func (l lesson) step(s *tensor.Scope) {
	l.opt.ZeroGrad()
	l.loss(entered(s, l.input)).Backward(tensor.ReleaseSaved(true))
	l.opt.Step()
}

// ofPictures trains on batches of 64 pictures of 28x28.
func ofPictures(model func() *nn.Sequential, optimizer func(iter.Seq2[string, *tensor.Tensor]) optim.Optimizer) func(device.Device) lesson {
	return func(dev device.Device) lesson {
		net, labels := nn.To(model(), dev), tensor.On(dev).RandInt(0, 10, 64)
		return lesson{
			input: tensor.On(dev).Rand(64, 1, 28, 28), opt: optimizer(nn.Parameters(net)),
			loss: func(images *tensor.Tensor) *tensor.Tensor { return tensor.CrossEntropy(net.Forward(images), labels) },
		}
	}
}

// entered returns x as a member of a scope that may be nil.
func entered(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor {
	if s == nil {
		return x
	}
	return s.Enter(x)
}

func sgd(p iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
	return optim.NewSGD(p, optim.LR(1e-3))
}

func adam(p iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
	return optim.NewAdam(p)
}

func mlp() *nn.Sequential {
	return nn.NewSequential(nn.NewFlatten(), nn.NewLinear(784, 256), nn.NewReLU(), nn.NewLinear(256, 128), nn.NewReLU(), nn.NewLinear(128, 10))
}

func cnn() *nn.Sequential {
	return nn.NewSequential(
		nn.NewConv2D(1, 32, 3, nn.Padding(1)), nn.NewReLU(), nn.NewMaxPool2D(2),
		nn.NewConv2D(32, 64, 3, nn.Padding(1)), nn.NewReLU(), nn.NewMaxPool2D(2),
		nn.NewFlatten(), nn.NewLinear(64*7*7, 10))
}
