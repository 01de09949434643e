package nn_test

import (
	"fmt"
	"math"
	"testing"

	"cresset/nn"
	"cresset/tensor"
)

// TestActivations compares what activations print with PyTorch 2.6, and what they make of -1 and 2 with their formulas.
func TestActivations(t *testing.T) {
	phi := func(x float64) float64 { return (1 + math.Erf(x/math.Sqrt2)) / 2 }
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for _, c := range []struct {
		layer interface {
			nn.Module
			fmt.Stringer
		}
		print string
		f     func(x float64) float64
	}{
		{nn.NewReLU(), "ReLU()", func(x float64) float64 { return max(x, 0) }},
		{nn.NewGELU(), "GELU(approximate='none')", func(x float64) float64 { return x * phi(x) }},
		{nn.NewGELU(nn.Approximate(true)), "GELU(approximate='tanh')", func(x float64) float64 {
			return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
		}},
		{nn.NewSiLU(), "SiLU()", func(x float64) float64 { return x * sigmoid(x) }},
		{nn.NewSigmoid(), "Sigmoid()", sigmoid},
		{nn.NewTanh(), "Tanh()", math.Tanh},
		{nn.NewSoftplus(), "Softplus(beta=1.0, threshold=20.0)", func(x float64) float64 { return math.Log1p(math.Exp(x)) }},
		{nn.NewSoftplus(nn.Beta(2), nn.Threshold(0)), "Softplus(beta=2.0, threshold=0.0)", func(x float64) float64 {
			if x > 0 {
				return x
			}
			return math.Log1p(math.Exp(2*x)) / 2
		}},
		{nn.NewLeakyReLU(0.01), "LeakyReLU(negative_slope=0.01)", func(x float64) float64 { return max(x, 0.01*x) }},
		{nn.NewLeakyReLU(1e-5), "LeakyReLU(negative_slope=1e-05)", func(x float64) float64 { return max(x, 1e-5*x) }},
		{nn.NewELU(1), "ELU(alpha=1.0)", func(x float64) float64 { return max(x, 0) + min(0, math.Expm1(x)) }},
		{nn.NewSoftmax(1), "Softmax(dim=1)", func(x float64) float64 { return math.Exp(x) / (math.Exp(-1) + math.Exp(2)) }},
	} {
		if got := c.layer.String(); got != c.print {
			t.Errorf("got  %s\nwant %s", got, c.print)
		}
		for i, got := range tensor.Values[float64](c.layer.Forward(tensor.Of([][]float64{{-1, 2}}))) {
			if want := c.f([]float64{-1, 2}[i]); !(math.Abs(got-want) <= 1e-12) {
				t.Errorf("%s: element %d is %v, want %v", c.print, i, got, want)
			}
		}
	}
}
