package tensor_test

import (
	"errors"
	"testing"

	"cresset/internal/op"
	"cresset/tensor"
)

// A nil operand is a mistake of the caller like any other: Try reports it. In no op does it pass for a number.
func TestNilOperandsAreErrors(t *testing.T) {
	var none *tensor.Tensor
	x, index := tensor.Ones(2, 2), tensor.Of([]int{0, 1})
	for text, f := range map[string]func(){
		"add(): argument 'other' (position 2) must be Tensor, not NoneType":     func() { x.Add(nil) },
		"add(): argument 'input' (position 1) must be Tensor, not NoneType":     func() { none.AddScalar(1) },
		"mul(): argument 'other' (position 2) must be Tensor, not NoneType":     func() { x.MulInPlace(nil) },
		"mm(): argument 'mat2' (position 2) must be Tensor, not NoneType":       func() { x.MM(nil) },
		"where(): argument 'other' (position 2) must be Tensor, not NoneType":   func() { tensor.Where(x.Bool(), x, none) },
		"dropout(): argument 'input' (position 1) must be Tensor, not NoneType": func() { none.Dropout(0.5) },
		"linear(): argument 'weight' (position 2) must be Tensor, not NoneType": func() { x.Linear(nil, nil) },
	} {
		if err := tensor.Try(f); err == nil || err.Error() != text {
			t.Errorf("got %v, want %s", err, text)
		}
	}
	for name, f := range map[string]func(){
		"sub": func() { x.Sub(nil) }, "div": func() { x.Div(nil) }, "pow": func() { x.PowTensor(nil) },
		"remainder": func() { x.Remainder(nil) }, "fmod": func() { x.Fmod(nil) }, "floor": func() { x.FloorDivide(nil) },
		"trunc": func() { x.DivTrunc(nil) }, "scaled": func() { x.AddScaled(nil, 2) }, "scaled in place": func() { x.AddScaledInPlace(nil, 2) },
		"maximum": func() { x.Maximum(nil) }, "lt": func() { x.Lt(nil) }, "and": func() { x.LogicalAnd(nil) }, "xor": func() { index.BitwiseXor(nil) },
		"equal": func() { x.Equal(nil) }, "all close": func() { x.AllClose(nil, 0, 0) }, "mask": func() { x.MaskedFill(nil, 0) },
		"masked in place": func() { x.MaskedFillInPlace(nil, 0) }, "condition": func() { tensor.Where(nil, x, x) }, "select mask": func() { x.MaskedSelect(nil) },
		"matmul": func() { x.MatMul(nil) }, "mv": func() { x.MV(nil) }, "bmm": func() { x.BMM(nil) }, "dot": func() { index.Dot(nil) },
		"outer": func() { index.Outer(nil) }, "addmm": func() { x.AddMM(x, nil) }, "conv": func() { x.Conv2D(nil, nil) },
		"linear and relu": func() { inner.LinearReLU(x, nil, nil) }, "conv and relu": func() { inner.Conv2DReLU(x, nil, nil, tensor.WindowOf()) },
		"index select": func() { x.IndexSelect(0, nil) }, "index add": func() { x.IndexAdd(0, index, nil) }, "gather": func() { x.Gather(0, nil) },
		"scatter": func() { x.ScatterAdd(0, index, nil) }, "embedding": func() { tensor.Embedding(x, nil) }, "weight": func() { tensor.Embedding(nil, index) },
		"nll": func() { tensor.NLLLoss(x, nil) }, "cross entropy": func() { tensor.CrossEntropy(x, nil) },
		"mse": func() { tensor.MSELoss(x, nil) }, "l1": func() { tensor.L1Loss(x, nil) },
		"bce": func() { tensor.BCEWithLogits(x, nil) }, "cat": func() { tensor.Cat([]*tensor.Tensor{x, nil}, 0) },
		"stack": func() { tensor.Stack([]*tensor.Tensor{x, nil}, 0) }, "copy": func() { x.CopyInPlace(nil) }, "to": func() { x.To(none) },
		"expand as": func() { x.ExpandAs(nil) }, "view as": func() { x.ViewAs(nil) }, "like": func() { tensor.ZerosLike(nil) }, "data": func() { x.SetData(nil) },
		"parameter": func() { tensor.Parameter(nil) }, "enter": func() { tensor.NewScope().Enter(nil) }, "one hot": func() { tensor.OneHot(nil, 2) },
		"sgd": func() { sgdStep(x, nil, nil, op.SGD{}) }, "adam": func() { adamStep(x, x, nil, x, op.Adam{}) },
		"bernoulli": func() { tensor.Bernoulli(nil) }, "grad": func() { tensor.Grad(x, []*tensor.Tensor{nil}) }, "values": func() { tensor.Values[float64](none) },
		"nobody's exp": func() { none.Exp() }, "nobody's sum": func() { none.Sum() }, "nobody's fill": func() { none.FillInPlace(0) },
		"nobody's backward": func() { none.Backward() }, "nobody's softmax": func() { none.Softmax(0) }, "nobody's size": func() { none.Size(0) },
		"nobody's batch norm": func() { none.BatchNorm(nil, nil, nil, nil, tensor.Training(true)) }, "nobody's instance norm": func() { none.InstanceNorm(nil, nil, nil, nil) },
		"nobody's slice": func() { none.Slice(0, 0, 1) },
	} {
		if err := tensor.Try(f); !errors.Is(err, tensor.ErrValue) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	wantValues(t, "what was not changed", x, 1, 1, 1, 1)
}

func TestSizeWithoutAxes(t *testing.T) {
	for axis, want := range map[int]string{
		0:  "Dimension specified as 0 but tensor has no dimensions",
		-1: "Dimension specified as -1 but tensor has no dimensions",
		3:  "Dimension specified as 3 but tensor has no dimensions",
	} {
		err := tensor.Try(func() { tensor.Of(1).Size(axis) })
		if !errors.Is(err, tensor.ErrIndex) || err.Error() != want {
			t.Errorf("size(%d): got %v, want %s", axis, err, want)
		}
	}
}
