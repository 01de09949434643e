package nn_test

import (
	"errors"
	"regexp"
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

var lineNumber = regexp.MustCompile(`_test\.go:\d+`)

// TestHintsNameParameters runs models that are not where their inputs are.
func TestHintsNameParameters(t *testing.T) {
	devicetest.Simulate(t)
	tensor.TracePlacement(true)
	defer tensor.TracePlacement(false)
	gpu := device.CUDA(0)
	model := func() *nn.Sequential { return nn.NewSequential(nn.NewLinear(3, 4), nn.NewReLU(), nn.NewLinear(4, 1)) }
	const head = "Expected all tensors to be on the same device, but found at least two devices, "
	tests := []struct {
		name       string
		do         func()
		text, hint string
	}{
		{"input on the CPU", func() { nn.To(model(), gpu).Forward(tensor.Ones(2, 3)) },
			head + "cuda:0 and cpu! (when checking argument for argument mat1 in method wrapper_CUDA_addmm)",
			"operands:\n  input float32[2, 3] on cpu, made by ones at nn/placement\n" +
				"  weight (0.weight) float32[4, 3] on cuda:0, copied from cpu at nn/placement\n" +
				"  bias (0.bias) float32[4] on cuda:0, copied from cpu at nn/placement\n" +
				"input.To(weight.Device()) moves input to the model on cuda:0"},
		{"frozen model on the CPU", func() {
			net := model()
			nn.CountParameters(net) // walks
			nn.Frozen(net).Forward(tensor.Ones(2, 3).To(gpu))
		},
			head + "cpu and cuda:0! (when checking argument for argument mat1 in method wrapper_CUDA_addmm)",
			"operands:\n  input float32[2, 3] on cuda:0, copied from cpu at nn/placement\n" +
				"  weight (0.weight) float32[4, 3] on cpu, made by empty at nn/placement\n" +
				"  bias (0.bias) float32[4] on cpu, made by empty at nn/placement\n" +
				"nn.To(net, input.Device()) moves the model to cuda:0"},
		{"one parameter alone", func() {
			net := nn.To(model(), gpu)
			w := net.At(2).(*nn.Linear).Weight
			w.SetData(w.Detach().CPU())
			net.Forward(tensor.Ones(2, 3).To(gpu))
		},
			head + "cuda:0 and cpu! (when checking argument for argument mat2 in method wrapper_CUDA_addmm)",
			"operands:\n  input float32[2, 4] on cuda:0, made by relu at nn/placement\n" +
				"  weight (2.weight) float32[1, 4] on cpu, copied from cuda:0 at nn/placement\n" +
				"  bias (2.bias) float32[1] on cuda:0, copied from cpu at nn/placement\n" +
				"nn.To(net, device.CUDA(0)) moves the whole model: its parameters are on cpu and cuda:0"},
		{"optimizer state", func() {
			net := nn.NewLinear(2, 1)
			o := optim.NewAdam(nn.Parameters(net))
			step := func(x *tensor.Tensor) {
				net.Forward(x).Sum().Backward()
				o.Step()
			}
			step(tensor.Ones(1, 2))
			nn.To(net, gpu)
			step(tensor.Ones(1, 2).To(gpu))
		},
			head + "cuda:0 and cpu!",
			"operands:\n  parameter (weight) float32[1, 2] on cuda:0, copied from cpu at nn/placement\n" +
				"  mean float32[1, 2] on cpu, made by zeros at nn/placement\n  square float32[1, 2] on cpu, made by zeros at nn/placement\n" +
				"  gradient float32[1, 2] on cuda:0, copied from cpu at nn/placement\n" +
				"move the model with nn.To before the optimizer's first step: the optimizer's state stays where it was made"},
	}
	for _, tt := range tests {
		var e *tensor.Error
		if err := tensor.Try(tt.do); !errors.As(err, &e) || e.Error() != tt.text {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.text)
			continue
		}
		if hint := lineNumber.ReplaceAllString(e.Hint(), ""); hint != tt.hint {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, hint, tt.hint)
		}
	}
}
