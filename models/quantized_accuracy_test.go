package models_test

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"cresset/models"
	"cresset/nn/quant"
	"cresset/tensor"
)

// TestQuantizedAccuracy prints, with -v, the table of docs/models.md: how far scores are from those of float32, for each unit of their standard deviation, how often
// the likeliest token is another, and by how much the loss of the recorded text changes.
func TestQuantizedAccuracy(t *testing.T) {
	for _, dir := range []string{"gpt2", "llama", "llama_rope3", "llama_tied", "mistral", "qwen2", "qwen3", "gemma2"} {
		r, from := recordingOf(t, dir), filepath.Join("testdata", dir)
		plain, err := models.Load(from)
		if err != nil {
			t.Fatal(err)
		}
		want := scoresOf(t, plain, r)
		for _, config := range []quant.Config{quant.Int8WeightOnly{}, quant.Int8DynamicActivation{}, quant.Int4WeightOnly{GroupSize: 32}} {
			m, err := models.Load(from, models.Quantize(config))
			var bad *tensor.Error
			if errors.As(err, &bad) { // groups do not divide the width within its MLPs, 48
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			got := scoresOf(t, m, r)
			size := math.Sqrt(number(want.Var()))
			mean, most := number(got.Sub(want).Abs().Mean())/size, number(got.Sub(want).Abs().Max())/size
			other := 1 - number(got.ArgMaxAxis(-1).Eq(want.ArgMaxAxis(-1)).To(want.DType()).Mean())
			loss := lossOf(got, r) - lossOf(want, r)
			t.Logf("`%s` | %v | %.4f | %.4f | %s | %+.4f", dir, config, mean, most, fmt.Sprintf("%.0f %%", 100*other), loss)
			if limit := map[bool]float64{true: 0.2, false: 0.05}[config == quant.Config(quant.Int4WeightOnly{GroupSize: 32})]; mean > limit {
				t.Errorf("%s by %v: scores are off by %v of their deviation on average, more than %v", dir, config, mean, limit)
			}
		}
	}
}

func number(x *tensor.Tensor) float64 { return tensor.Values[float64](x)[0] }

// lossOf returns the cross entropy of each token but the first.
func lossOf(scores *tensor.Tensor, r recorded) float64 {
	ids := tensor.Of(r.In.IDs)
	n := scores.Size(1)
	return number(tensor.CrossEntropy(scores.Narrow(1, 0, n-1).Flatten(0, 1), ids.Narrow(1, 1, n-1).Flatten(0, 1)))
}
