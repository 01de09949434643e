package bench

import (
	"iter"

	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// training are whole steps, forward, backward and update, on batches of 64 pictures of 28x28.
func training() []Case {
	sgd := func(p iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
		return optim.NewSGD(p, optim.SGDOptions{LR: 1e-3})
	}
	adam := func(p iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
		return optim.NewAdam(p, optim.AdamOptions{})
	}
	return []Case{
		{Name: "train/mlp_sgd", Make: trainer(mlp, sgd)},
		{Name: "train/mlp_adam", Make: trainer(mlp, adam)},
		{Name: "train/cnn_sgd", Make: trainer(cnn, sgd)},
		{Name: "train/cnn_adam", Make: trainer(cnn, adam)},
	}
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

func trainer(model func() *nn.Sequential, optimizer func(iter.Seq2[string, *tensor.Tensor]) optim.Optimizer) func() func() {
	return func() func() {
		net := model()
		opt := optimizer(nn.Parameters(net))
		images, labels := tensor.Rand(64, 1, 28, 28), tensor.RandInt(0, 10, 64)
		return func() {
			step(func(s *tensor.Scope) {
				opt.ZeroGrad()
				nn.CrossEntropy(net.Forward(s.Enter(images)), labels).Backward()
				opt.Step()
			})
		}
	}
}
