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
	make func(dev device.Device) (optim.Optimizer, func(s *tensor.Scope) *tensor.Tensor) // an optimizer and a batch's loss
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
		cases = append(cases, Case{Name: t.name, Make: func(dev device.Device) func() {
			train := t.prepare(dev)
			return func() { step(train) }
		}})
	}
	return cases
}

// prepare returns a step, whose results belong to a scope or, where that is nil, to the collector.
func (t trainer) prepare(dev device.Device) func(s *tensor.Scope) {
	opt, loss := t.make(dev)
	return func(s *tensor.Scope) {
		opt.ZeroGrad()
		loss(s).Backward()
		opt.Step()
	}
}

// ofPictures trains on batches of 64 pictures of 28x28.
func ofPictures(model func() *nn.Sequential, optimizer func(iter.Seq2[string, *tensor.Tensor]) optim.Optimizer) func(device.Device) (optim.Optimizer, func(*tensor.Scope) *tensor.Tensor) {
	return func(dev device.Device) (optim.Optimizer, func(*tensor.Scope) *tensor.Tensor) {
		net := nn.To(model(), dev)
		images, labels := tensor.On(dev).Rand(64, 1, 28, 28), tensor.On(dev).RandInt(0, 10, 64)
		return optimizer(nn.Parameters(net)), func(s *tensor.Scope) *tensor.Tensor {
			return tensor.CrossEntropy(net.Forward(entered(s, images)), labels)
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
