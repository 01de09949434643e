package nn_test

import (
	"math"
	"slices"
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/tensor"
)

// TestALiBiSlopes compares with those of transformers' Bloom, whose biases grow to the right instead.
func TestALiBiSlopes(t *testing.T) {
	for heads, want := range map[int][]float64{
		1: {1. / 256},
		6: {0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125},
		8: {0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625},
		12: {0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625,
			math.Sqrt2 / 2, math.Sqrt2 / 4, math.Sqrt2 / 8, math.Sqrt2 / 16},
	} {
		got := (&nn.ALiBi{Heads: heads}).Slopes()
		if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-15 }) {
			t.Errorf("%d heads: %v, want %v", heads, got, want)
		}
	}
	bias := (&nn.ALiBi{Heads: 8}).Bias(3, tensor.Zeros(1))
	if want := []float32{-0.25, -0.125, 0}; !slices.Equal(tensor.Values[float32](bias.Select(0, 2)), want) {
		t.Errorf("biases of head 2 are %v, want %v", bias.Select(0, 2), want)
	}
}

// TestALiBiLowersScoresByDistance writes the biases of all pairs out, as the paper has them.
func TestALiBiLowersScoresByDistance(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		const heads, tokens = 6, 9
		alibi := &nn.ALiBi{Heads: heads}
		tensor.ManualSeed(1)
		x := tensor.On(dev).Randn(2, heads, tokens, 8)
		biases := make([]float64, 0, heads*tokens*tokens)
		for _, slope := range alibi.Slopes() {
			for q := range tokens {
				for k := range tokens {
					b := math.Inf(-1)
					if k <= q {
						b = -slope * float64(q-k)
					}
					biases = append(biases, b)
				}
			}
		}
		mask := tensor.FromSlice(biases, heads, tokens, tokens).Float().To(dev)
		want := tensor.ScaledDotProductAttention(x, x, x, tensor.AttnMask(mask))
		same(t, "attention with ALiBi", nn.NoPast.Attend(0, x, x, x, nn.Attention{ALiBi: alibi}), want)
	})
}

// TestSinusoidalPositions compares with the table of PyTorch's tutorials on transformers.
func TestSinusoidalPositions(t *testing.T) {
	got := (&nn.SinusoidalPositions{Width: 6}).Table([][]int{{0, 1}, {7, 1}}, tensor.Zeros(1))
	row := []float32{0.8415, 0.5403, 0.0464, 0.9989, 0.0022, 1}
	want := tensor.Of([][][]float32{{{0, 1, 0, 1, 0, 1}, row}, {{0.6570, 0.7539, 0.3192, 0.9477, 0.0151, 0.9999}, row}})
	if worst := got.Sub(want).Abs().Max().Float64(); !(worst <= 6e-5) {
		t.Errorf("got %v, want %v", got, want)
	}
	if odd := (&nn.SinusoidalPositions{Width: 5}).Table([][]int{{3}}, tensor.Zeros(1)); odd.Size(-1) != 5 {
		t.Errorf("an odd width: %v", odd.Shape())
	}
}
