package serving_test

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"cresset/internal/devicetest"
	"cresset/models/gpt2"
	"cresset/nn"
	"cresset/text/generation"
	"cresset/text/serving"
)

// BenchmarkEngine times requests of 64 tokens that go on for 48, as many at once as its name says, with a model of the size of GPT-2 small. The GPU is timed that DEVICES names.
func BenchmarkEngine(b *testing.B) {
	for _, dev := range devicetest.All(b) {
		if !dev.IsCPU() && os.Getenv("DEVICES") == "" {
			continue // interpreted
		}
		m, err := gpt2.New(gpt2.Config{Vocabulary: 50257, Width: 768, Layers: 12, Heads: 12, Positions: 256}, nn.On(dev))
		if err != nil {
			b.Fatal(err)
		}
		nn.Eval(m)
		for _, n := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("%s/%d", dev, n), func(b *testing.B) {
				e, err := serving.New(m, serving.Options{Sequences: n, StepTokens: 512})
				if err != nil {
					b.Fatal(err)
				}
				defer e.Close()
				for b.Loop() {
					var clients sync.WaitGroup
					for i := range n {
						r := serving.Request{Options: generation.Options{MaxTokens: 48}}
						for k := range 64 {
							r.Prompt = append(r.Prompt, 100*i+k)
						}
						clients.Go(func() {
							if _, err := written(b.Context(), e, r); err != nil {
								b.Error(err)
							}
						})
					}
					clients.Wait()
				}
				b.ReportMetric(float64(e.Stats().Written)/b.Elapsed().Seconds(), "tokens/s")
			})
		}
	}
}
