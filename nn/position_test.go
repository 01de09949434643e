package nn_test

import (
	"math"
	"slices"
	"strings"
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

// TestTablesOfPositionsAreRefused wants words of batches and sizes for which there are no tables; a batch of no tokens has empty ones.
func TestTablesOfPositionsAreRefused(t *testing.T) {
	like := tensor.Zeros(1)
	rotary := func(size int, positions [][]int) func() {
		return func() {
			(&nn.Rotary{Size: size, Theta: 100, Scaling: nn.DynamicScaling{Factor: 2, MaxPositions: 4}}).Tables(positions, like)
		}
	}
	sines := func(positions [][]int) func() {
		return func() { (&nn.SinusoidalPositions{Width: 4}).Table(positions, like) }
	}
	for _, c := range []struct {
		name, want string
		f          func()
	}{
		{"rotary, no batch", "there is no sequence", rotary(4, nil)},
		{"rotary, uneven", "sequence 1 has 2 positions, and sequence 0 has 1", rotary(4, [][]int{{0}, {0, 1}})},
		{"rotary, odd size", "an even number, not 5", rotary(5, [][]int{{0}})},
		{"rotary, no size", "an even number, not 0", rotary(0, [][]int{{0}})},
		{"sines, no batch", "there is no sequence", sines(nil)},
		{"sines, uneven", "sequence 1 has 0 positions, and sequence 0 has 1", sines([][]int{{0}, {}})},
	} {
		if err := tensor.Try(c.f); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	for name, f := range map[string]func(){"rotary": rotary(4, [][]int{{}, {}}), "sines": sines([][]int{{}, {}})} {
		if err := tensor.Try(f); err != nil {
			t.Errorf("%s of no tokens: %v", name, err)
		}
	}
}
