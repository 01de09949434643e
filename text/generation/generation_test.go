package generation_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/internal/race"
	"cresset/models"
	"cresset/models/gpt2"
	"cresset/models/llama"
	"cresset/nn"
	"cresset/tensor"
	"cresset/text/generation"
)

// tiny returns a model of random weights with rotary positions, and one with learned ones.
func tiny(t *testing.T, dev device.Device) map[string]models.Decoder {
	t.Helper()
	tensor.ManualSeed(11)
	l, err := llama.New(llama.Config{Vocabulary: 50, Width: 16, Hidden: 24, Layers: 2, Heads: 4, KeyValueHeads: 2, Positions: 24, Window: 5,
		ModelType: "mistral", InitializerRange: 0.3}, nn.On(dev))
	if err != nil {
		t.Fatal(err)
	}
	g, err := gpt2.New(gpt2.Config{Vocabulary: 50, Width: 16, Layers: 2, Heads: 4, Positions: 24, InitializerRange: 0.3}, nn.On(dev))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]models.Decoder{"llama": nn.Eval(l), "gpt2": nn.Eval(g)}
}

// all collects what is generated, a list for each prompt.
func all(t *testing.T, m models.Decoder, prompts [][]int, o generation.Options) [][]int {
	t.Helper()
	out := make([][]int, len(prompts))
	for next, err := range generation.Tokens(t.Context(), m, prompts, o) {
		if err != nil {
			t.Fatal(err)
		}
		for i, token := range next {
			if token != generation.Ended {
				out[i] = append(out[i], token)
			}
		}
	}
	return out
}

// TestBatchesGoOnAsTheirTextsAlone compares prompts of several lengths in one batch with each alone, and with a model that reads all again for every token.
func TestBatchesGoOnAsTheirTextsAlone(t *testing.T) {
	prompts := [][]int{{4, 9, 1, 7, 7, 3, 2}, {8}, {30, 31, 49}}
	devicetest.RunValues(t, func(t *testing.T, dev device.Device) {
		o := generation.Options{MaxTokens: 10}
		if dev.IsCUDA() {
			o.MaxTokens = 3 // a simulated GPU takes its time
		}
		for name, m := range tiny(t, dev) {
			together := all(t, m, prompts, o)
			for i, p := range prompts {
				if alone := all(t, m, [][]int{p}, o); !slices.Equal(alone[0], together[i]) {
					t.Errorf("%s: %v goes on with %v alone and with %v in a batch", name, p, alone[0], together[i])
				}
				text := slices.Clone(p)
				for range o.MaxTokens {
					scores := nn.Frozen(m).Forward(tensor.Of([][]int{text}).To(dev)).Select(1, -1)
					text = append(text, int(scores.ArgMaxAxis(1).Float64()))
				}
				if !slices.Equal(text[len(p):], together[i]) {
					t.Errorf("%s: without a cache %v goes on with %v, with one with %v", name, p, text[len(p):], together[i])
				}
			}
		}
	})
}

// TestTextsEnd checks the ends of texts: a token that ends them, the number of tokens, the model's positions, and a context.
func TestTextsEnd(t *testing.T) {
	m := tiny(t, device.CPU)["gpt2"]
	prompts := [][]int{{1, 2, 3}, {4}}
	free := all(t, m, prompts, generation.Options{})
	if got := len(free[0]); got != 24+1-3 {
		t.Errorf("a text of 3 tokens goes on with %d, of 24 positions and one behind them", got)
	}
	end := free[0][2]
	at := slices.Index(free[0], end)
	ended := all(t, m, prompts, generation.Options{End: []int{end}})
	if !slices.Equal(ended[0], free[0][:at+1]) {
		t.Errorf("%v does not end behind %d: %v", free[0], end, ended[0])
	}
	want := free[1]
	if at := slices.Index(want, end); at >= 0 {
		want = want[:at+1]
	}
	if !slices.Equal(ended[1], want) {
		t.Errorf("the other text is %v, not %v", ended[1], want)
	}

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	steps := 0
	for _, err := range generation.Tokens(ctx, m, prompts, generation.Options{}) {
		if steps++; steps == 3 {
			cancel()
		}
		if steps > 3 && !errors.Is(err, context.Canceled) {
			t.Errorf("step %d behind the end of the context: %v", steps, err)
		}
	}
	if steps != 4 {
		t.Errorf("%d steps, the context ended in the third", steps)
	}
}

