package nn_test

import (
	"testing"

	"cresset/nn"
	"cresset/tensor"
)

func TestFuse(t *testing.T) {
	tensor.ManualSeed(1)
	image, line, rows := tensor.Randn(2, 3, 8, 8), tensor.Randn(2, 3, 8), tensor.Randn(16, 3)
	stir := func(b *nn.BatchNorm, x *tensor.Tensor, forward func(x *tensor.Tensor) *tensor.Tensor) {
		for _, p := range nn.Parameters(b) {
			p.Detach().UniformInPlace(-1, 1)
		}
		forward(x)
		nn.Eval(b)
	}
	for _, bias := range []bool{true, false} {
		conv2, bn2 := nn.NewConv2D(3, 4, 3, nn.Padding(1), nn.Bias(bias)), nn.NewBatchNorm2D(4)
		stir(&bn2.BatchNorm, conv2.Forward(image), bn2.Forward)
		near(t, "two axes", nn.FuseConvBN2D(conv2, bn2).Forward(image), bn2.Forward(conv2.Forward(image)))

		conv1, bn1 := nn.NewConv1D(3, 4, 3, nn.Bias(bias)), nn.NewBatchNorm1D(4, nn.Affine(bias))
		stir(&bn1.BatchNorm, conv1.Forward(line), bn1.Forward)
		near(t, "one axis", nn.FuseConvBN1D(conv1, bn1).Forward(line), bn1.Forward(conv1.Forward(line)))

		linear, bn := nn.NewLinear(3, 4, nn.Bias(bias)), nn.NewBatchNorm1D(4)
		stir(&bn.BatchNorm, linear.Forward(rows), bn.Forward)
		near(t, "linear", nn.FuseLinearBN1D(linear, bn).Forward(rows), bn.Forward(linear.Forward(rows)))
	}
	for name, bn := range map[string]*nn.BatchNorm2D{"training": nn.NewBatchNorm2D(4), "no statistics": nn.NewBatchNorm2D(4, nn.TrackRunningStats(false))} {
		if err := tensor.Try(func() { nn.FuseConvBN2D(nn.NewConv2D(3, 4, 3), bn) }); err == nil || err.Error() != "Fusion only for eval!" {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func near(t *testing.T, name string, got, want *tensor.Tensor) {
	t.Helper()
	if !got.AllClose(want, 1e-5, 1e-5) {
		t.Errorf("%s: got %v, want %v", name, got, want)
	}
}

func TestVector(t *testing.T) {
	l := nn.NewLinear(2, 3)
	v := nn.ParametersToVector(nn.Parameters(l))
	if want := tensor.Cat([]*tensor.Tensor{l.Weight.Reshape(-1), l.Bias}, 0); !v.Equal(want) {
		t.Errorf("got %v, want %v", v, want)
	}
	v.Mul(v).Sum().Backward()
	if !l.Bias.Grad().Equal(l.Bias.Detach().MulScalar(2)) {
		t.Errorf("the gradient is %v", l.Bias.Grad())
	}
	other := nn.NewLinear(2, 3)
	u := v.Detach().Clone()
	nn.VectorToParameters(u, nn.Parameters(other))
	if !other.Weight.Equal(l.Weight) || !other.Bias.Equal(l.Bias) || !other.Weight.RequiresGrad() {
		t.Errorf("got %v and %v", other.Weight, other.Bias)
	}
	u.FillInPlace(4)
	if other.Bias.Detach().Sum().Float64() != 12 {
		t.Error("the parameters do not share the vector's memory")
	}
	if err := tensor.Try(func() { nn.VectorToParameters(u.Slice(0, 0, 8), nn.Parameters(other)) }); err == nil {
		t.Error("a vector that is too short was taken")
	}
}
