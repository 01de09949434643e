package serving_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/internal/race"
	"cresset/models"
	"cresset/models/gemma2"
	"cresset/models/gpt2"
	"cresset/models/llama"
	"cresset/nn"
	"cresset/tensor"
	"cresset/text/generation"
	"cresset/text/serving"
)

// decoders returns small models of random weights: learned positions, rotary ones with a window, and windows in every other layer with soft caps.
func decoders(t *testing.T, dev device.Device) map[string]models.Decoder {
	t.Helper()
	tensor.ManualSeed(11)
	g, err := gpt2.New(gpt2.Config{Vocabulary: 50, Width: 16, Layers: 2, Heads: 4, Positions: 64, InitializerRange: 0.3}, nn.On(dev))
	if err != nil {
		t.Fatal(err)
	}
	l, err := llama.New(llama.Config{Vocabulary: 50, Width: 16, Hidden: 24, Layers: 2, Heads: 4, KeyValueHeads: 2, Positions: 64, Window: 5,
		ModelType: "mistral", InitializerRange: 0.3}, nn.On(dev))
	if err != nil {
		t.Fatal(err)
	}
	m, err := gemma2.New(gemma2.Config{Vocabulary: 50, Width: 16, Hidden: 24, Layers: 2, Heads: 4, KeyValueHeads: 2, HeadSize: 4, Positions: 64, Window: 9,
		QueryScalar: 4, ScoreCap: 5, OutputCap: 20, InitializerRange: 0.3}, nn.On(dev))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]models.Decoder{"gpt2": nn.Eval(g), "mistral": nn.Eval(l), "gemma2": nn.Eval(m)}
}

// start returns an engine that ends with the test.
func start(t *testing.T, m models.Decoder, o serving.Options) *serving.Engine {
	t.Helper()
	e, err := serving.New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// request returns the i-th of a number of requests, each unlike the others.
func request(i int) serving.Request {
	r := serving.Request{Options: generation.Options{MaxTokens: 4 + 5*i%17, End: []int{7}}}
	for k := range 1 + 11*i%37 {
		r.Prompt = append(r.Prompt, (k*k+3*i)%50)
	}
	if i%2 == 1 {
		r.Sampler = generation.Sampler{Temperature: 1.3, TopK: 20, TopP: 0.95, MinP: 0.01, RepetitionPenalty: 1.1, Generator: tensor.NewGenerator(int64(i))}
	}
	return r
}

// alone returns what text/generation makes of a request by itself.
func alone(t *testing.T, m models.Decoder, r serving.Request) (ids []int) {
	t.Helper()
	for next, err := range generation.Tokens(t.Context(), m, [][]int{r.Prompt}, r.Options) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, next[0])
	}
	return ids
}

// written collects what an engine writes.
func written(ctx context.Context, e *serving.Engine, r serving.Request) (ids []int, err error) {
	tokens, err := e.Write(ctx, r)
	if err != nil {
		return nil, err
	}
	for next, err := range tokens {
		if err != nil {
			return ids, err
		}
		ids = append(ids, next.ID)
	}
	return ids, nil
}

