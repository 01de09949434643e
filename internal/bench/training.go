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
	name      string
	model     func() *nn.Sequential
	optimizer func(iter.Seq2[string, *tensor.Tensor]) optim.Optimizer
}

func trainers() []trainer {
	return []trainer{
		{"train/mlp_sgd", mlp, sgd},
		{"train/mlp_adam", mlp, adam},
		{"train/cnn_sgd", cnn, sgd},
		{"train/cnn_adam", cnn, adam},
	}
}

// training are whole steps, forward, backward and update, on batches of 64 pictures of 28x28.
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
	net := nn.To(t.model(), dev)
	opt := t.optimizer(nn.Parameters(net))
	images, labels := tensor.On(dev).Rand(64, 1, 28, 28), tensor.On(dev).RandInt(0, 10, 64)
	return func(s *tensor.Scope) {
		x := images
		if s != nil {
			x = s.Enter(x)
		}
		opt.ZeroGrad()
		tensor.CrossEntropy(net.Forward(x), labels).Backward()
		opt.Step()
	}
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
