package nn_test

import (
	"maps"
	"slices"
	"testing"

	"cresset/nn"
	"cresset/tensor"
)

// The numbers of these tests are those of PyTorch 2.15 for the same seeds.

func TestSpectralNorm(t *testing.T) {
	tensor.ManualSeed(0)
	n := nn.NewSpectralNorm(nn.NewLinear(3, 2))
	near(t, "u", n.U, tensor.Of([]float32{0.78560734, -0.61872536}))
	y := n.Forward(tensor.Of([][]float32{{1, 2, 3}}))
	near(t, "result", y, tensor.Of([][]float32{{-1.24381113, -0.15833050}}))
	y.Sum().Backward()
	near(t, "gradient", n.Original.Grad(), tensor.Of([][]float32{{2.39194775, 4.32020283, 2.98668075}, {0.83436275, 2.03391838, 5.80237103}}))
	near(t, "what is drawn next", tensor.Rand(2), tensor.Of([]float32{0.68160856, 0.91519397}))
	wantState(t, n, "bias", "parametrizations.weight.0._u", "parametrizations.weight.0._v", "parametrizations.weight.original")
	want := `ParametrizedLinear(
  in_features=3, out_features=2, bias=True
  (parametrizations): ModuleDict(
    (weight): ParametrizationList(
      (0): _SpectralNorm()
    )
  )
)`
	if got := nn.Describe(n); got != want {
		t.Errorf("prints\n%s\nwant\n%s", got, want)
	}
	u := n.U.Clone()
	nn.Eval(n).Forward(tensor.Ones(1, 3))
	if !n.U.Equal(u) {
		t.Error("the singular vectors follow in evaluation")
	}
}

func TestWeightNorm(t *testing.T) {
	tensor.ManualSeed(0)
	n := nn.NewWeightNorm(nn.NewConv2D(2, 3, 2))
	y := n.Forward(tensor.Arange(0, 8, 1).Float().View(1, 2, 2, 2))
	near(t, "result", y.Flatten(0, -1), tensor.Of([]float32{0.61973286, -3.59582686, 2.98802733}))
	y.Square().Sum().Backward()
	near(t, "magnitude's gradient", n.Magnitude.Grad().Flatten(0, -1), tensor.Of([]float32{1.54556215, 56.18041992, 28.02419472}))
	near(t, "direction's gradient", n.Direction.Grad().Flatten(0, -1).Slice(0, 0, 4), tensor.Of([]float32{0.00753845, 0.69932294, 3.30765152, 4.45941019}))
	wantState(t, n, "bias", "parametrizations.weight.original0", "parametrizations.weight.original1")
}

// TestParametrizedAxes: rows of a transposed convolution are its outputs, and a length may be that of the whole weight.
func TestParametrizedAxes(t *testing.T) {
	tensor.ManualSeed(0)
	n := nn.NewSpectralNorm(nn.NewConvTranspose2D(2, 3, 2))
	near(t, "u", n.U, tensor.Of([]float32{-0.83041573, 0.51793247, 0.20531809}))
	near(t, "what is drawn next", tensor.Rand(2), tensor.Of([]float32{0.99706656, 0.69844109}))
	if got := n.V.Shape(); !got.Equal(tensor.Shape{8}) {
		t.Errorf("v is %v", got)
	}
	whole := nn.NewWeightNorm(nn.NewConv1D(2, 3, 2), -1)
	x := tensor.Randn(1, 2, 5)
	if got := whole.Magnitude.Shape(); len(got) != 0 {
		t.Errorf("the length of a whole weight is %v", got)
	}
	near(t, "result", whole.Forward(x), x.Conv1D(whole.Direction, whole.Layer.Bias))
}

func wantState(t *testing.T, model any, want ...string) {
	t.Helper()
	if got := slices.Sorted(maps.Keys(nn.State(model))); !slices.Equal(got, want) {
		t.Errorf("the state has %v, want %v", got, want)
	}
}

func TestParametrizeRefuses(t *testing.T) {
	for want, f := range map[string]func(){
		"a *nn.ReLU is no pointer to a struct with a field Weight": func() { nn.NewWeightNorm(nn.NewReLU()) },
		"a *nn.BatchNorm2D has no weight that it could be given":   func() { nn.NewSpectralNorm(nn.NewBatchNorm2D(2, nn.Affine(false))) },
	} {
		if err := tensor.Try(f); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