// TestRollingTextsReadTheirLastHalfAnew compares texts beyond the model's positions with a model that reads, for each token, what a rolling one has read.
func TestRollingTextsReadTheirLastHalfAnew(t *testing.T) {
	const most, half = 24, 12
	m := tiny(t, device.CPU)["gpt2"]
	long := make([]int, 30)
	for i := range long {
		long[i] = 7 * i % 50
	}
	for _, prompt := range [][]int{{4, 9, 1}, long} {
		text := slices.Clone(prompt)
		for read := min(len(prompt), most); len(text) < len(prompt)+60; read++ {
			if read > most {
				read = half
			}
			scores := nn.Frozen(m).Forward(tensor.Of([][]int{text[len(text)-read:]})).Select(1, -1)
			text = append(text, int(scores.ArgMaxAxis(1).Float64()))
		}
		got := all(t, m, [][]int{prompt, {8}}, generation.Options{MaxTokens: 60, Rolling: true})
		if want := text[len(prompt):]; !slices.Equal(got[0], want) || len(got[1]) != 60 {
			t.Errorf("%v goes on with %v, not %v; the other with %d tokens", prompt, got[0], want, len(got[1]))
		}
	}
}

// TestPromptsAreRefused names what cannot go on.
func TestPromptsAreRefused(t *testing.T) {
	m := tiny(t, device.CPU)["llama"]
	for text, prompts := range map[string][][]int{
		"there is no prompt":     nil,
		"prompt 1 has no tokens": {{1}, {}},
		"a prompt of 25 tokens":  {make([]int, 25)},
		"index out of range":     {{50}},
	} {
		var got error
		for _, err := range generation.Tokens(t.Context(), m, prompts, generation.Options{}) {
			got = err
			if err == nil {
				break
			}
		}
		if got == nil || !strings.Contains(got.Error(), text) {
			t.Errorf("%v: %v", text, got)
		}
	}
}

// TestCompiledStepsWriteWhatStepsWrite wants the tokens of eager steps from compiled ones on the CPU.
func TestCompiledStepsWriteWhatStepsWrite(t *testing.T) {
	prompts := [][]int{{4, 9, 1, 7, 7, 3, 2}, {8}, {30, 31, 49}}
	m := tiny(t, device.CPU)
	for _, c := range []struct {
		name string
		o    generation.Options
	}{
		{"llama", generation.Options{MaxTokens: 10}},
		{"gpt2", generation.Options{MaxTokens: 40, Rolling: true, Sampler: generation.Sampler{Temperature: 1.2, TopK: 10}}},
	} {
		write := func(compile bool) [][]int {
			tensor.ManualSeed(6)
			c.o.Compile = compile
			return all(t, m[c.name], prompts, c.o)
		}
		if want, got := write(false), write(true); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s goes on with %v compiled, with %v step by step", c.name, got, want)
		}
	}
}

// TestGraphsWriteWhatStepsWrite wants the tokens of eager steps from replays, compiled or not: of prompts of several lengths, of drawn tokens, and of texts beyond the
// model's positions.
func TestGraphsWriteWhatStepsWrite(t *testing.T) {
	if race.Enabled {
		t.Skip("a simulated GPU is slow under the race detector")
	}
	gpus := devicetest.Use(t, "h100:1")
	prompts := [][]int{{4, 9, 1, 7, 7, 3, 2}, {8}, {30, 31, 49}}
	for name, m := range tiny(t, device.CUDA(0)) {
		for kind, o := range map[string]generation.Options{
			"likeliest": {MaxTokens: 4},
			"drawn":     {MaxTokens: 4, Sampler: generation.Sampler{Temperature: 1.2, TopK: 10}},
			"rolling":   {MaxTokens: 20, Rolling: true},
		} {
			if kind == "rolling" && name == "llama" {
				continue
			}
			write := func(compile, graph bool) [][]int {
				tensor.ManualSeed(6)
				o.Compile, o.Graph = compile, graph
				return all(t, m, prompts, o)
			}
			eager := 1 // steps
			if kind == "rolling" {
				eager = 2
			}
			want := write(false, false)
			for _, compile := range []bool{false, true} {
				before := gpus.Calls("cuGraphLaunch")
				if got := write(compile, true); !slices.EqualFunc(got, want, slices.Equal) {
					t.Errorf("%s, %s, compiled %v: a graph goes on with %v, steps with %v", name, kind, compile, got, want)
				}
				replays := o.MaxTokens - eager
				if compile {
					replays-- // the first one is recorded
				}
				if n := gpus.Calls("cuGraphLaunch") - before; n != replays {
					t.Errorf("%s, %s, compiled %v: %d replays for %d tokens", name, kind, compile, n, o.MaxTokens)
				}
			}
		}
	}
	for _, err := range generation.Tokens(t.Context(), tiny(t, device.CPU)["gpt2"], prompts, generation.Options{Graph: true}) {
		if err == nil || !strings.Contains(err.Error(), "a graph is work of a GPU, and the model is on cpu") {
			t.Errorf("a graph on the CPU: %v", err)
		}
	}
}
