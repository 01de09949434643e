package cli

import (
	"fmt"
	"iter"

	"cresset/data"
	"cresset/device"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// newModel returns the model of that name for images of the data set's size, on a device.
func newModel(name string, images *data.Images, dev device.Device) (*nn.Sequential, error) {
	h, w, classes := images.Height, images.Width, images.Classes
	if name == "mlp" {
		return nn.NewSequential(
			nn.NewFlatten(),
			nn.NewLinear(h*w, 128, nn.On(dev)),
			nn.NewReLU(),
			nn.NewLinear(128, classes, nn.On(dev)),
		), nil
	}
	if h < 4 || w < 4 {
		return nil, &advice{fmt.Errorf("the cnn needs images of at least 4x4, not %dx%d", h, w), "--model mlp takes images of any size"}
	}
	return nn.NewSequential(
		nn.NewConv2D(1, 8, 3, nn.Padding(1), nn.On(dev)),
		nn.NewReLU(),
		nn.NewMaxPool2D(2),
		nn.NewConv2D(8, 16, 3, nn.Padding(1), nn.On(dev)),
		nn.NewReLU(),
		nn.NewMaxPool2D(2),
		nn.NewFlatten(),
		nn.NewLinear(16*(h/4)*(w/4), classes, nn.On(dev)),
	), nil
}

// newOptimizer returns the optimizer of that name; a learning rate of 0 stands for its usual one.
func newOptimizer(name string, lr float64, ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
	or := func(usual float64) float64 {
		if lr == 0 {
			return usual
		}
		return lr
	}
	switch name {
	case "sgd":
		return optim.NewSGD(ps, optim.LR(or(0.1)))
	case "momentum":
		return optim.NewSGD(ps, optim.LR(or(0.05)), optim.Momentum(0.9))
	case "adamw":
		return optim.NewAdamW(ps, optim.LR(or(1e-3)), optim.WeightDecay(0.01))
	default:
		return optim.NewAdam(ps, optim.LR(or(1e-3)))
	}
}
