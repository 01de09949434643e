// Command cnn trains a convolutional network on cresset's own digits, on the first GPU or, where there is none, on the CPU.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"cresset/cuda"
	"cresset/data"
	"cresset/device"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

func main() {
	samples := flag.Int("samples", 2000, "pictures to train on; a quarter as many judge")
	epochs := flag.Int("epochs", 3, "passes over them")
	flag.Parse()
	if err := run(*samples, *epochs); err != nil {
		fmt.Fprintln(os.Stderr, "cnn:", err)
		os.Exit(1)
	}
}

func run(samples, epochs int) error {
	tensor.ManualSeed(0)
	dev := cuda.TryGPU(0)
	net := nn.To(network(), dev)
	fmt.Printf("%d parameters on %s\n", nn.CountParameters(net), dev)

	train := data.Glyphs(data.Count(samples))
	test := data.Glyphs(data.Train(false), data.Count(samples/4))
	opt := optim.NewAdam(nn.Parameters(net), optim.LR(2e-3))
	for epoch := range epochs {
		loss, err := learn(net, opt, train, dev)
		if err != nil {
			return err
		}
		right, err := judge(net, test, dev)
		if err != nil {
			return err
		}
		fmt.Printf("epoch %d: loss %.3f, %d of %d right\n", epoch+1, loss, right, test.Len())
	}
	return nil
}

// network returns a small network for pictures of 28x28: two halvings leave 7x7.
func network() *nn.Sequential {
	return nn.NewSequential(
		nn.NewConv2D(1, 8, 3, nn.Padding(1)), nn.NewBatchNorm2D(8), nn.NewReLU(), nn.NewMaxPool2D(2),
		nn.NewConv2D(8, 16, 3, nn.Padding(1)), nn.NewReLU(), nn.NewMaxPool2D(2),
		nn.NewFlatten(), nn.NewDropout(0.1), nn.NewLinear(16*7*7, 10),
	)
}

// learn goes once through the pictures and returns the mean loss.
func learn(net nn.Module, opt optim.Optimizer, pictures *data.Images, dev device.Device) (float64, error) {
	nn.Train(net) // Dropout drops, BatchNorm looks at the batch
	// Each batch has a scope, which gives its memory back when the loop advances: the program stays as small as one batch.
	loader := data.NewLoader(pictures, data.BatchSize(50), data.Shuffle(true), data.DropLast(true), data.Workers(1), data.Scopes(true))

	// The sum stays on the device as well. Asking for a number in every step would make the program wait for the GPU.
	sum := tensor.On(dev).Zeros()
	for batch, err := range loader.All(context.Background()) {
		if err != nil {
			return 0, err
		}
		opt.ZeroGrad()
		loss := tensor.CrossEntropy(net.Forward(batch.Inputs.To(dev)), batch.Targets.To(dev))
		loss.Backward()
		opt.Step()
		sum.AddInPlace(loss.Detach())
	}
	return sum.Float64() / float64(loader.Len()), nil
}

// judge counts the pictures whose digit the model names.
func judge(net nn.Module, pictures *data.Images, dev device.Device) (int, error) {
	frozen := nn.Frozen(net) // the same weights in evaluation mode, and no gradients to record
	loader := data.NewLoader(pictures, data.BatchSize(100), data.Scopes(true))
	right := tensor.On(dev).Zeros()
	for batch, err := range loader.All(context.Background()) {
		if err != nil {
			return 0, err
		}
		guess := frozen.Forward(batch.Inputs.To(dev)).ArgMaxAxis(1)
		right.AddInPlace(guess.Eq(batch.Targets.To(dev)).Sum())
	}
	return int(right.Float64()), nil
}
