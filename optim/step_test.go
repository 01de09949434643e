package optim_test

import (
	"testing"

	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

func digitsMLP() *nn.Sequential {
	return nn.NewSequential(nn.NewFlatten(), nn.NewLinear(784, 128), nn.NewReLU(), nn.NewLinear(128, 10))
}

func digitsCNN() *nn.Sequential {
	return nn.NewSequential(
		nn.NewConv2D(1, 8, 3, nn.Padding(1)), nn.NewReLU(), nn.NewMaxPool2D(2),
		nn.NewConv2D(8, 16, 3, nn.Padding(1)), nn.NewReLU(), nn.NewMaxPool2D(2),
		nn.NewFlatten(), nn.NewLinear(784, 10))
}

// BenchmarkStep times one training step on 64 digits of 28x28, forward, backward and update: BenchmarkStep/mlp/sgd.
func BenchmarkStep(b *testing.B) {
	adam := func(net *nn.Sequential) optim.Optimizer {
		return optim.NewAdam(nn.Parameters(net))
	}
	for _, c := range []struct {
		name      string
		model     func() *nn.Sequential
		optimizer func(*nn.Sequential) optim.Optimizer
	}{
		{"mlp/sgd", digitsMLP, sgd(optim.LR(1e-3))},
		{"mlp/adam", digitsMLP, adam},
		{"cnn/sgd", digitsCNN, sgd(optim.LR(1e-3))},
		{"cnn/adam", digitsCNN, adam},
	} {
		b.Run(c.name, func(b *testing.B) {
			tensor.ManualSeed(0)
			net := c.model()
			opt := c.optimizer(net)
			images, labels := tensor.Rand(64, 1, 28, 28), tensor.RandInt(0, 10, 64)
			b.ReportAllocs()
			for b.Loop() {
				s := tensor.NewScope()
				opt.ZeroGrad()
				tensor.CrossEntropy(net.Forward(s.Enter(images)), labels).Backward()
				opt.Step()
				s.Close()
			}
			b.ReportMetric(64*float64(b.N)/b.Elapsed().Seconds(), "samples/s")
		})
	}
}
