package models_test

import (
	"slices"
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/internal/race"
	"cresset/models"
	"cresset/nn"
	"cresset/tensor"
)

// TestDecodersWriteAsGraphs has each decoder read its prompt, captures the next step, and wants of its replays the tokens that transformers writes, and scores with the bits of
// eager steps over such a cache.
func TestDecodersWriteAsGraphs(t *testing.T) {
	if race.Enabled {
		t.Skip("a simulated GPU is slow under the race detector")
	}
	const tokens = 5
	devicetest.Use(t, "h100:1")
	gpu := device.CUDA(0)
	for _, name := range []string{"gpt2", "llama_rope3", "mistral", "qwen3", "gemma2"} {
		t.Run(name, func(t *testing.T) {
			want := recordingOf(t, name).Greedy
			m := nn.Frozen(load(t, name, models.On(gpu)).(models.Decoder))
			prompt := tensor.Of([][]int64{want.Prompt}).To(gpu)
			begin := func() (cache *nn.StaticKVCache, next *tensor.Tensor) {
				cache = nn.NewStaticKVCache(gpu, 1, len(want.Prompt)+tokens)
				return cache, m.Read(prompt, cache).Select(1, -1).ArgMaxAxis(1).View(1, 1)
			}
			eager, next := begin()
			graphed, id := begin()
			var scores *tensor.Tensor
			g, err := cuda.Capture(func() error {
				scores = m.Read(id, graphed).Select(1, -1)
				id.CopyInPlace(scores.ArgMaxAxis(1).View(1, 1))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			got := tensor.Values[int64](id)
			for len(got) < tokens {
				if err := g.Replay(); err != nil {
					t.Fatal(err)
				}
				got = append(got, tensor.Values[int64](id)...)
				own := m.Read(next, eager).Select(1, -1)
				next = own.ArgMaxAxis(1).View(1, 1)
				if !scores.Equal(own) {
					t.Errorf("token %d: the graph's scores have other bits", len(got))
				}
			}
			if !slices.Equal(got, want.Tokens[:tokens]) {
				t.Errorf("got  %v\nwant %v", got, want.Tokens[:tokens])
			}
		})
	}
}