// TestTogetherAsAlone wants of requests that are computed together the tokens that each gets alone, drawn or likeliest, where prompts are read in chunks and where
// the cache is so small that texts lose their room.
func TestTogetherAsAlone(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		count, kinds := 24, map[string]serving.Options{
			"wide": {}, "chunks": {StepTokens: 7, Sequences: 5}, "small cache": {CacheTokens: 80, Sequences: 8}, "one by one": {Sequences: 1},
		}
		if !dev.IsCPU() {
			count, kinds = 3, map[string]serving.Options{"small cache": {CacheTokens: 48, StepTokens: 20}}
		}
		all := decoders(t, dev)
		if !dev.IsCPU() {
			delete(all, "gpt2")
			delete(all, "gemma2")
		}
		if race.Enabled && dev.IsCPU() { // the engine is the same for every model
			all = map[string]models.Decoder{"gpt2": all["gpt2"]}
		}
		for name, m := range all {
			for kind, o := range kinds {
				e := start(t, m, o)
				got := make([][]int, count)
				var clients sync.WaitGroup
				for i := range count {
					clients.Go(func() {
						var err error
						if got[i], err = written(t.Context(), e, request(i)); err != nil {
							t.Errorf("%s, %s, request %d: %v", name, kind, i, err)
						}
					})
				}
				clients.Wait()
				for i := range count {
					if want := alone(t, m, request(i)); !slices.Equal(got[i], want) {
						t.Errorf("%s, %s: request %d goes on with %v together, with %v alone", name, kind, i, got[i], want)
					}
				}
				s := e.Stats()
				if s.Running != 0 || s.Waiting != 0 || s.CacheInUse != 0 {
					t.Errorf("%s, %s: behind the last request %+v", name, kind, s)
				}
				if kind == "small cache" && dev.IsCPU() && s.Evicted == 0 {
					t.Errorf("%s: no text has lost its room: %+v", name, s)
				}
			}
		}
	})
}

