package nn_test

import (
	"testing"

	"cresset/dtype"
	"cresset/nn"
	"cresset/tensor"
)

func TestOptionsThatALayerDoesNotTake(t *testing.T) {
	cases := []struct {
		name, want string
		make       func()
	}{
		{"linear", "NewLinear does not take nn.Stride; it takes NoBias, On, As", func() { nn.NewLinear(1, 1, nn.Stride(2)) }},
		{"pool", "NewMaxPool2D does not take nn.NoBias; it takes KernelWidth, Stride, Padding, Dilation", func() { nn.NewMaxPool2D(2, nn.NoBias) }},
	}
	for _, c := range cases {
		if err := tensor.Try(c.make); err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
}

func TestLayerNormOptions(t *testing.T) {
	l := nn.NewLayerNorm([]int{3}, nn.As(dtype.Float64), nn.NoBias, nn.Eps(1e-3))
	if l.Weight.DType() != dtype.Float64 || l.Bias != nil || l.Eps != 1e-3 {
		t.Errorf("got %v with weight of %s", l, l.Weight.DType())
	}
}
