package optim_test

import (
	"fmt"
	"testing"

	"cresset/dtype"
	"cresset/internal/golden"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// recordedAutograd are the entries about optimizers of PyTorch's recording of autograd.
var recordedAutograd = map[string]func() string{
	"empty opt": func() string {
		return fmt.Sprint(tensor.Try(func() { optim.NewSGD(params()) }))
	},
	"opt nonleaf": func() string {
		computed := tensor.Ones(1).SetRequiresGrad(true).MulScalar(2)
		return fmt.Sprint(tensor.Try(func() { optim.NewSGD(params(computed)) }))
	},
	"opt": func() string {
		p := tensor.Ones(1).SetRequiresGrad(true)
		o := optim.NewSGD(params(p), optim.LR(1))
		p.MulScalar(2).Sum().Backward()
		o.ZeroGrad()
		if p.Grad() != nil {
			return p.Grad().String()
		}
		return "(None, None)"
	},
	"opt none": func() string {
		p := tensor.Ones(1).SetRequiresGrad(true)
		optim.NewSGD(params(p), optim.LR(1)).Step()
		if p.Float64() != 1 {
			return p.String()
		}
		return "None"
	},
}

func TestRecordedAutograd(t *testing.T) {
	entries := golden.Read(t, "../tensor/testdata/autograd_torch26.txt")
	for _, e := range golden.Asserted(t, entries, "optim", golden.AutogradAbove, recordedAutograd, nil) {
		if got := recordedAutograd[e.Key](); got != e.Value+e.Text {
			t.Errorf("%s: got %s, want %s", e.Key, got, e.Value+e.Text)
		}
	}
}

// TestOptimizerFollowsAModule moves a model and back: the optimizer still steps the model's parameters.
func TestOptimizerFollowsAModule(t *testing.T) {
	l := nn.NewLinear(2, 1)
	count := tensor.Of([]int{0})
	o := optim.NewSGD(nn.Parameters(l), optim.LR(1))
	nn.To(nn.To(l, dtype.Float64), dtype.Float32)
	before := l.Weight.Detach().Clone()
	l.Forward(tensor.Ones(1, 2)).Sum().Backward()
	o.Step()
	same := "False"
	if l.Weight.Detach().Equal(before.SubScalar(1)) {
		same = "True"
	}
	asserted := map[string]string{
		"opt still refs True torch.float32 torch.int64": fmt.Sprintf("opt still refs %s %s %s", same, l.Weight.DType(), nn.To(count, dtype.Float32).DType()),
	}
	entries := golden.Read(t, "../tensor/testdata/to_and_module_torch26.txt")
	for _, e := range golden.Asserted(t, entries, "optim", golden.ToAbove, asserted, nil) {
		if got := asserted[e.Key]; got != e.Key {
			t.Errorf("got %s, want %s", got, e.Key)
		}
	}
}
