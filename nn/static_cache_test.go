package nn_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/tensor"
)

// TestStaticCacheIsACache reads a batch in pieces and compares what each token sees with what a KVCache lets it see, with other sequences in the same memory
// before.
func TestStaticCacheIsACache(t *testing.T) {
	const tokens = 13
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		tensor.ManualSeed(1)
		place := tensor.On(dev)
		q, k, v := place.Randn(2, 4, tokens, 8), place.Randn(2, 2, tokens, 8), place.Randn(2, 2, tokens, 6)
		for _, how := range []nn.Attention{{}, {Window: 3}, {Scale: 0.3, SoftCap: 2}, {Window: 6, ALiBi: &nn.ALiBi{Heads: 4}}} {
			for _, padding := range [][]int{nil, {0, 4}} {
				whole := (&nn.KVCache{Padding: padding}).Attend(0, q, k, v, how)
				cache := nn.NewStaticKVCache(dev, 2, 20)
				for _, pieces := range [][]int{{5, 1, 1, 6}, {12, 1}} {
					cache.Reset(padding...)
					at := 0
					for _, n := range pieces {
						part := func(x *tensor.Tensor) *tensor.Tensor { return x.Narrow(2, at, n) }
						got := cache.Attend(0, part(q), part(k), part(v), how)
						for i := range 2 { // but for padding, of which nobody asks
							from := 0
							if padding != nil {
								from = max(0, padding[i]-at)
							}
							if n > from {
								cut := func(x *tensor.Tensor) *tensor.Tensor { return x.Narrow(0, i, 1).Narrow(2, from, n-from) }
								same(t, fmt.Sprintf("%+v, padding %v, pieces %v, tokens from %d on", how, padding, pieces, at), cut(got), cut(part(whole)))
							}
						}
						at += n
					}
					if cache.Length() != tokens {
						t.Errorf("the cache has seen %d tokens, not %d", cache.Length(), tokens)
					}
				}
			}
		}
	})
}

// TestStaticCacheKnowsPositions counts positions on the device, those of padding as 0.
func TestStaticCacheKnowsPositions(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		cache := nn.NewStaticKVCache(dev, 2, 8)
		cache.Reset(0, 2)
		x := tensor.On(dev).Ones(2, 1, 3, 4)
		told := func(n int) string { return fmt.Sprint(tensor.Values[int64](nn.PositionIDs(cache, n, dev))) }
		if got := told(3); got != "[0 1 2 0 0 0]" {
			t.Error(got)
		}
		cache.Attend(0, x, x, x, nn.Attention{})
		if got := told(2); got != "[3 4 1 2]" {
			t.Error(got)
		}
		r := &nn.Rotary{Size: 4, Theta: 100}
		cos, sin := r.TablesFor(cache, 2, x)
		wantCos, wantSin := r.Tables([][]int{{3, 4}, {1, 2}}, x)
		if !cos.Equal(wantCos) || !sin.Equal(wantSin) {
			t.Errorf("cosines %v and sines %v, not %v and %v", cos, sin, wantCos, wantSin)
		}
		long := &nn.Rotary{Size: 4, Theta: 100, Scaling: nn.DynamicScaling{Factor: 2, MaxPositions: 4}}
		if err := tensor.Try(func() { long.TablesFor(cache, 2, x) }); err == nil || !strings.Contains(err.Error(), "no tables for a cache of a fixed size of 8 tokens") {
			t.Errorf("angles that change with the length: %v", err)
		}
	})
}

// TestStaticCacheInAGraph captures a step of two layers and replays it until the cache is full, against the bits of eager steps, twice in the same memory.
func TestStaticCacheInAGraph(t *testing.T) {
	devicetest.Use(t, "h100:1")
	gpu, room := device.CUDA(0), 9
	tensor.ManualSeed(2)
	draw := func(n int) [3]*tensor.Tensor {
		p := tensor.On(gpu)
		return [3]*tensor.Tensor{p.Randn(2, 4, n, 8), p.Randn(2, 2, n, 8), p.Randn(2, 2, n, 8)}
	}
	read := func(c *nn.StaticKVCache, x [3]*tensor.Tensor) *tensor.Tensor {
		y := c.Attend(0, x[0], x[1], x[2], nn.Attention{})
		return c.Attend(1, y.Add(x[0]), x[1], x[2], nn.Attention{Window: 3})
	}
	eager, graphed, in := nn.NewStaticKVCache(gpu, 2, room), nn.NewStaticKVCache(gpu, 2, room), draw(1)
	_, err := cuda.Capture(func() error { read(graphed, in); return nil })
	if err == nil || !strings.Contains(err.Error(), "read the prompt before the capture") {
		t.Errorf("a capture of the first tokens: %v", err)
	}
	graphed.Reset()
	var y *tensor.Tensor
	var g *cuda.Graph
	for round, padding := range [][]int{{0, 1}, {2, 0}} {
		eager.Reset(padding...)
		if graphed.Reset(padding...); round == 1 && graphed.Length() != 0 {
			t.Error("Reset leaves tokens")
		}
		prompt := draw(3)
		read(eager, prompt)
		read(graphed, prompt)
		if g == nil {
			if g, err = cuda.Capture(func() error { y = read(graphed, in); return nil }); err != nil {
				t.Fatal(err)
			}
			defer g.Close()
		}
		for n := 3; n < room; n++ {
			for i, x := range draw(1) {
				in[i].CopyInPlace(x)
			}
			if err := g.Replay(); err != nil {
				t.Fatal(err)
			}
			if want := read(eager, in); !y.Equal(want) {
				t.Errorf("round %d, token %d: %v, not %v", round, n, y, want)
			}
			if graphed.Length() != n+1 {
				t.Errorf("%d tokens are counted, not %d", graphed.Length(), n+1)
			}
		}
		before := y.Clone()
		if err := g.Replay(); !errors.Is(err, tensor.ErrValue) || !strings.Contains(err.Error(), "room for 9 tokens and holds 9: 1 more do not fit") {
			t.Errorf("a replay of a full cache: %v", err)
		}
		if err := tensor.Try(func() { read(eager, in) }); err == nil {
			t.Error("a step of a full cache works")
		}
		if !y.Equal(before) || graphed.Length() != room {
			t.Error("a refused replay did something")
		}
	}
}

