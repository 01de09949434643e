// Command unet trains a small U-Net to tell for each pixel of a noisy picture whether it lies on a disc, on a cross or on neither.
package main

import (
	"flag"
	"fmt"

	"cresset/cuda"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

func main() {
	steps := flag.Int("steps", 300, "training steps, of 16 pictures each")
	flag.Parse()

	tensor.ManualSeed(0)
	dev := cuda.TryGPU(0)
	net := nn.To(newUNet(1, classes, 8), dev)
	fmt.Printf("%d parameters on %s\n", nn.CountParameters(net), dev)

	opt := optim.NewAdamW(nn.Parameters(net), optim.LR(1e-2))
	schedule := optim.NewCosineAnnealingLR(opt, *steps)
	draw := newDrawing(1)
	for step := range *steps {
		scope := tensor.NewScope() // gives the memory of a step back
		pictures, labels := draw.batch(16)
		loss := tensor.CrossEntropy(net.Forward(scope.Enter(pictures.To(dev))), labels.To(dev))
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		schedule.Step()
		if (step+1)%100 == 0 {
			fmt.Printf("step %d: loss %.3f\n", step+1, loss.Float64())
		}
		scope.Close()
	}

	pictures, labels := newDrawing(2).batch(64)
	guess := nn.Frozen(net).Forward(pictures.To(dev)).ArgMaxAxis(1).CPU()
	for class, name := range []string{"background", "disc", "cross"} {
		fmt.Printf("%s: intersection over union %.2f\n", name, overlap(guess.EqScalar(class), labels.EqScalar(class)))
	}
}

// overlap returns how many pixels two masks share, of those that either has.
func overlap(a, b *tensor.Tensor) float64 {
	return a.LogicalAnd(b).Sum().Float64() / a.LogicalOr(b).Sum().Float64()
}
