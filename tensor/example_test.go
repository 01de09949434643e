package tensor_test

import (
	"fmt"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

func ExampleOf() {
	fmt.Println(tensor.Of([][]float32{{1, 2}, {3, 4}}))
	fmt.Println(tensor.Of(7).DType())
	// Output:
	// tensor([[1., 2.],
	//         [3., 4.]])
	// torch.int64
}

func ExampleTensor_To() {
	x := tensor.Of([]float32{1.5, -2.5})
	fmt.Println(x.To(dtype.Int64))
	fmt.Println(x.To(device.CPU) == x, x.To(device.CPU, tensor.Copy(true)) == x)
	// Output:
	// tensor([ 1, -2])
	// true false
}

func ExampleTensor_MatMul() {
	a := tensor.Of([][]float32{{1, 2}, {3, 4}})
	fmt.Println(a.MatMul(tensor.Of([]float32{1, 10})))
	// Output: tensor([21., 43.])
}

func ExampleTensor_Backward() {
	x := tensor.Parameter(tensor.Of([]float32{1, 2, 3}))
	x.Square().Sum().Backward()
	fmt.Println(x.Grad())
	// Output: tensor([2., 4., 6.])
}

func ExampleTensor_Slice() {
	x := tensor.Arange(0, 10, 1)
	fmt.Println(x.Slice(0, 2, 5), x.Slice(0, -3, tensor.End), x.Slice(0, 0, tensor.End, 4))
	// Output: tensor([2, 3, 4]) tensor([7, 8, 9]) tensor([0, 4, 8])
}

func ExampleTensor_SumAxes() {
	x := tensor.Of([][]float32{{1, 2}, {3, 4}})
	fmt.Println(x.SumAxes([]int{1}), x.SumAxes([]int{1}, tensor.KeepDim(true)).Shape())
	// Output: tensor([3., 7.]) torch.Size([2, 1])
}

// What is computed from a tensor that entered a scope is released with it, but for what is kept.
func ExampleScope() {
	x := tensor.Of([]float32{1, 2, 3})
	s := tensor.NewScope()
	y := s.Enter(x).MulScalar(2)
	sum := s.Keep(y.Sum())
	s.Close()
	fmt.Println(sum, tensor.Try(func() { y.Sum() }) != nil)
	// Output: tensor(12.) true
}

// Wrong use panics with a *tensor.Error in PyTorch's words; Try makes an error of it.
func ExampleTry() {
	err := tensor.Try(func() { tensor.Ones(2, 3).Add(tensor.Ones(4)) })
	fmt.Println(err)
	// Output: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1
}

func ExampleCrossEntropy() {
	logits := tensor.Of([][]float32{{2, 0, 0}, {0, 0, 2}})
	targets := tensor.Of([]int{0, 2})
	fmt.Println(tensor.CrossEntropy(logits, targets))
	fmt.Println(tensor.CrossEntropy(logits, targets, tensor.LabelSmoothing(0.1), tensor.NoReduction))
	// Output:
	// tensor(0.2395)
	// tensor([0.3729, 0.3729])
}

func ExampleCompile() {
	gelu := tensor.Compile(func(x *tensor.Tensor) *tensor.Tensor {
		return x.MulScalar(0.7978845608).Add(x.Mul(x).Mul(x).MulScalar(0.0356774081)).Tanh().AddScalar(1).Mul(x).MulScalar(0.5)
	})
	x := tensor.Of([]float32{-1, 0, 1}).SetRequiresGrad(true)
	y := gelu(x) // runs the function, and records it
	y.Sum().Backward()
	fmt.Println(y.GradFn(), x.Grad())
	fmt.Println(gelu(tensor.Of([]float32{2, 3, 4}).SetRequiresGrad(true)).Detach()) // one walk through the elements
	// Output:
	// CompiledFunctionBackward tensor([-0.0830,  0.5000,  1.0830])
	// tensor([1.9546, 2.9964, 3.9999])
}