// TestRequestsEnd gives up requests by their context and by reading no further, and wants their room back while others go on.
func TestRequestsEnd(t *testing.T) {
	m := decoders(t, device.CPU)["gpt2"]
	e := start(t, m, serving.Options{Sequences: 2})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	tokens, err := e.Write(ctx, serving.Request{Prompt: []int{1, 2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	for _, err := range tokens {
		if steps++; steps == 2 {
			cancel()
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	tokens, err = e.Write(t.Context(), serving.Request{Prompt: []int{4}})
	if err != nil {
		t.Fatal(err)
	}
	for range tokens {
		break
	}
	for i := range 4 {
		got, err := written(t.Context(), e, request(2*i))
		if want := alone(t, m, request(2*i)); err != nil || !slices.Equal(got, want) {
			t.Errorf("request %d behind those that were given up: %v, %v, alone %v", 2*i, got, err, want)
		}
	}
	e.Close()
	if s := e.Stats(); s.CacheInUse != 0 || s.Running+s.Waiting != 0 {
		t.Errorf("at the end %+v", s)
	}
	if _, err := e.Write(t.Context(), request(0)); !errors.Is(err, serving.ErrClosed) {
		t.Errorf("a request behind the end: %v", err)
	}
}

// gate is a decoder that waits in each step until it may go on.
type gate struct {
	models.Decoder
	entered, open chan struct{}
}

func (g *gate) Read(ids *tensor.Tensor, past nn.Past) *tensor.Tensor {
	g.entered <- struct{}{}
	<-g.open
	return g.Decoder.Read(ids, past)
}

// closedGate returns an engine whose model waits.
func closedGate(t *testing.T, m models.Decoder, o serving.Options) (*serving.Engine, *gate) {
	g := &gate{m, make(chan struct{}, 1000), make(chan struct{}, 1)}
	g.open <- struct{}{} // for the step that measures the model
	e, err := serving.New(g, o)
	if err != nil {
		t.Fatal(err)
	}
	<-g.entered
	return e, g
}

// TestQueuesAreBounded fills an engine whose model stands still.
func TestQueuesAreBounded(t *testing.T) {
	m := decoders(t, device.CPU)["gpt2"]
	e, g := closedGate(t, m, serving.Options{Sequences: 1, Queue: 2, Wait: time.Nanosecond})
	first, err := e.Write(t.Context(), request(0))
	if err != nil {
		t.Fatal(err)
	}
	<-g.entered
	results := make(chan error, 2)
	for range 2 {
		tokens, err := e.Write(t.Context(), request(2))
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for _, err := range tokens {
				results <- err
			}
		}()
	}
	if _, err := e.Write(t.Context(), request(0)); !errors.Is(err, serving.ErrBusy) {
		t.Errorf("a third request in a queue of two: %v", err)
	}
	close(g.open)
	for range 2 {
		if err := <-results; !errors.Is(err, serving.ErrWaited) {
			t.Errorf("a request that waits longer than it may: %v", err)
		}
	}
	n := 0
	for _, err := range first {
		if n++; err != nil {
			t.Error(err)
		}
	}
	e.Close()
	if want := len(alone(t, m, request(0))); n != want {
		t.Errorf("%d tokens, not %d", n, want)
	}
}

// TestModelsFail ends the requests of a step that fails, and no others.
func TestModelsFail(t *testing.T) {
	m := decoders(t, device.CPU)["gpt2"]
	var fails atomic.Bool
	e := start(t, &failing{m, fails.Load}, serving.Options{})
	fails.Store(true)
	if _, err := written(t.Context(), e, request(0)); err == nil || !strings.Contains(err.Error(), "mat1 and mat2") {
		t.Errorf("a model that fails: %v", err)
	}
	fails.Store(false)
	if _, err := written(t.Context(), e, request(0)); err != nil {
		t.Errorf("behind a step that failed: %v", err)
	}
}

type failing struct {
	models.Decoder
	fails func() bool
}

func (f *failing) Read(ids *tensor.Tensor, past nn.Past) *tensor.Tensor {
	if f.fails() {
		tensor.Ones(2, 3).MatMul(tensor.Ones(2, 3))
	}
	return f.Decoder.Read(ids, past)
}

// TestRequestsAreRefused names what cannot go on.
func TestRequestsAreRefused(t *testing.T) {
	e := start(t, decoders(t, device.CPU)["gpt2"], serving.Options{})
	for text, r := range map[string]serving.Request{
		"the prompt has no tokens": {},
		"token 50 is not among":    {Prompt: []int{50}},
		"token -1 is not among":    {Prompt: []int{-1}},
		"a prompt of 65 tokens":    {Prompt: make([]int, 65)},
		"and 63 that follow":       {Prompt: make([]int, 3), Options: generation.Options{MaxTokens: 63}},
	} {
		_, err := e.Write(t.Context(), r)
		if _, bad := errors.AsType[*serving.RequestError](err); !bad || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := serving.New(decoders(t, device.CPU)["gpt2"], serving.Options{CacheTokens: 15}); err == nil {
		t.Error("a cache without a block is taken")
	}
}

// TestProbabilities compares those that are told with a softmax of the model's scores.
func TestProbabilities(t *testing.T) {
	m := decoders(t, device.CPU)["mistral"]
	e := start(t, m, serving.Options{})
	prompt := []int{3, 1, 4, 1, 5}
	tokens, err := e.Write(t.Context(), serving.Request{Prompt: prompt, LogProbs: true, Likeliest: 3, Options: generation.Options{MaxTokens: 6}})
	if err != nil {
		t.Fatal(err)
	}
	for got, err := range tokens {
		if err != nil {
			t.Fatal(err)
		}
		row := m.Forward(tensor.Of([][]int{prompt})).Select(1, -1).LogSoftmax(-1)
		values, ids := row.TopK(3, -1)
		for i := range 3 {
			want := float64(tensor.Values[float32](values)[i])
			if p := got.Likeliest[i]; p.ID != int(tensor.Values[int64](ids)[i]) || !(p.LogProb-want < 1e-4 && want-p.LogProb < 1e-4) {
				t.Errorf("behind %v: place %d is %+v, not %v", prompt, i, p, want)
			}
		}
		if got.ID != got.Likeliest[0].ID || got.LogProb != got.Likeliest[0].LogProb {
			t.Errorf("%+v is not the likeliest", got)
		}
		prompt = append(prompt, got.ID)
	}
}

// TestEnginesLeaveNothingBehind counts goroutines behind engines that were closed.
func TestEnginesLeaveNothingBehind(t *testing.T) {
	m := decoders(t, device.CPU)["gpt2"]
	before := 0
	for i := range 20 {
		e, err := serving.New(m, serving.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := written(t.Context(), e, request(3)); err != nil {
			t.Error(err)
		}
		e.Close()
		if i == 0 {
			before = runtime.NumGoroutine() // with those of the thread pool, which stay
		}
	}
	for runtime.NumGoroutine() > before { // a goroutine that is waited for ends a moment later
		runtime.Gosched()
	}
}