// TestStaticCacheRefuses names what does not fit a cache.
func TestStaticCacheRefuses(t *testing.T) {
	x := tensor.Ones(2, 1, 3, 4)
	read := nn.NewStaticKVCache(device.CPU, 2, 8)
	read.Attend(0, x, x, x, nn.Attention{})
	for text, f := range map[string]func(){
		"the padding of 1 sequences, not of the 2": func() { nn.NewStaticKVCache(device.CPU, 2, 8).Reset(1) },
		"Reset it with padding before":             func() { read.Reset(1, 0) },
		"for 3 sequences, not for 2":               func() { nn.NewStaticKVCache(device.CPU, 3, 8).Attend(0, x, x, x, nn.Attention{}) },
		"for one sequence and one token at least":  func() { nn.NewStaticKVCache(device.CPU, 0, 8) },
		"PositionIDs": func() { read.Positions(1) },
	} {
		if err := tensor.Try(f); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v does not say %q", err, text)
		}
	}
}

// TestGrowingCachesAreNotCompiled: a KVCache grows on the host, which a recording would not repeat, nor that a StaticKVCache takes memory.
func TestGrowingCachesAreNotCompiled(t *testing.T) {
	for text, cache := range map[string]nn.Past{"count the tokens of a cache": &nn.KVCache{}, "take memory for the first tokens": nn.NewStaticKVCache(device.CPU, 2, 8)} {
		x := tensor.Ones(2, 1, 1, 4)
		f := tensor.Compile(func(x *tensor.Tensor) *tensor.Tensor { return cache.Attend(0, x.AddScalar(1), x, x, nn.Attention{}) })
		if err := tensor.Try(func() { f(x) }); !errors.Is(err, tensor.ErrCompile) || !strings.Contains(err.Error(), text) {
			t.Errorf("%T: %v", cache, err)
		}
	}
}

// TestStaticCacheCompiled compiles a step of two layers and calls it until the cache is full, twice in the same memory, against the bits of eager steps.
func TestStaticCacheCompiled(t *testing.T) {
	const room = 9
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		tensor.ManualSeed(2)
		draw := func(n int) [3]*tensor.Tensor {
			p := tensor.On(dev)
			return [3]*tensor.Tensor{p.Randn(2, 4, n, 8), p.Randn(2, 2, n, 8), p.Randn(2, 2, n, 8)}
		}
		reader := func(c *nn.StaticKVCache) func(q, k, v *tensor.Tensor) *tensor.Tensor {
			return func(q, k, v *tensor.Tensor) *tensor.Tensor {
				at := nn.PositionIDs(c, 1, dev).Float().View(-1, 1, 1, 1) // of the token, before it is there
				y := c.Attend(0, q, k, v, nn.Attention{})
				return c.Attend(1, y.Add(q).Add(at), k, v, nn.Attention{Window: 3})
			}
		}
		one, other := nn.NewStaticKVCache(dev, 2, room), nn.NewStaticKVCache(dev, 2, room)
		eager, step := reader(one), reader(other)
		compiled := tensor.Compile(step)
		for _, padding := range [][]int{{0, 1}, {2, 0}} {
			prompt := draw(1)
			one.Reset(padding...)
			other.Reset(padding...)
			eager(prompt[0], prompt[1], prompt[2])
			step(prompt[0], prompt[1], prompt[2])
			for n := 1; n < room; n++ {
				in := draw(1)
				want := eager(in[0], in[1], in[2])
				if got := compiled(in[0], in[1], in[2]); !got.Equal(want) {
					t.Errorf("padding %v, token %d: %v, not %v", padding, n, got, want)
				}
				if other.Length() != n+1 {
					t.Errorf("%d tokens are counted, not %d", other.Length(), n+1)
				}
			}
			in := draw(1)
			if err := tensor.Try(func() { compiled(in[0], in[1], in[2]) }); !errors.Is(err, tensor.ErrValue) || !strings.Contains(err.Error(), "room for 9 tokens and holds 9") {
				t.Errorf("a call for a full cache: %v", err)
			}
		}
	})
}
