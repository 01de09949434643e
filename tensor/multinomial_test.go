package tensor_test

import (
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// What torch.multinomial of 2.15 draws after manual_seed(3), one call after the other.
func TestMultinomialDrawsPyTorchsNumbers(t *testing.T) {
	p := tensor.Of([][]float64{{1, 2, 3, 4}, {4, 3, 2, 1}})
	for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.Float16, dtype.BFloat16} {
		g := tensor.NewGenerator(3)
		x := p.To(dt)
		wantValues(t, "with replacement", x.Multinomial(6, g, tensor.WithReplacement(true)), 0, 1, 3, 1, 3, 3, 0, 1, 1, 2, 0, 1)
		wantValues(t, "without", x.Multinomial(3, g), 3, 1, 0, 0, 3, 1)
		wantValues(t, "one", x.Multinomial(1, tensor.WithReplacement(true), g), 2, 1)
	}
}

// TestMultinomialFollowsTheProbabilities wants what χ² of 3 degrees of freedom exceeds once in 10,000 times not to be exceeded.
func TestMultinomialFollowsTheProbabilities(t *testing.T) {
	const limit, trials = 21.1, 2000
	weights := []float64{1, 2, 0, 3, 4}
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		g := tensor.NewGeneratorOn(dev, 11)
		p := tensor.Of(weights).To(dev)
		again := p.Multinomial(trials, g, tensor.WithReplacement(true))
		firsts := p.Expand(trials, 5).Multinomial(2, g).Narrow(1, 0, 1)
		single := p.Expand(trials, 5).Multinomial(1, g)
		for name, draws := range map[string]*tensor.Tensor{"with replacement": again, "first of two": firsts, "one": single} {
			counts := make([]float64, len(weights))
			for _, i := range tensor.Values[int64](draws.Reshape(-1)) {
				counts[i]++
			}
			var distance float64
			for i, n := range counts {
				if want := weights[i] / 10 * trials; want > 0 {
					distance += (n - want) * (n - want) / want
				} else if n > 0 {
					t.Errorf("%s: column %d, of probability 0, was drawn", name, i)
				}
			}
			if distance > limit {
				t.Errorf("%s: χ² of %v is %.1f", name, counts, distance)
			}
		}
	})
}

func TestMultinomialWithoutReplacementDrawsEachOnce(t *testing.T) {
	x := tensor.Rand(7, 30).Multinomial(30, tensor.NewGenerator(1))
	for _, row := range x.Unbind(0) {
		got := slices.Sorted(slices.Values(tensor.Values[int64](row)))
		if len(slices.Compact(got)) != 30 {
			t.Errorf("%v is no permutation", row)
		}
	}
}

func TestMultinomialOfNoRows(t *testing.T) {
	for _, again := range []tensor.WithReplacement{false, true} {
		if got := tensor.Zeros(0, 3).Multinomial(2, again).Shape(); !slices.Equal(got, []int{0, 2}) {
			t.Errorf("got shape %v, want [0, 2]", got)
		}
	}
}

func TestMultinomialRefuses(t *testing.T) {
	p, again := tensor.Of([]float64{1, 2, 3}), tensor.WithReplacement(true)
	inf := p.Div(tensor.Of([]float64{1, 0, 1}))
	const notOne, nothing = "probability tensor contains either `inf`, `nan` or element < 0", "invalid multinomial distribution (sum of probabilities <= 0)"
	for _, c := range []struct {
		text string
		do   func()
	}{
		{"prob_dist must be 1 or 2 dim", func() { tensor.Ones(2, 2, 2).Multinomial(1) }},
		{"prob_dist must be 1 or 2 dim", func() { tensor.Ones().Multinomial(1) }},
		{"multinomial only supports floating-point dtypes for input, got: Int", func() { p.To(dtype.Int32).Multinomial(1) }},
		{"cannot sample n_sample <= 0 samples", func() { p.Multinomial(0) }},
		{"cannot sample n_sample > prob_dist.size(-1) samples without replacement", func() { p.Multinomial(4) }},
		{notOne, func() { p.Neg().Multinomial(2) }},
		{notOne, func() { inf.Multinomial(2) }},
		{notOne, func() { inf.Sub(inf).Multinomial(1, again) }},
		{nothing, func() { p.MulScalar(0).Multinomial(2) }},
		{nothing, func() { p.MulScalar(0).Multinomial(2, again) }},
		{nothing, func() { tensor.Zeros(2, 0).Multinomial(2, again) }},
		{"invalid multinomial distribution (encountering probability entry < 0)", func() { p.Neg().Multinomial(5, again) }},
		{"invalid multinomial distribution (encountering probability entry = infinity or NaN)", func() { inf.Multinomial(5, again) }},
	} {
		if err := tensor.Try(c.do); err == nil || err.Error() != c.text {
			t.Errorf("got %v, want %s", err, c.text)
		}
	}
}
