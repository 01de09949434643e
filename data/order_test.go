package data

import (
	"math"
	"slices"
	"testing"

	"cresset/internal/rng"
	"cresset/tensor"
)

// permutation returns what torch.randperm draws.
func permutation(g *rng.MT19937, n int) []float32 {
	drawn := make([]int64, n)
	rng.Perm(g, drawn)
	out := make([]float32, n)
	for i, v := range drawn {
		out[i] = float32(v)
	}
	return out
}

func TestLoaderShufflesAsPyTorch(t *testing.T) {
	const n = 50
	samples := &numbers{n: n}

	// Without a generator DataLoader takes two seeds from the default one for each epoch, its own and the sampler's.
	tensor.ManualSeed(7)
	mt := rng.New(7)
	for e := range 3 {
		mt.Uint64()
		want := permutation(rng.New(mt.Uint64()&math.MaxInt64), n)
		got := slices.Concat(epoch(t, NewLoader(samples, BatchSize(8), Shuffle(true), Workers(2)))...)
		if !slices.Equal(got, want) {
			t.Errorf("epoch %d: got %v, want %v", e, got, want)
		}
	}

	// With one it takes its own seed from there, then the order, and at the end an order that it does not use.
	mt = rng.New(42)
	l := NewLoader(samples, BatchSize(8), Shuffle(true), DropLast(true), Generator(tensor.NewGenerator(42)))
	for e := range 3 {
		mt.Uint64()
		want := permutation(mt, n)[:48]
		if got := slices.Concat(epoch(t, l)...); !slices.Equal(got, want) {
			t.Errorf("epoch %d with a generator: got %v, want %v", e, got, want)
		}
		permutation(mt, n)
	}

	// Without a shuffle it still takes a seed for its worker processes.
	tensor.ManualSeed(7)
	epoch(t, NewLoader(samples))
	mt = rng.New(7)
	mt.Uint64()
	if got, want := tensor.Rand(1).Float64(), float64(mt.Float32()); got != want {
		t.Errorf("after an epoch in order: drew %v, want %v", got, want)
	}
}
