package nn_test

import (
	"math"
	"testing"

	"cresset/nn"
	"cresset/tensor"
)

func TestClipGradNorm(t *testing.T) {
	l := nn.NewLinear(2, 1)
	l.Forward(tensor.Of([][]float32{{3, 4}})).Sum().Backward() // gradients 3, 4 and 1
	want := math.Sqrt(26)
	if got := nn.ClipGradNorm(nn.Parameters(l), 100); !(math.Abs(got-want) <= 1e-6) {
		t.Errorf("norm is %v, want %v", got, want)
	}
	nn.ClipGradNorm(nn.Parameters(l), 1)
	if got := nn.ClipGradNorm(nn.Parameters(l), 1); !(math.Abs(got-1) <= 1e-5) {
		t.Errorf("norm is %v after clipping to 1", got)
	}
	nn.ClipGradValue(nn.Parameters(l), 0.25)
	if got := tensor.Values[float64](l.Weight.Grad()); got[0] != 0.25 || got[1] != 0.25 {
		t.Errorf("gradient is %v after clipping to 0.25", got)
	}
}
