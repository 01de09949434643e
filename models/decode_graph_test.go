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

// TestDecodersWriteInEveryMode has each decoder read its prompt, then write compiled, as a graph, and as a graph of what is compiled: the tokens that transformers writes, and
// scores with the bits of eager steps over such a cache.
func TestDecodersWriteInEveryMode(t *testing.T) {
	if race.Enabled {
		t.Skip("a simulated GPU is slow under the race detector")
	}
	const tokens = 5
	devicetest.Use(t, "h100:1")
	gpu := device.CUDA(0)
	for _, name := range []string{"gpt2", "llama_rope3", "mistral", "qwen3", "gemma2"} {
		t.Run(name, func(t *testing.T) {
			want := recordingOf(t, name).Greedy
			d := &decoding{model: nn.Frozen(load(t, name, models.On(gpu)).(models.Decoder)), prompt: tensor.Of([][]int64{want.Prompt}).To(gpu), tokens: tokens}
			written, scores := d.write(t, false, false)
			if !slices.Equal(written, want.Tokens[:tokens]) {
				t.Errorf("got  %v\nwant %v", written, want.Tokens[:tokens])
			}
			for mode, m := range map[string]struct{ compiled, graph bool }{"compiled": {true, false}, "graph": {false, true}, "compiled graph": {true, true}} {
				got, own := d.write(t, m.compiled, m.graph)
				if !slices.Equal(got, written) {
					t.Errorf("%s: %v, not %v", mode, got, written)
				}
				for i := range own {
					if !own[i].Equal(scores[i]) {
						t.Errorf("%s, token %d: the scores have other bits", mode, i+1)
					}
				}
			}
		})
	}
}

// decoding is a prompt that a model goes on from.
type decoding struct {
	model  models.Decoder
	prompt *tensor.Tensor
	tokens int
}

// write returns the likeliest tokens, and the scores of all but the first.
func (d *decoding) write(t *testing.T, compiled, graph bool) (written []int64, scores []*tensor.Tensor) {
	cache := nn.NewStaticKVCache(d.prompt.Device(), 1, d.prompt.Size(1)+d.tokens)
	id := d.model.Read(d.prompt, cache).Select(1, -1).ArgMaxAxis(1).View(1, 1)
	step := func(id *tensor.Tensor) *tensor.Tensor { return d.model.Read(id, cache).Select(1, -1) }
	if compiled {
		step = tensor.Compile(step)
	}
	var last *tensor.Tensor
	next := func() error {
		last = step(id)
		id.CopyInPlace(last.ArgMaxAxis(1).View(1, 1))
		return nil
	}
	written = tensor.Values[int64](id)
	for n := 1; n < d.tokens; n++ {
		if graph && n == 2 { // behind a step in which what is compiled is recorded
			g, err := cuda.Capture(next)
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			next = g.Replay
		}
		if err := next(); err != nil {
			t.Fatal(err)
		}
		written, scores = append(written, tensor.Values[int64](id)...), append(scores, last.Clone())
	}
	return written, scores
}
