// Command quickstart fits a small network to a plane, prints it, and takes it through a file.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"cresset/checkpoint"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

func main() {
	tensor.ManualSeed(0)
	x := tensor.Rand(64, 3)
	y := x.MatMul(tensor.Of([][]float32{{1}, {-2}, {3}})).AddScalar(0.5)

	net := nn.NewSequential(nn.NewLinear(3, 16), nn.NewTanh(), nn.NewLinear(16, 1))
	opt := optim.NewAdam(nn.Parameters(net), optim.LR(0.01))
	for range 1000 {
		opt.ZeroGrad()
		loss := tensor.MSELoss(net.Forward(x), y)
		loss.Backward()
		opt.Step()
	}

	fmt.Println(net)
	fmt.Println(net.Forward(x.Slice(0, 0, 2)))
	fmt.Println(y.Slice(0, 0, 2))
	err := tensor.Try(func() { net.Forward(tensor.Ones(2, 4)) })
	fmt.Println(err)

	path := filepath.Join(os.TempDir(), "plane.safetensors")
	fmt.Println(checkpoint.Save(path, net)) // or .pt, for torch.load
	again := nn.NewSequential(nn.NewLinear(3, 16), nn.NewTanh(), nn.NewLinear(16, 1))
	fmt.Println(checkpoint.Load(path, again), net.Forward(x).Equal(again.Forward(x)))
}
