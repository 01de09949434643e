package generation

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"cresset/tensor"
)

// TestSamplersChangeScoresAsTransformers compares probabilities with those of transformers 5.23.
func TestSamplersChangeScoresAsTransformers(t *testing.T) {
	tokens := []int{7, 1, 2, 7}
	for name, c := range map[string]struct {
		sampler Sampler
		want    []float64
	}{
		"temperature": {Sampler{Temperature: 0.7}, []float64{0.007812, 0.000917, 0.181012, 0.156915, 0.005089, 0.057726, 0.002874, 0.426539, 0.018409, 0.000292, 0.024497, 0.117918}},
		"penalty":     {Sampler{RepetitionPenalty: 1.3}, []float64{0.025935, 0.004037, 0.131454, 0.211787, 0.019213, 0.10517, 0.012879, 0.208554, 0.047256, 0.0026, 0.057719, 0.173396}},
		"top k":       {Sampler{TopK: 4}, []float64{0, 0, 0.223825, 0.202525, 0, 0, 0, 0.407836, 0, 0, 0, 0.165814}},
		"top p":       {Sampler{TopP: 0.8}, []float64{0, 0, 0.203372, 0.184018, 0, 0.091381, 0, 0.370567, 0, 0, 0, 0.150662}},
		"low top p":   {Sampler{TopP: 0.1}, []float64{0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}},
		"min p":       {Sampler{MinP: 0.3}, []float64{0, 0, 0.223825, 0.202525, 0, 0, 0, 0.407836, 0, 0, 0, 0.165814}},
		"all": {Sampler{RepetitionPenalty: 1.5, Temperature: 1.4, TopK: 8, TopP: 0.9, MinP: 0.2},
			[]float64{0, 0, 0.128992, 0.217797, 0, 0.132101, 0, 0.171652, 0.0746, 0, 0.086055, 0.188803}},
	} {
		scores := []float32{0.3, -1.2, 2.5, 2.4, 0, 1.7, -0.4, 3.1, 0.9, -2, 1.1, 2.2}
		c.sampler.penalize(scores, tokens)
		if c.sampler.Temperature == 0 {
			c.sampler.Temperature = 1
		}
		for i, p := range c.sampler.Probabilities(scores) {
			if !(math.Abs(p-c.want[i]) <= 1e-6) {
				t.Errorf("%s: token %d has probability %v, not %v", name, i, p, c.want[i])
			}
		}
	}
}

// TestSamplersDraw checks what is drawn: the likeliest token without a temperature, others by their probabilities, equal seeds alike.
func TestSamplersDraw(t *testing.T) {
	scores := func() []float32 { return []float32{1, 3, 2, 3} }
	if got := new(Sampler).Next(scores(), nil); got != 1 {
		t.Errorf("the likeliest token is %d", got)
	}
	tensor.ManualSeed(5)
	s, counts := Sampler{Temperature: 1, TopK: 3}, make([]float64, 4)
	var first, again []int
	for range 4000 {
		next := s.Next(scores(), nil)
		counts[next]++
		first = append(first, next)
	}
	for i, want := range s.Probabilities(scores()) {
		if share := counts[i] / 4000; math.Abs(share-want) > 0.04 {
			t.Errorf("token %d is drawn with probability %v, not %v", i, share, want)
		}
	}
	tensor.ManualSeed(5)
	for range 4000 {
		again = append(again, s.Next(scores(), nil))
	}
	for i := range first {
		if first[i] != again[i] {
			t.Fatalf("draw %d of the same seed was %d and is %d", i, first[i], again[i])
		}
	}
}

// TestTopKAndTopPOfManyTokens compares what is kept of many scores, of which several are equal, with what a sort says.
func TestTopKAndTopPOfManyTokens(t *testing.T) {
	tensor.ManualSeed(4)
	base := tensor.Values[float32](tensor.Randn(3000).MulScalar(20).Round())
	for _, k := range []int{1, 7, 100, 2999} {
		scores := slices.Clone(base)
		(&Sampler{TopK: k}).keepTopK(scores)
		sorted := slices.Sorted(slices.Values(base))
		for i, v := range scores {
			if want := base[i] >= sorted[len(sorted)-k]; want != (v == base[i]) {
				t.Fatalf("top %d: score %v became %v", k, base[i], v)
			}
		}
	}
	for _, p := range []float64{0.01, 0.5, 0.9, 0.9999} {
		scores, probabilities, order, sum := slices.Clone(base), softmax(base), make([]int, len(base)), 0.0
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(base[a], base[b]) })
		(&Sampler{TopP: p}).keepTopP(scores)
		for rank, i := range order {
			if sum += probabilities[i]; (sum > 1-p || rank == len(order)-1) != (scores[i] == base[i]) {
				t.Fatalf("top p %v: score %v of rank %d became %v", p, base[i], rank, scores[i])
			}
		}
	}
}

func BenchmarkSampler(b *testing.B) {
	base := tensor.Values[float32](tensor.Randn(128256).MulScalar(5))
	for name, s := range map[string]Sampler{"top-k": {Temperature: 1, TopK: 50}, "wide top-k": {Temperature: 1, TopK: 60000}, "top-p": {Temperature: 1, TopP: 0.9}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s.Probabilities(slices.Clone(base))
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}
