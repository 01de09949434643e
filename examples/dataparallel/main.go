// Command dataparallel trains a small network on every GPU at once: on the CPU where there is none, and on simulated GPUs
// with CRESSET_SIM=4.
package main

import (
	"flag"
	"fmt"
	"os"

	"cresset/cuda"
	"cresset/nn"
	"cresset/nn/parallel"
	"cresset/optim"
	"cresset/tensor"
)

// network is layers that show, where asked to, how much of a batch each GPU gets.
type network struct {
	Layers *nn.Sequential
	Show   bool
}

// Forward computes the layers.
func (n *network) Forward(x *tensor.Tensor) *tensor.Tensor {
	if n.Show {
		fmt.Printf("%s computes %d rows\n", x.Device(), x.Size(0))
	}
	return n.Layers.Forward(x)
}

func main() {
	steps := flag.Int("steps", 100, "steps of training")
	rows := flag.Int("rows", 64, "rows of a batch")
	flag.Parse()
	var err error
	if mistake := tensor.Try(func() { err = train(*steps, *rows) }); mistake != nil {
		err = mistake
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "dataparallel:", err)
		os.Exit(1)
	}
}

func train(steps, rows int) error {
	tensor.ManualSeed(0)
	home := cuda.TryGPU(0) // the GPU that has the parameters, and where results and gradients meet
	net := &network{Layers: nn.NewSequential(nn.NewLinear(8, 32), nn.NewTanh(), nn.NewLinear(32, 1))}
	nn.To(net, home)
	model, err := parallel.NewDataParallel(net, parallel.Warn(func(text string) { fmt.Fprintln(os.Stderr, text) }))
	if err != nil {
		return err
	}
	fmt.Printf("%d GPUs, parameters on %s\n", cuda.DeviceCount(), home)

	plane := tensor.Randn(8, 1)
	opt := optim.NewAdam(nn.Parameters(model), optim.LR(0.02))
	for step := range steps {
		scope := tensor.NewScope() // gives the memory of each step back at once
		x := scope.Enter(tensor.Randn(rows, 8))
		y := x.MatMul(plane).Tanh().To(home)

		net.Show = step == 0
		opt.ZeroGrad()
		loss := tensor.MSELoss(model.Forward(x), y)
		loss.Backward()
		opt.Step()
		if step == 0 || step == steps-1 {
			fmt.Printf("step %d: loss %.4f\n", step, loss.Float64())
		}
		scope.Close()
	}
	return nil
}
