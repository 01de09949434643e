package nn_test

import (
	"fmt"

	"cresset/nn"
	"cresset/tensor"
)

func ExampleNewLinear() {
	l := nn.NewLinear(3, 2, nn.Bias(false))
	fmt.Println(l, l.Forward(tensor.Ones(4, 3)).Shape())
	// Output: Linear(in_features=3, out_features=2, bias=False) torch.Size([4, 2])
}

func ExampleNewConv2D() {
	c := nn.NewConv2D(3, 8, 3, nn.Stride(2), nn.Padding(1))
	fmt.Println(c.Forward(tensor.Ones(1, 3, 32, 32)).Shape())
	// Output: torch.Size([1, 8, 16, 16])
}

func ExampleNewSequential() {
	net := nn.NewSequential(nn.NewLinear(4, 8), nn.NewReLU(), nn.NewLinear(8, 1))
	fmt.Println(net)
	// Output:
	// Sequential(
	//   (0): Linear(in_features=4, out_features=8, bias=True)
	//   (1): ReLU()
	//   (2): Linear(in_features=8, out_features=1, bias=True)
	// )
}

// A model is a struct; its fields name its parameters.
func ExampleParameters() {
	net := &struct{ Hidden, Out *nn.Linear }{nn.NewLinear(4, 8), nn.NewLinear(8, 1, nn.Bias(false))}
	for name, p := range nn.Parameters(net) {
		fmt.Println(name, p.Shape())
	}
	// Output:
	// hidden.weight torch.Size([8, 4])
	// hidden.bias torch.Size([8])
	// out.weight torch.Size([1, 8])
}

func ExampleLoadState() {
	from, to := nn.NewLinear(2, 1), nn.NewLinear(2, 1)
	fmt.Println(nn.LoadState(to, nn.State(from)), to.Weight.Equal(from.Weight))
	fmt.Println(nn.LoadState(to, nn.State(nn.NewLinear(2, 1, nn.Bias(false)))))
	// Output:
	// <nil> true
	// Error(s) in loading state_dict for Linear:
	// 	Missing key(s) in state_dict: "bias".
}
