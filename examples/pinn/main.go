// Command pinn solves the heat equation ∂u/∂t = ∂²u/∂x² by a network that is told no solution: only the equation, how the rod begins and
// that its ends stay cold. Its loss has second derivatives of the network in it.
package main

import (
	"flag"
	"fmt"
	"math"

	"cresset/dtype"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

func main() {
	steps := flag.Int("steps", 1500, "training steps")
	flag.Parse()

	tensor.ManualSeed(0)
	net := nn.NewSequential(nn.NewLinear(2, 24), nn.NewTanh(), nn.NewLinear(24, 24), nn.NewTanh(), nn.NewLinear(24, 1))
	opt := optim.NewAdam(nn.Parameters(net), optim.LR(2e-2))
	schedule := optim.NewCosineAnnealingLR(opt, *steps)
	for step := range *steps {
		opt.ZeroGrad()
		inside, start, ends := residual(net), beginning(net), boundary(net)
		loss := inside.Add(start.MulScalar(10)).Add(ends.MulScalar(10))
		loss.Backward()
		opt.Step()
		schedule.Step()
		if (step+1)%500 == 0 {
			fmt.Printf("step %d: equation %.4f, beginning %.4f, ends %.4f\n", step+1, inside.Float64(), start.Float64(), ends.Float64())
		}
	}
	fmt.Printf("largest error %.3f\n", largestError(net))
}

// residual is the mean square of ∂u/∂t - ∂²u/∂x² at random points. Gradients of the network by its inputs are tensors that track
// gradients themselves, by CreateGraph.
func residual(net nn.Module) *tensor.Tensor {
	t, x := tensor.Rand(128, 1).MulScalar(0.2), tensor.Rand(128, 1)
	t.SetRequiresGrad(true)
	x.SetRequiresGrad(true)
	u := at(net, t, x).Sum() // each point's u depends on its own t and x alone
	du := tensor.Grad(u, []*tensor.Tensor{t, x}, tensor.CreateGraph(true))
	ut, ux := du[0], du[1]
	uxx := tensor.Grad(ux.Sum(), []*tensor.Tensor{x}, tensor.CreateGraph(true))[0]
	return ut.Sub(uxx).Square().Mean()
}

// beginning is how far the rod is from sin(πx) at t = 0.
func beginning(net nn.Module) *tensor.Tensor {
	x := tensor.Rand(64, 1)
	return at(net, tensor.Zeros(64, 1), x).Sub(x.MulScalar(math.Pi).Sin()).Square().Mean()
}

// boundary is how far its ends are from 0.
func boundary(net nn.Module) *tensor.Tensor {
	t := tensor.Rand(64, 1).MulScalar(0.2)
	x := tensor.Rand(64, 1).Round()
	return at(net, t, x).Square().Mean()
}

func at(net nn.Module, t, x *tensor.Tensor) *tensor.Tensor {
	return net.Forward(tensor.Cat([]*tensor.Tensor{t, x}, 1))
}

// largestError compares with the solution e^(-π²t)·sin(πx).
func largestError(net nn.Module) float64 {
	grid := tensor.Meshgrid([]*tensor.Tensor{tensor.Linspace(0.0, 0.2, 21), tensor.Linspace(0.0, 1.0, 21)}, "ij")
	t, x := grid[0].Reshape(-1, 1).To(dtype.Float32), grid[1].Reshape(-1, 1).To(dtype.Float32)
	want := t.MulScalar(-math.Pi * math.Pi).Exp().Mul(x.MulScalar(math.Pi).Sin())
	return at(nn.Frozen(net), t, x).Sub(want).Abs().Max().Float64()
}
